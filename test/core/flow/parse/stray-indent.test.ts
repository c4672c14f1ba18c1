import { describe, expect, test } from "vitest"
import { readYaml } from "../../../../src/core/flow/parse/source.ts"
import { strayLines } from "../../../../src/core/flow/parse/stray-indent.ts"

const yaml = (...lines: readonly string[]): string => `${lines.join("\n")}\n`
const faults = (text: string): readonly string[] =>
  readYaml(text, "FV").diagnostics.map(({ line, column, suggestion }) => `${line}:${column} ${suggestion}`)

const HEAD = ["name: f", "description: d", "steps:", "  - id: a", "    type: agent"]

describe("a line with a wrong indent", () => {
  test.each([
    ["one space too deep", yaml(...HEAD, "     agent: w", "    task: t"), ["6:6 indent it by 4 spaces"]],
    ["one space too few", yaml(...HEAD, "   agent: w", "    task: t"), ["6:4 indent it by 4 spaces"]],
    ["a dash too deep", yaml(...HEAD, "   - id: b", "     type: agent"), ["6:4 indent it by 2 spaces"]],
    ["below the first key", yaml("name: f", " description: d", "steps: []"), ["2:2 remove the spaces"]],
    ["in an inner mapping", yaml(...HEAD, "    inputs:", "       a: b", "      c: d"), ["8:7 indent it by 7 spaces"]],
  ])("[F2] is named itself: %s", (_, text, expected) => {
    expect(faults(text)).toEqual(expected)
  })

  test.each([
    [
      "a file as it should be",
      yaml(
        ...HEAD,
        "    inputs: { a: b }",
        "    retry:",
        "      max: 2",
        "  - id: b",
        "    task: |",
        "      deep",
        "        key: more",
        "    type: agent",
      ),
    ],
    ["items below their key without an indent", yaml("a:", "- b: 1", "  c: 2", "- b: 3", "d: 4")],
    ["a list in a list", yaml("a:", "  - - b", "    - c", "  - d: 1", "    e:", "      - f: 2")],
    ["an entry below a comment", yaml("a: # why", "  b: 1", "c: > # folded", "  text: not a key", "   more: too", "d: 1")],
    ["a text over two lines", yaml("a: begins here", "  and ends here", "b: 1")],
  ])("[F2] there is none in %s", (_, text) => {
    expect(strayLines(text)).toEqual([])
    expect(readYaml(text, "FV").diagnostics).toEqual([])
  })
})
