import { expect, test } from "vitest"
import { RecordedAnswers } from "../../../src/core/experiment/recorded-answers.ts"
import { rowPlan } from "../../../src/core/experiment/row-plan.ts"

const events = [
  { seq: 2, type: "step.opened", step: "look", pass: 1 },
  { seq: 5, type: "step.opened", step: "ask", pass: 1 },
  { seq: 6, type: "child.started", step: "ask", pass: 1, index: 0, run: "run_child" },
  { seq: 9, type: "step.opened", step: "look", pass: 2 },
] as never[]
const plan = (...verdicts: Parameters<typeof rowPlan>[0]) =>
  rowPlan(verdicts, events, (run) => (run === "run_child" ? "helper" : undefined))

test("[V33] a row is the same if no variant differs on the recording", () => {
  expect(plan({ result: "same" }, { result: "same" })).toEqual({ do: "same" })
})

test("[V33] one cut for all variants lies before the first step that differs in any of them", () => {
  expect(plan({ result: "diverged", step: "look", pass: 2 }, { result: "changed", step: "ask", pass: 1 })).toEqual({
    do: "fork",
    before: { step: "ask", pass: 1 },
  })
  expect(plan({ result: "same" }, { result: "changed", step: "look", pass: 2 })).toMatchObject({ before: { step: "look", pass: 2 } })
})

test("[V33] in a child the cut lies before the step that started it, and for outputs alone before the end", () => {
  expect(plan({ result: "diverged", step: "helper/inner", pass: 1 })).toEqual({ do: "fork", before: { step: "ask", pass: 1 } })
  expect(plan({ result: "changed" }, { result: "same" })).toEqual({ do: "fork", before: "end" })
  expect(plan({ result: "changed" }, { result: "diverged", step: "look", pass: 2 })).toMatchObject({ before: { step: "look", pass: 2 } })
})

test("[V33] where the recording has no such place, trials start at the beginning, and say why", () => {
  expect(plan({ result: "diverged", step: "fresh", pass: 1 })).toEqual({ do: "start", why: "the recorded run never opened fresh" })
  expect(plan({ result: "diverged", step: "other/x", pass: 1 })).toMatchObject({ do: "start" })
  expect(plan({ result: "failed", message: "a definition is lost" })).toEqual({ do: "start", why: "a definition is lost" })
})

const replied = (step: string, ...calls: [id: string, args: object][]) => ({
  type: "model.replied",
  step,
  toolCalls: calls.map(([id, args]) => ({ id, name: "fetch", args })),
})
const returned = (step: string, callId: string, text: string, more = {}) => ({
  type: "tool.returned",
  step,
  callId,
  tool: "fetch",
  content: [{ type: "text", text }],
  ...more,
})

test("[V35] the n-th equal call of a step gets the n-th recorded result, by its arguments and not by their order", () => {
  const recorded = new RecordedAnswers([
    replied("look", ["c1", { url: "a", n: 1 }], ["c2", { url: "b" }]),
    returned("look", "c2", "of b"),
    returned("look", "c1", "first of a"),
    replied("look", ["c1", { n: 1, url: "a" }]),
    returned("look", "c1", "second of a"),
    replied("look", ["c9", { url: "lost" }]),
    returned("look", "c9", "?", { uncertain: true }),
  ] as never[])
  const a = { step: "look", tool: "fetch", args: { url: "a", n: 1 } }
  const b = { step: "look", tool: "fetch", args: { url: "b" } }
  const text = (...asked: Parameters<RecordedAnswers["result"]>) => recorded.result(...asked)?.content[0]
  expect(text(a, 0)).toMatchObject({ text: "first of a" })
  expect(text(b, 0)).toMatchObject({ text: "of b" })
  expect(text(a, 1)).toMatchObject({ text: "second of a" })
  expect(text(a, 2)).toBeUndefined()
  expect(text({ ...a, step: "other" }, 0)).toBeUndefined()
  expect(text({ ...a, args: { url: "lost" } }, 0)).toBeUndefined()
})

test("[V35] a call that was refused or kept takes its place, and has no answer to give", () => {
  const recorded = new RecordedAnswers([
    replied("look", ["c1", { url: "a" }], ["c2", { url: "a" }], ["c3", { url: "a" }]),
    { type: "tool.refused", step: "look", callId: "c1", tool: "fetch" },
    returned("look", "c2", "kept", { staged: true }),
    returned("look", "c3", "third", { isError: true, details: { n: 3 }, tainted: true, private: true, digest: "d" }),
  ] as never[])
  const a = { step: "look", tool: "fetch", args: { url: "a" } }
  expect([recorded.result(a, 0), recorded.result(a, 1)]).toEqual([undefined, undefined])
  expect(recorded.result(a, 2)).toEqual({
    isError: true,
    content: [{ type: "text", text: "third" }],
    details: { n: 3 },
    digest: "d",
    untrusted: true,
    private: true,
  })
})

test("[V35] a question gets the recorded answer of its step and kind, in order", () => {
  const recorded = new RecordedAnswers([
    { type: "interaction.asked", id: "i1", step: "ask", kind: "ask_user" },
    { type: "interaction.asked", id: "i2", step: "ask", kind: "approval" },
    { type: "interaction.answered", id: "i2", decision: "approve" },
    { type: "interaction.answered", id: "i1", answer: "left" },
  ] as never[])
  expect(recorded.answer("ask", "ask_user", 0)).toMatchObject({ answer: "left" })
  expect(recorded.answer("ask", "approval", 0)).toMatchObject({ decision: "approve" })
  expect([recorded.answer("ask", "ask_user", 1), recorded.answer("look", "ask_user", 0)]).toEqual([undefined, undefined])
})
