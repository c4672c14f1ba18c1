import { expect, test } from "vitest"
import { recordedRow } from "../../../src/core/dataset/recorded-row.ts"
import { rowFaults } from "../../../src/core/dataset/row-faults.ts"

const started = (more: object) => ({ type: "run.started", ...more }) as never

test("[V30] a row of a run has what the run was given, and nothing that is empty", () => {
  expect(recordedRow({ task: "", inputs: {}, autonomous: false }, started({}), {})).toEqual({ row: {} })
  const given = { task: "Where?", inputs: { order: 7 }, autonomous: true }
  const more = { payload: { body: {} }, conversation: [{ role: "user", text: "Hello" }] }
  expect(recordedRow(given, started(more), { "a.txt": "x" }, { expect: { output: 4 } })).toEqual({
    row: { ...given, trigger: more.payload, conversation: more.conversation, files: { "a.txt": "x" }, expect: { output: 4 } },
  })
})

test("[V30] text from outside makes a row untrusted", () => {
  const view = { task: "x", inputs: {}, autonomous: false }
  expect(recordedRow(view, started({ tainted: true }), {}).untrusted).toBe(true)
  expect(recordedRow(view, started({ origins: [] }), {}).untrusted).toBe(true)
  expect(recordedRow(view, started({ files: [{ path: "a", hash: "", size: 1, tainted: true }] }), {}).untrusted).toBe(true)
})

test("[V29] a row's expectation is read like a test's, and its faults have their place", () => {
  expect(rowFaults({ expect: { status: "succeeded" }, answers: [{ decision: "approve" }] }, "/rows/0")).toEqual([])
  expect(rowFaults({ expect: { stats: "succeeded" } }, "/rows/2")).toMatchObject([{ pointer: "/rows/2/expect" }])
  expect(rowFaults({ answers: [{ nothing: 1 }] }, "/rows/0")[0]?.pointer).toBe("/rows/0/answers")
})

test("[V30] a correction takes the place of what the run gave: a text as the answer, anything else as the output", () => {
  const view = { task: "", inputs: {}, autonomous: false }
  const correction = { correction: "Order 7." }
  expect(recordedRow(view, started({}), {}, { expect: { output: 4 }, correction })).toEqual({ row: { expect: { answer: "Order 7." } } })
  expect(recordedRow(view, started({}), {}, { correction: { correction: { id: 7 } } }).row.expect).toEqual({ output: { id: 7 } })
  expect(recordedRow(view, started({}), {}, { correction: { ...correction, page: true } }).untrusted).toBe(true)
})
