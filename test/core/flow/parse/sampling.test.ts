// The sampling fields of agents [F50] and lists of models [F52].

import { describe, expect, test } from "vitest"
import { parseAgent } from "../../../../src/core/language/parse-agent.ts"

const parsed = (lines: string): ReturnType<typeof parseAgent> =>
  parseAgent(`---\nname: a\ndescription: d\ntools: read\n${lines}\n---\nDo it. \${{task}}\n`, {
    tools: new Set(["read"]),
    skills: new Set(),
  })
const codes = (lines: string): string[] => parsed(lines).diagnostics.map((d) => d.code)

describe("sampling", () => {
  test("[F50] top_p, seed and stop are read", () => {
    const { agent, diagnostics } = parsed('model: "@fast"\ntop_p: 0.9\nseed: 7\nstop: ["END", ",", "a, b"]')
    expect(diagnostics).toEqual([])
    expect(agent).toMatchObject({ top_p: 0.9, seed: 7, stop: ["END", ",", "a, b"] })
    expect(parsed('model: "@fast"\nstop: END').agent?.stop).toEqual(["END"])
    expect(parsed('model: "@fast"').agent).not.toHaveProperty("stop")
  })

  test.each([
    "top_p: 1.1",
    "top_p: -1",
    "top_p: much",
    "seed: 1.5",
    "seed: -1",
    "seed: x",
    "stop: { a: b }",
    `stop: [${"x, ".repeat(17)}x]`,
    `stop: "${"x".repeat(201)}"`,
  ])("[F50] %s is AV-FIELD", (line) => {
    expect(codes(`model: "@fast"\n${line}`)).toEqual(["AV-FIELD"])
  })
})

describe("a list of models", () => {
  test.each([
    ["model: [one/m, two/n]", "one/m, two/n", undefined],
    ["model: one/m, two/n", "one/m, two/n", undefined],
    ["model:\n  - one/m:high\n  - two/n:low\n  - '@fast'", "one/m, two/n:low, @fast", "high"],
    ["model: [one/m:high, two/n:low]\nthinking: max", "one/m, two/n:max", "max"],
    ["model: [llama3:8b, qwen:7b]", "llama3:8b, qwen:7b", undefined],
  ])("[F52] %s", (lines, model, thinking) => {
    const { agent, diagnostics } = parsed(lines)
    expect(diagnostics).toEqual([])
    expect([agent?.model, agent?.thinking]).toEqual([model, thinking])
  })

  test.each(["model: [one/m, two/]", "model: [one/m, '@']", "model: [one/m, 'a b']", `model: [${"one/m, ".repeat(9)}two/n]`])(
    "[F52] %s is AV-MODEL",
    (lines) => {
      expect(codes(lines)).toEqual(["AV-MODEL"])
      expect(parsed(lines).agent).toBeUndefined()
    },
  )

  test("[F52] a list that holds no text is a fault", () => {
    expect(codes("model: [{ a: b }]")).toContain("AV-FIELD")
    expect(codes("model: { a: b }")).toContain("AV-FIELD")
    expect(codes("model: []")).toEqual(["AV-MODEL"])
  })
})
