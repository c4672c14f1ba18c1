// What the pages of agents compute: what a column asks, how answers compare, and what the editor offers.

import { describe, expect, test } from "vitest"
import { alike, costWords, wishOf, type Column } from "../../web/agent/column.ts"
import { completions, inputsIn } from "../../web/agent/complete.ts"
import { fileKeys } from "../../web/flow/file-keys.ts"
import { bodyOf } from "../../web/agent/prompt-text.ts"

const COLUMN: Column = { id: 0, name: "First", model: "", prompt: "recorded", text: "own words" }
const TEXTS = { draft: "the draft", live: "as saved" }
const said = (...toolCalls: { readonly name: string; readonly args: Record<string, never> | object }[]) => ({
  reply: { text: "", toolCalls: toolCalls.map((call, at) => ({ id: `c${at}`, name: call.name, args: { ...call.args } })) },
})

describe("a column", () => {
  test("[K19] asks only for what it changes", () => {
    expect(wishOf(COLUMN, TEXTS)).toEqual({})
    expect(wishOf({ ...COLUMN, model: " p/m ", thinking: "low" }, TEXTS)).toEqual({ model: "p/m", thinking: "low" })
    expect(wishOf({ ...COLUMN, prompt: "draft" }, TEXTS)).toEqual({ prompt: "the draft" })
    expect(wishOf({ ...COLUMN, prompt: "draft" }, { live: "as saved", draft: undefined })).toEqual({ prompt: "as saved" })
    expect(wishOf({ ...COLUMN, prompt: "live" }, TEXTS)).toEqual({ prompt: "as saved" })
    expect(wishOf({ ...COLUMN, prompt: "own" }, TEXTS)).toEqual({ prompt: "own words" })
  })

  test("[K19] makes the same call whatever the order of its arguments and its id", () => {
    const recorded = said({ name: "pay", args: { to: "a", sum: { of: 1, in: "usd" } } })
    expect(alike(recorded, said({ name: "pay", args: { sum: { in: "usd", of: 1 }, to: "a" } }))).toBe("same")
    expect(alike(recorded, said({ name: "pay", args: { to: "b" } }))).toBe("arguments")
    expect(alike(recorded, said({ name: "look", args: {} }))).toBe("other")
    expect(alike(recorded, said({ name: "pay", args: {} }, { name: "pay", args: {} }))).toBe("other")
    expect(alike(recorded, said())).toBe("none")
    expect(alike(said(), said())).toBe("same")
    expect(alike(null, said())).toBe("same")
  })

  test.each([
    [0.1, 0.014, "86% cheaper"],
    [0.1, 0.2, "100% more expensive"],
    [0.1, 0.1, undefined],
    [null, 0.1, undefined],
    [0, 0.1, undefined],
    [0.1, null, undefined],
  ])("[K19] beside %s a cost of %s is %s", (recorded, now, words) => {
    expect(costWords(recorded, now)).toBe(words)
  })
})

describe("an agent's file", () => {
  const known = { tools: ["read", "pay"], skills: ["docs"], agents: ["b"], inputs: ["who"] }
  const file = "---\nname: a\ntools:\n  - re\nskills: [d]\nthinking: \nthi\n---\nHelp ${{in\n"
  const labels = (before: string): readonly string[] =>
    completions(file.slice(0, file.indexOf(`\n${before}`) + 1) + before, file, fileKeys(), known).map(({ label }) => label)

  test("offers what fits the line", () => {
    expect(labels("thi")).toEqual(expect.arrayContaining(["max_output_tokens", "access", "model"]))
    expect(labels("  - re")).toEqual(["read", "pay"])
    expect(labels("skills: [d")).toEqual(["docs"])
    expect(labels("thinking: ")).toContain("high")
    expect(labels("Help ${{in")).toEqual(["task}}", "input.who}}"])
    expect(labels("Help ${{input.who ?? ta")).toEqual(["task}}", "input.who}}"])
    expect(labels("Help")).toEqual([])
  })

  test("has its inputs in its head, and its prompt below it", () => {
    expect(inputsIn("---\ninputs: [who, what]\n---\n")).toEqual(["who", "what"])
    expect(inputsIn("---\nname: a\n---\n")).toEqual([])
    expect(bodyOf("---\nname: a\n---\nSay it.\n\n---\nAnd more.\n")).toBe("Say it.\n\n---\nAnd more.")
    expect(bodyOf("no head")).toBe("no head")
    expect(bodyOf("---\r\nname: a\r\n---\r\nSay it.")).toBe("Say it.")
  })
})
