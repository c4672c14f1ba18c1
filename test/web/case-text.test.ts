// [K20] One case of a file of tests as a text of its own, and back.

import fc from "fast-check"
import { expect, test } from "vitest"
import { caseLines } from "../../src/core/case/case-lines.ts"
import { caseText, expecting, newCase, pieceOf, placeForNew, sampleInputs, withCase } from "../../web/flow/case-text.ts"

const FILE = `# what must hold
cases:
  # the first
  - name: one
    expect:
      status: succeeded

  - name: two
    task: |
      a

      - name: not a case
    expect: { status: failed } # odd
`
const linesOf = (text: string): number[] => caseLines(text).map(({ line }) => line)
const piece = (text: string, at: number) => {
  const found = pieceOf(text, linesOf(text), at)
  if (!found) throw new Error("no piece")
  return found
}

test("[K20] a case is cut out with what follows it, without its indentation", () => {
  expect(caseText(FILE, piece(FILE, 0))).toBe("- name: one\n  expect:\n    status: succeeded\n\n")
  expect(caseText(FILE, piece(FILE, 1))).toBe(
    "- name: two\n  task: |\n    a\n\n    - name: not a case\n  expect: { status: failed } # odd\n",
  )
})

test("[K20] a case is replaced, taken out and added, and the rest of the file stays as it is", () => {
  const changed = withCase(FILE, piece(FILE, 1), "- name: three\n  expect: {}\n\n")
  expect(changed).toBe(`${FILE.slice(0, FILE.indexOf("  - name: two"))}  - name: three\n    expect: {}\n`)
  expect(withCase(FILE, piece(FILE, 0), "")).toBe(FILE.replace(/ {2}- name: one[^]*?\n\n/, ""))
  const place = placeForNew(FILE, linesOf(FILE))
  expect(place && withCase(FILE, place, "- name: new\n")).toBe(`${FILE}  - name: new\n`)
  const empty = placeForNew("cases:\n", [])
  expect(empty && withCase("cases:\n", empty, newCase(undefined))).toBe(
    "cases:\n  - name: a new test\n    expect:\n      status: succeeded\n",
  )
})

test.each(["cases: [ { name: a }, { name: b } ]\n", 'cases:\n  - { name: a }\n  - {name: b}\nmore: "x"\n', '{"cases":[{"name":"a"}]}'])(
  "[K20] a list without a line for each case is left whole: %j",
  (text) => {
    const lines = linesOf(text)
    const found = pieceOf(text, lines, 0)
    // The second has a line for each.
    expect(found === undefined).toBe(!text.includes("\n  - "))
    if (!found) expect(placeForNew(text, lines)).toBeUndefined()
  },
)

test("[K20] property: what is cut out and put back is the same file", () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/)
  const one = fc.tuple(word, fc.array(fc.constantFrom("", "    # a note", "    inputs: { a: [1, 2] }"), { maxLength: 3 }))
  fc.assert(
    fc.property(fc.uniqueArray(one, { minLength: 1, maxLength: 6, selector: ([name]) => name }), fc.boolean(), (all, isFlat) => {
      const text = `cases:\n${all.map(([name, more]) => [`  - name: ${name}`, ...more, "    expect: {}", ""].join("\n")).join("")}`
      const file = isFlat ? text.replaceAll(/^ {2}/gm, "") : text
      for (const at of all.keys()) {
        const found = piece(file, at)
        expect(withCase(file, found, caseText(file, found)).replaceAll(/\n+/g, "\n")).toBe(file.replaceAll(/\n+/g, "\n"))
        expect(linesOf(withCase(file, found, ""))).toHaveLength(all.length - 1)
      }
    }),
  )
})

test("[K20] an expectation becomes what was found, where one place says it", () => {
  const own = '- name: failed\n  expect:\n    status: failed\n    output: { n: 1, "a/b": "x" }\n'
  expect(expecting(own, "/status", "failed", "succeeded")).toBe(own.replace("status: failed", 'status: "succeeded"'))
  expect(expecting(own, "/output/n", 1, 2)).toBe(own.replace("n: 1", "n: 2"))
  expect(expecting(own, "/output/a~1b", "x", "y")).toBe(own.replace('"x"', '"y"'))
  for (const [at, expected, found] of [
    ["/status", "succeeded", "failed"],
    ["", "an end", "it ran"],
    ["/output", { n: 1 }, { n: 2 }],
    ["/files/a", "x", null],
  ] as const)
    expect(expecting(own, at, expected, found)).toBeUndefined()
  expect(expecting(`${own}    branches: { status: failed }\n`, "/status", "failed", "succeeded")).toBeUndefined()
})

test("[K20] a new case has something for each input that a start must have", () => {
  const start = {
    description: "",
    task_required: true,
    inputs: { who: { type: "string", required: true }, often: { type: "number", required: false } },
  } as const
  expect(sampleInputs(start)).toEqual({ who: "an example" })
  expect(newCase(start)).toContain('task: an example\n  inputs: {"who":"an example"}\n')
})
