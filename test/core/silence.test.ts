import { describe, expect, test } from "vitest"
import type { Diagnostic } from "../../src/core/diagnostic.ts"
import { allowancesIn, silence, strayAllowances } from "../../src/core/silence.ts"

const at = (line: number, severity: Diagnostic["severity"] = "warning", code: Diagnostic["code"] = "FV-REF-ORDER"): Diagnostic => ({
  code,
  line,
  severity,
  message: "m",
})
const silencedLines = (text: string, list: readonly Diagnostic[]): readonly number[] =>
  silence(list, allowancesIn(text)).flatMap(({ line, silenced }) => (silenced === undefined ? [] : [line]))
const stray = (text: string, list: readonly Diagnostic[]): readonly string[] =>
  strayAllowances(list, allowancesIn(text)).map(({ line, message }) => `${line} ${message}`)

const lines = (...all: readonly string[]): string => all.join("\n")
const every = (text: string): readonly Diagnostic[] => text.split("\n").map((_, i) => at(i + 1))

describe("a comment `sluice-allow`", () => {
  test.each([
    ["on a line is for it", lines("name: f", "task: x # sluice-allow FV-REF-ORDER: one branch ran", "other: y"), [2]],
    [
      "above an entry is for all of it",
      lines("name: f", "# sluice-allow FV-REF-ORDER: why", "task: |", "  a", "", "  b", "next: c"),
      [3, 4, 5, 6],
    ],
    [
      "above an item is for its keys",
      lines("steps:", "  # sluice-allow FV-REF-ORDER: why", "  # and a word", "  - id: a", "    task: b", "  - id: c"),
      [4, 5],
    ],
    ["at the head is for the whole file", lines("# sluice-allow FV-REF-ORDER: why", "name: f", "task: x"), [1, 2, 3]],
    ["at the head of frontmatter too", lines("---", "# sluice-allow FV-REF-ORDER: why", "name: f", "---", "body"), [1, 2, 3, 4, 5]],
    ["in a handler begins with slashes", lines("const a = 1", "// sluice-allow FV-REF-ORDER: why", "const b = 2", "const c = 3"), [3]],
    ["may name several codes", lines("name: f", "# sluice-allow AV-TOOLS, FV-REF-ORDER: why", "task: x"), [3]],
    ["of another code is for none", lines("name: f", "# sluice-allow AV-TOOLS: why", "task: x"), []],
    ["without a reason is for none", lines("name: f", "# sluice-allow FV-REF-ORDER", "task: x"), []],
  ])("[F54d] %s", (_, text, expected) => {
    expect(silencedLines(text, every(text))).toEqual(expected)
  })

  test("[F54d] never silences an error, and keeps the reason with the warning", () => {
    const text = "task: x # sluice-allow FV-REF-ORDER:  one of two ran \n"
    expect(silence([at(1, "error"), at(1)], allowancesIn(text))).toEqual([at(1, "error"), { ...at(1), silenced: "one of two ran" }])
  })

  test.each([
    ["# sluice-allow", "1 this comment names no code"],
    ["# sluice-allow: it is fine", "1 this comment names no code"],
    ["# sluice-allow FV-REF-ORDER", "1 this comment gives no reason"],
    ["# sluice-allow FV-REF-ORDER:", "1 this comment gives no reason"],
    ["# sluice-allow AV-TOOLS, FV-REF-ORDER: why", "1 there is no warning AV-TOOLS"],
  ])("[F54d] %s is a warning itself", (comment, said) => {
    expect(stray(`${comment}\nname: f`, [at(2)])).toEqual([expect.stringContaining(said)])
  })

  test("[F54d] that silences something is none", () => {
    expect(stray("# sluice-allow FV-REF-ORDER: why\nname: f", [at(2)])).toEqual([])
  })
})
