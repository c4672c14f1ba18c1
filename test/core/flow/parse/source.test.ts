import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { entryOf, jsonOf, readYaml } from "../../../../src/core/flow/parse/source.ts"
import { MAX_KEYS } from "../../../../src/core/flow/parse/yaml-scan.ts"
import { cpuClock } from "../../../support/cpu-clock.ts"

const codes = (text: string): string[] => readYaml(text, "FV").diagnostics.map((d) => `${d.line}:${d.column ?? 0} ${d.severity} ${d.code}`)
const value = (text: string): unknown => {
  const { root } = readYaml(text, "FV")
  return root === undefined ? undefined : jsonOf(root)
}

describe("values and places", () => {
  test("[F1] YAML 1.2: yes and on are texts, and a scalar keeps how it was written", () => {
    expect(value("a: yes\nb: 007\nc: true\nd: 1.50\ne: ~\n")).toEqual({ a: "yes", b: 7, c: true, d: 1.5, e: null })
    const { root } = readYaml("b: 007\n", "FV")
    const node = root?.kind === "map" ? entryOf(root, "b")?.value : undefined
    expect(node?.kind === "scalar" ? node.text : "").toBe("007")
  })

  test("[F2] keys and values have their place, in block and in flow style", () => {
    const source = readYaml("a: 1\nlist:\n  - x: { deep: here }\n  - second\n", "FV")
    expect(source.place(["a"])).toEqual({ line: 1, column: 4 })
    expect(source.place(["a"], "key")).toEqual({ line: 1, column: 1 })
    expect(source.place(["list", 0, "x", "deep"])).toEqual({ line: 3, column: 16 })
    expect(source.place(["list", 0, "x", "deep"], "key")).toEqual({ line: 3, column: 10 })
    expect(source.place(["list", 1])).toEqual({ line: 4, column: 5 })
    expect(source.place(["list", 1, "gone", "deeper"])).toEqual({ line: 4, column: 5 })
  })

  test("[F2] an excerpt of a multi-line block has the place of its line", () => {
    const source = readYaml("task: |\n  one\n  two ${{x}}\n", "FV")
    const node = source.root?.kind === "map" ? entryOf(source.root, "task")?.value : undefined
    expect(node?.kind === "scalar" ? source.placeIn(node, "${{x}}") : undefined).toEqual({ line: 3, column: 7 })
  })

  test("[F1] nan and infinity are not JSON and stay text", () => {
    expect(value("a: .nan\nb: -.inf\n")).toEqual({ a: ".nan", b: "-.inf" })
  })
})

describe("lenient scalars", () => {
  test("[F1] values that begin with @ or a backtick, or hold a colon and a space, are text, with a warning", () => {
    expect(value("model: @planning\ndo: `it`\ndescription: Use when: it's 'so' # why\nlist:\n  - @a\nflow: { m: @fast, n: 1 }\n")).toEqual({
      model: "@planning",
      do: "`it`",
      description: "Use when: it's 'so'",
      list: ["@a"],
      flow: { m: "@fast", n: 1 },
    })
    expect(codes("model: @planning\ndescription: Use when: asked\n")).toEqual(
      ["1:8 warning FV-TEXT", "2:14 warning FV-TEXT"].toSorted((a, b) => (a < b ? 1 : -1)),
    )
  })

  test("[F1] places after a line that is read as text are correct", () => {
    const source = readYaml("a: x: 'y' z\nb: q: r\nc: [1, oops]\n", "FV")
    expect(source.place(["a"])).toEqual({ line: 1, column: 4 })
    expect(source.place(["b"])).toEqual({ line: 2, column: 4 })
    expect(source.place(["c", 1])).toEqual({ line: 3, column: 8 })
  })

  test("[F1] other broken syntax stays an error", () => {
    expect(codes('a: "x": y\n')).toContain("1:4 error FV-PARSE")
    expect(codes("name: x\n  bad: y\n")).toContain("2:3 error FV-PARSE")
    expect(codes("a: Use when:\n  b: c\n")).toContain("1:4 error FV-PARSE")
    expect(value("a: 'it' is\n")).toBeUndefined()
  })
})

