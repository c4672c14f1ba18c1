import { expect, test } from "vitest"
import { evalsRows, isEvals } from "../../../src/core/dataset/import/evals.ts"
import { promptfooRows } from "../../../src/core/dataset/import/promptfoo.ts"
import { rowFaults } from "../../../src/core/dataset/row-faults.ts"

const inputs = new Set(["topic", "lang"])

test("[V31] a promptfoo file's vars become inputs, and what is none becomes the task", () => {
  const { rows, left_out } = promptfooRows(
    {
      prompts: ["Write about {{topic}}"],
      providers: ["openai:x"],
      defaultTest: { vars: { lang: "en" }, assert: [{ type: "llm-rubric", value: "is polite" }] },
      tests: [
        { description: "bread", vars: { topic: "bread", question: "Why?" }, assert: [{ type: "equals", value: "Flour." }] },
        {
          vars: { a: 1, b: "x" },
          assert: [
            { type: "icontains", value: "A+1" },
            { type: "llm-rubric", value: "is short" },
          ],
        },
      ],
    },
    inputs,
  )
  expect(rows).toEqual([
    { name: "bread", task: "Why?", inputs: { topic: "bread", lang: "en" }, expect: { answer: "Flour." }, criteria: "is polite" },
    { task: "a: 1\nb: x", inputs: { lang: "en" }, expect: { answer: { matches: "[aA]\\+1" } }, criteria: "is polite\nis short" },
  ])
  expect(left_out.map(({ at }) => at)).toEqual(["/prompts", "/providers"])
  expect(rows.flatMap((row) => rowFaults(row, ""))).toEqual([])
})

test("[V31] whatever a promptfoo file says that a row cannot is named", () => {
  const tests = [
    "more.yaml",
    { vars: { topic: ["a", "b"] } },
    {
      vars: { topic: "a" },
      threshold: 1,
      assert: [
        { type: "javascript", value: "x" },
        { type: "contains", value: "a.b", weight: 2 },
        { type: "regex", value: "c" },
      ],
    },
  ]
  const { rows, left_out } = promptfooRows({ tests }, inputs)
  expect(rows).toEqual([{ inputs: { topic: "a" }, expect: { answer: { matches: "a\\.b" } } }])
  expect(left_out.map(({ at }) => at)).toEqual([
    "/tests/0",
    "/tests/1/vars/topic",
    "/tests/2/threshold",
    "/tests/2/assert/0",
    "/tests/2/assert/1/weight",
    "/tests/2/assert/2",
  ])
  expect(promptfooRows({ tests: "cases.csv" }, inputs)).toMatchObject({ rows: [], left_out: [{ at: "/tests" }] })
})

test("[V31] an eval's item is like vars, and its reference is the member that is named", () => {
  const line = { item: { topic: "bread", ticket: "It burns.", label: "oven" } }
  expect(evalsRows([line], { inputs, expected: "label" })).toEqual({
    rows: [{ task: "It burns.", inputs: { topic: "bread" }, expect: { answer: "oven" } }],
    left_out: [],
  })
  expect(evalsRows([line], { inputs }).rows[0]?.task).toBe("ticket: It burns.\nlabel: oven")
})

test("[V31] an eval's last message of the user is the task, and what precedes it the conversation", () => {
  const input = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Yes?" },
    { role: "user", content: "2+2?" },
  ]
  const { rows, left_out } = evalsRows([{ input, ideal: ["4", "four."] }, { input: "5?", ideal: "5", id: 7 }, { input: [] }, 3], { inputs })
  expect(rows).toEqual([
    {
      task: "2+2?",
      conversation: [
        { role: "system", text: "Be brief." },
        { role: "user", text: "Hello" },
        { role: "assistant", text: "Yes?" },
      ],
      expect: { answer: { matches: "^(?:4|four\\.)$" } },
    },
    { task: "5?", expect: { answer: "5" } },
  ])
  expect(left_out.map(({ at }) => at)).toEqual(["/1/id", "/2", "/3"])
  expect([isEvals({ task: "x" }), isEvals({ item: {} }), isEvals({ input: "x" })]).toEqual([false, true, true])
  expect(rows.flatMap((row) => rowFaults(row, ""))).toEqual([])
})
