// A text as the answer to a question [P6]: what is not clearly an answer decides nothing.

import { describe, expect, test } from "vitest"
import { answerOfText, questionText } from "../../../../src/core/run/protocol/person-text.ts"
import { askApproval, askUser } from "../../../../src/core/run/session/ask/interaction.ts"
import type { JsonObject } from "../../../../src/core/json.ts"

const ask = (args: JsonObject) => askUser("i1", "a", "w", { id: "c", name: "ask_user", args }, args)
const COLORS = ask({ question: "Which?", type: "select", options: ["red", "Deep Blue", "3"] })

describe("options", () => {
  test.each([
    ["red", "red"],
    ["  RED ", "red"],
    ["deep blue", "Deep Blue"],
    ["2", "Deep Blue"],
    // A label comes before a number.
    ["3", "3"],
    ["1", "red"],
  ])("[P6] %j is %j", (text, answer) => expect(answerOfText(COLORS, text)).toEqual({ answer }))

  test.each(["green", "", "0", "4", "red, please", "1.", "the red one", "red\nblue"])("[P6] %j is no answer", (text) =>
    expect(answerOfText(COLORS, text)).toBeUndefined(),
  )

  test("[P6] of several, any that exist, with commas between; one that does not exist spoils all", () => {
    const many = ask({ question: "Which?", type: "select", options: ["a", "b", "c"], multiSelect: true })
    expect(answerOfText(many, "b")).toEqual({ answer: ["b"] })
    expect(answerOfText(many, "3, A, a")).toEqual({ answer: ["c", "a"] })
    expect(answerOfText(many, "a, d")).toBeUndefined()
  })

  test("[P6] own words where the question takes them", () => {
    const open = ask({ question: "Which?", type: "select", options: ["a", "b"], allowCustom: true })
    expect(answerOfText(open, "something else")).toEqual({ custom: "something else" })
    expect(answerOfText(open, "B")).toEqual({ answer: "b" })
  })
})

test("[P6] a confirm takes yes and no, an input any text", () => {
  const sure = ask({ question: "Sure?", type: "confirm" })
  expect([answerOfText(sure, "Yes"), answerOfText(sure, " no ")]).toEqual([{ answer: true }, { answer: false }])
  for (const text of ["y", "true", "yes!", "ok"]) expect(answerOfText(sure, text)).toBeUndefined()
  expect(answerOfText(ask({ question: "Name?", type: "input" }), " Ada ")).toEqual({ answer: "Ada" })
})

describe("approvals", () => {
  const asked = askApproval(
    "i1",
    "a",
    { id: "c", name: "note", args: {} },
    { to: "x" },
    { reason: "policy", effect: "write", hash: "h", expires: 1 },
  )

  test("[P6] only the whole word approves, with the hash that was shown", () => {
    for (const text of ["approve", " Approve\n"]) expect(answerOfText(asked, text)).toEqual({ decision: "approve", hash: "h" })
    for (const text of ["yes", "approved", "sure, approve it", "APPROVE\nand more", "approve.", "1", "approve note", ""])
      expect(answerOfText(asked, text)).toBeUndefined()
  })

  test("[P6] reject, with or without a reason", () => {
    expect(answerOfText(asked, "reject")).toEqual({ decision: "reject" })
    expect(answerOfText(asked, "Reject: not\nnow")).toEqual({ decision: "reject", feedback: "not\nnow" })
    for (const text of ["reject it?", "rejected", "reject note", "reject:"]) expect(answerOfText(asked, text)).toBeUndefined()
  })

  test("[P6] the question shows the call", () => expect(questionText(asked)).toMatch(/note[\s\S]*"to": "x"[\s\S]*approve/))
})

test("[P6] options are shown with numbers from 1", () => expect(questionText(COLORS)).toBe("Which?\n\n1. red\n2. Deep Blue\n3. 3"))

describe("kept calls", () => {
  const effects = [
    { key: "a/1/0/tool/c0", run: "r", step: "a", pass: 1, tool: "send", args: { to: "bob" } },
    { key: "a/1/0/tool/c1", run: "r", step: "a", pass: 1, tool: "send", args: { to: "eve" } },
  ]
  const keys = effects.map(({ key }) => key)
  const commit = { oneOf: [{ const: "all" }, { type: "array", items: { enum: keys }, uniqueItems: true }] }
  const answer = { type: "object", properties: { commit }, required: ["commit"], additionalProperties: false }
  const schema = { oneOf: [{ type: "object", properties: { answer }, required: ["answer"], additionalProperties: false }] }
  const asked = { kind: "effects", payload: { effects }, schema } as const

  test("[K32] are shown with numbers, and a text chooses all, none, or some of them", () => {
    expect(questionText(asked)).toContain('2. send {"to":"eve"}')
    expect(answerOfText(asked, "All")).toEqual({ answer: { commit: "all" } })
    expect(answerOfText(asked, "none")).toEqual({ answer: { commit: [] } })
    expect(answerOfText(asked, "2, 1, 2")).toEqual({ answer: { commit: [keys[1], keys[0]] } })
    for (const text of ["3", "0", "yes", "all of them", "", "1 and 2"]) expect(answerOfText(asked, text)).toBeUndefined()
  })
})