describe("limits", () => {
  const quick = (text: string): string[] => {
    const spent = cpuClock()
    const { diagnostics } = readYaml(text, "FV")
    // Far above what it takes (the slowest of these is some 0.4 s here), far below the minutes of a bomb that goes off.
    expect(spent()).toBeLessThan(20_000)
    return diagnostics.map((d) => d.code)
  }
  const K = 256 * 1024

  test("[F1] size is counted in bytes", () => {
    expect(quick("a".repeat(K + 1))).toEqual(["FV-LIMIT"])
    expect(quick(`a: ${"é".repeat(K / 2)}`)).toEqual(["FV-LIMIT"])
    expect(quick(`a: ${"x".repeat(K - 3)}`)).toEqual([])
  })

  test("[F1] depth: 20 levels are read, 21 are not, 10,000 are refused at once", () => {
    expect(quick(`a: ${"[".repeat(19)}${"]".repeat(19)}`)).toEqual([])
    expect(quick(`a: ${"[".repeat(20)}${"]".repeat(20)}`)).toEqual(["FV-LIMIT"])
    for (const bomb of ["[".repeat(10_000), "{a: ".repeat(10_000), "- ".repeat(10_000), "? ".repeat(10_000)])
      expect(quick(bomb)).toEqual(["FV-LIMIT"])
  })

  test("[F1] keys: the limit is counted over the whole file, with and without a value", () => {
    const keys = (n: number): string => Array.from({ length: n }, (_, i) => `k${i}: v`).join("\n")
    expect(quick(keys(MAX_KEYS))).toEqual([])
    expect(quick(keys(MAX_KEYS + 1))).toEqual(["FV-LIMIT"])
    expect(quick(keys(20_000))).toEqual(["FV-LIMIT"])
    expect(quick(`{${Array.from({ length: 20_000 }, (_, i) => `k${i}`).join(",")}}`)).toEqual(["FV-LIMIT"])
  })

  test("[F1] anchors, aliases, tags, directives, merge keys, refused and doubled keys", () => {
    expect(quick("a: &x [1]\nb: *x\n")).toEqual(["FV-ALIAS"])
    expect(quick(`a: &a [x]\n${"b: [*a, *a]\n".repeat(9)}`)).toEqual(["FV-ALIAS"])
    expect(quick("a: !!binary x\n")).toEqual(["FV-TAG"])
    expect(quick("a: !!str 5\n")).toEqual([])
    expect(quick("%YAML 1.1\n---\na: yes\n")).toEqual(["FV-DIRECTIVE"])
    expect(quick("%YAML 1.2\n---\na: yes\n")).toEqual([])
    expect(quick("%TAG ! tag:x,2000:\n---\na: 1\n")).toEqual(["FV-DIRECTIVE"])
    expect(quick("<<: { a: 1 }\n")).toEqual(["FV-KEY"])
    expect(quick("x: { __proto__: 1, constructor: 2, prototype: 3 }\n")).toEqual(["FV-KEY", "FV-KEY", "FV-KEY"])
    expect(quick("a: 1\nb: 2\na: 3\n")).toEqual(["FV-DUP-KEY"])
    expect(quick("a: 'an & and a * and a ! in quotes'\nb: |\n  *so\n  &is !this\n")).toEqual([])
  })

  test("[F1] 256 KiB of anything is answered soon", () => {
    for (const bit of [
      "a,",
      "- a\n",
      "a: @x\n",
      "a: b: c\n",
      "#\n",
      "\n",
      "---\n",
      '"',
      "'",
      "|\n",
      "{}",
      "}",
      ": ",
      "\t",
      "\r",
      "a: 'x' y: z\n",
      "a: x   ".repeat(20),
      "%A\n",
      "- -\n",
      "? a\n",
    ]) {
      const text = bit.repeat(Math.floor(K / bit.length))
      quick(text)
      quick(`a: [${text}`)
      quick(`a: b: ${text.replaceAll("\n", " ")}`)
    }
  })
})

describe("arbitrary text", () => {
  test("[F2] reading never throws, pollutes no prototype, and its faults lie in the file", () => {
    const pieces = fc.constantFrom(
      "a",
      ": ",
      "- ",
      "\n",
      "  ",
      "[",
      "]",
      "{",
      "}",
      "'",
      '"',
      "|",
      ">",
      "@",
      "`",
      "#",
      " #",
      "&a",
      "*a",
      "!t",
      "? ",
      "---\n",
      "%",
      "\t",
      "__proto__",
      "é",
      "\r\n",
      "<<",
      ",",
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 60 }).map((p) => p.join("")),
        ),
        (text) => {
          const { root, diagnostics, place } = readYaml(text, "FV")
          if (root) JSON.stringify(jsonOf(root))
          const lines = text.split("\n").length
          for (const d of diagnostics) expect(d.line).toBeLessThanOrEqual(lines)
          expect(place(["a", 0, "b"]).line).toBeLessThanOrEqual(lines)
          expect(Object.keys(Object.prototype)).toEqual([])
        },
      ),
      { numRuns: 3000 },
    )
  })
})

describe("signs that look like a space or a colon", () => {
  const said = (text: string) =>
    readYaml(text, "FV").diagnostics.map(({ code, line, column, message, suggestion }) => [code, line, column, message, suggestion])
  const NBSP = "a no-break space (U+00A0), which YAML does not treat as a space"

  test.each([
    ["name:\u00a0x\ndescription: d\n", 1, 6],
    ["name: x\ndescription:\u00a0d\n", 2, 13],
    ["steps:\n  - id: a\n    task:\u00a0go\n    type: agent\n", 3, 10],
    ["a: 1\n\u00a0\nb: 2\n", 2, 1],
  ])("[F2] after a colon and in an indent, the fault is told at its place: %j", (text, line, column) => {
    expect(said(text)).toEqual([["FV-PARSE", line, column, `invalid YAML: here is ${NBSP}`, "write an ordinary space"]])
  })

  test("[F2] others have their names", () => {
    expect(said("name\uff1ax\ndescription: d\n")).toMatchObject([
      ["FV-PARSE", 1, 5, expect.stringContaining("a wide colon (U+FF1A)"), expect.any(String)],
    ])
    expect(said("a:\u2003b\nc: d\n")).toMatchObject([
      ["FV-PARSE", 1, 3, expect.stringContaining("an unusual space (U+2003)"), expect.any(String)],
    ])
  })

  test("[F2] where YAML takes them into a key, a warning says so", () => {
    for (const text of ["steps:\n  -\u00a0{ id: a }\n", "steps:\n\u00a0- id: a\n", "x: 1\nsteps: { b:\u00a01 }\n"])
      expect(said(text)).toMatchObject([["FV-TEXT", 2, expect.any(Number), expect.stringContaining(NBSP), "write an ordinary space"]])
  })

  test("[F1] in texts they are letters like any other, and hide no other fault", () => {
    const text = 'a: "b:\u00a0c"\nd: |\n  Note:\u00a0e\nf: g:\u00a0h\ni: \u00a0j\u00a0\n'
    expect(said(text)).toEqual([])
    expect(said('a: "Prix\u00a0: 3\nb: 2\n')).toMatchObject([["FV-PARSE", 1, 4, expect.stringContaining("quote"), expect.any(String)]])
  })
})
