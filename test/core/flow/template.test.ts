import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  asText,
  expand,
  keptForms,
  literally,
  literalLength,
  onlyOperands,
  onlyReference,
  parseReference,
  references,
  type TemplateReference,
} from "../../../src/core/flow/template.ts"
import { cpuClock } from "../../support/cpu-clock.ts"

const values = new Map([
  ["task", "T"],
  ["result.a.summary", "S"],
  ["result.a", "whole"],
])
const nameOf = (ref: TemplateReference): string =>
  ref.root === "task"
    ? "task"
    : ref.root === "result"
      ? ["result", ref.step, ...(ref.field === undefined ? [] : [ref.field])].join(".")
      : ref.root
const fill = (text: string): string => expand(text, (ref) => values.get(nameOf(ref))).text

describe("expand", () => {
  test("[F40] known forms get their value, spaces just inside the braces allowed", () => {
    expect(fill("a ${{task}} b ${{ result.a.summary }} ${{\ttask }}")).toBe("a T b S T")
    expect(fill("${{result.a}}${{task}}")).toBe("wholeT")
  })

  test("[F40] a known form without a value is empty, and is named once", () => {
    expect(expand("[${{input.x}}] [${{ input.x }}] [${{config.k}}]", () => undefined)).toEqual({
      text: "[] [] []",
      missing: ["input.x", "config.k"],
      cut: false,
    })
  })

  test("[F40] unknown forms stay as they are written", () => {
    for (const text of [
      "${{ two words }}",
      "${{}}",
      "${{nope.x}}",
      "${{task",
      "${ {task}}",
      "{task}",
      "${{result}}",
      "${{task.more}}",
      "${{result..a}}",
      "${{result.a.b.c}}",
    ])
      expect(fill(text)).toBe(text)
    expect(fill("${{ ${{task}} }}")).toBe("${{ T }}")
  })

  test("[F40] of several operands it is the first that has a value, and an empty text is one", () => {
    const see = (all: Record<string, string>) => (text: string) => expand(text, (ref) => all[nameOf(ref)])
    expect(see({ "result.b": "B", task: "T" })("[${{result.a ?? result.b ?? task}}]").text).toBe("[B]")
    expect(see({ "result.a": "", task: "T" })("[${{result.a??task}}]").text).toBe("[]")
    expect(see({})("[${{ result.a.summary\t??  result.b }}] ${{result.b}}")).toEqual({
      text: "[] ",
      missing: ["result.a.summary\t??  result.b", "result.b"],
      cut: false,
    })
    expect(see({ 'result.x ?? "y': "Q" })("${{result['x ?? \"y'] ?? task}}").text).toBe("Q")
  })

  test("[F40] with an operand that is none the whole form stays as it is written", () => {
    for (const text of [
      "${{task ?? }}",
      "${{ ?? task}}",
      "${{task ?? nope.x}}",
      "${{task ?? 'none'}}",
      "${{task ? task}}",
      "${{task ?? ?? task}}",
    ])
      expect(fill(text)).toBe(text)
    expect(fill("$${{task ?? result.a}}")).toBe("${{task ?? result.a}}")
  })

  test("[F41] each operand is a reference with its own place; alone in a template, all are its operands", () => {
    const text = "say ${{ result.a ?? flow.input.b ?? config['c d'] }} and ${{task}}"
    const found = references(text)
    expect(found.map(({ raw }) => raw)).toEqual(["result.a", "flow.input.b", "config['c d']", "${{task}}"])
    for (const { raw, offset } of found) expect(text.slice(offset, offset + raw.length)).toBe(raw)
    expect(onlyOperands(" ${{result.a ?? task}} ")).toEqual([{ root: "result", step: "a" }, { root: "task" }])
    expect([onlyOperands("${{a ?? task}}"), onlyOperands("x ${{task}}"), onlyReference("${{result.a ?? task}}")]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(literalLength(text)).toBe("say  and ".length)
  })

  test("[F40] $${{ writes a literal ${{", () => {
    expect(fill("$${{task}} ${{task}}")).toBe("${{task}} T")
    expect(fill("$${{ no form")).toBe("${{ no form")
    expect(fill("$ ${{task}}")).toBe("$ T")
  })

  test("[F40] $$ before {{ is one $, so that a sign can stand before a value", () => {
    const signs = ["$", "$$", "$$$", "$$$$", "$$$$$", "$$$$$$"].map((s) => fill(`pay ${s}{{task}} now`))
    expect(signs).toEqual(["pay T now", "pay ${{task}} now", "pay $T now", "pay $${{task}} now", "pay $$T now", "pay $$${{task}} now"])
    expect(fill("$$ {{task}} $$${{nope}} $$x")).toBe("$$ {{task}} $${{nope}} $$x")
    expect(fill("${{task}}$$${{task}}$${{task}}")).toBe("T$T${{task}}")
    expect(keptForms("$$${{task}} $${{task}} $$${{ $${{ two words }} $$$${{config.a}}").map(({ raw, offset }) => [raw, offset])).toEqual([
      ["$${{task}}", 12],
      ["$${{config.a}}", 49],
    ])
  })

  test("[F40] any text can be written so that it stays as it is", () => {
    const bits = fc.constantFrom("$", "{", "{{", "}}", "${{", "task", " ", "x", "$${{task}}")
    fc.assert(
      fc.property(
        fc.array(bits, { maxLength: 12 }).map((p) => p.join("")),
        (text) => {
          expect(fill(literally(text))).toBe(text)
        },
      ),
      { numRuns: 2000 },
    )
    const spent = cpuClock()
    literally("$".repeat(1_000_000))
    expect(spent()).toBeLessThan(1_000)
  })

  test("[F40] inserted text is never expanded again", () => {
    const hostile = fc.oneof(fc.string(), fc.constantFrom("${{task}}", "$&", "$1", "${{", "}}", "$", "$${{task}}"))
    fc.assert(
      fc.property(
        fc.array(hostile, { maxLength: 5 }).map((p) => p.join("")),
        fc.string().filter((s) => !s.includes("$") && !s.includes("{")),
        (inserted, around) => {
          expect(expand(`${around}\${{task}}${around}`, () => inserted).text).toBe(`${around}${inserted}${around}`)
        },
      ),
    )
  })

  test("[F40] a text without forms is itself, and expanding never throws", () => {
    const bits = fc.constantFrom("$", "{", "}", "${{", "}}", "task", "result.a", ".", " ", "x", "\n", "$${{")
    fc.assert(
      fc.property(
        fc.array(bits, { maxLength: 40 }).map((p) => p.join("")),
        (text) => {
          const out = expand(text, () => "")
          if (!text.includes("${{")) expect(out.text).toBe(text)
          expect(references(text).every(({ raw, offset }) => text.startsWith(raw, offset))).toBe(true)
        },
      ),
      { numRuns: 2000 },
    )
  })

  test("[F40] half a megabyte of broken forms takes no longer than its length", () => {
    const spent = cpuClock()
    for (const bit of ["${{", "${{ ", "${{a", "$${{", "${{task}}", "${{a.b.c.d.e}}", "${{a ?? ", " ?? a"]) {
      const text = bit.repeat(Math.floor(500_000 / bit.length))
      expand(text, () => "")
      references(text)
    }
    expect(spent()).toBeLessThan(32_000)
  })
})

describe("references", () => {
  test("[F41] every root", () => {
    const forms = [
      "task",
      "input.doc-1",
      "flow.input.topic",
      "config.tone",
      "result.a",
      "result.a.files",
      "loop.l.iteration",
      "loop.l.max",
      "fork.f.answer",
      "fork.f.notes",
      "run.id",
      "trigger.headers.x-y",
    ]
    expect(forms.map((f) => parseReference(f))).toEqual([
      { root: "task" },
      { root: "input", name: "doc-1" },
      { root: "flow.input", name: "topic" },
      { root: "config", key: "tone" },
      { root: "result", step: "a" },
      { root: "result", step: "a", field: "files" },
      { root: "loop", step: "l", field: "iteration" },
      { root: "loop", step: "l", field: "max" },
      { root: "fork", step: "f", field: "answer" },
      { root: "fork", step: "f", field: "notes" },
      { root: "run", field: "id" },
      { root: "trigger", path: ["headers", "x-y"] },
    ])
  })

  test("[F41] what is near the grammar but not in it", () => {
    for (const form of [
      "",
      "Task",
      "input",
      "input.a.b",
      "flow.topic",
      "flow.input",
      "loop.l",
      "loop.l.count",
      "fork.f",
      "run.name",
      "run",
      "trigger",
      "secrets.x",
      "__proto__",
      "constructor.constructor",
    ])
      expect(parseReference(form)).toBeUndefined()
  })

  test("[F41] an old id that holds a dot: the longest id that fits wins", () => {
    const ids = ["v1", "v1.0", "v1.0.1"]
    expect(parseReference("result.v1.0.summary", ids)).toEqual({ root: "result", step: "v1.0", field: "summary" })
    expect(parseReference("result.v1.0.1", ids)).toEqual({ root: "result", step: "v1.0.1" })
    expect(parseReference("result.v1.summary", ids)).toEqual({ root: "result", step: "v1", field: "summary" })
    expect(parseReference("loop.v1.0.max", ids)).toEqual({ root: "loop", step: "v1.0", field: "max" })
    expect(expand("${{result.v1.0.summary}}", (ref) => nameOf(ref), ids).text).toBe("result.v1.0.summary")
  })

  test("[F40] a broken form is quoted up to its end", () => {
    expect(references("x ${{ a b }} y").map((r) => [r.raw, r.offset])).toEqual([["${{ a b }}", 2]])
    expect(references("x ${{ open\nmore").map((r) => r.raw)).toEqual(["${{ open"])
  })
})

test("[F41] values at a text border", () => {
  expect([asText("x"), asText(1.5), asText(true), asText(null), asText(undefined), asText({ a: [1] }), asText([])]).toEqual([
    "x",
    "1.5",
    "true",
    "",
    "",
    '{"a":[1]}',
    "[]",
  ])
})
