// The body of an AG-UI request [P2, P3, P20], reasoning that a broken stream tells again [P11], and answers of a resume [P20].

import { expect, test } from "vitest"
import { answerOf } from "../../../src/protocols/agui/interrupt.ts"
import { readAgui } from "../../../src/protocols/agui/body.ts"
import { Spans } from "../../../src/protocols/agui/spans.ts"

const input = (more: object = {}): object => ({ threadId: "t", runId: "r", messages: [{ id: "1", role: "user", content: "go" }], ...more })
const pointers = (body: unknown): string[] => {
  const read = readAgui(body)
  return (read.ok ? (read.value.unsaid ?? []) : read.error).map(({ pointer }) => pointer)
}

test("[P2] [P19] the last user message is the text; what stood before, and the context, is the conversation", () => {
  const messages = [
    { id: "1", role: "developer", content: "be kind" },
    { id: "2", role: "user", content: "first" },
    { id: "3", role: "assistant", toolCalls: [{ id: "c" }] },
    { id: "4", role: "reasoning", content: "hidden" },
    { id: "5", role: "tool", toolCallId: "c", content: "hidden" },
    { id: "6", role: "constructor", content: "hidden" },
    {
      id: "7",
      role: "user",
      content: [
        { type: "text", text: "la" },
        { type: "text", text: "st" },
      ],
    },
    { id: "8", role: "assistant", content: "after" },
  ]
  expect(
    readAgui(input({ messages, context: [{ description: "the page", value: "7" }, null, { description: "", value: "" }], tools: 7 })),
  ).toMatchObject({
    ok: true,
    value: {
      text: "last",
      before: [
        { role: "system", text: "be kind" },
        { role: "user", text: "first" },
        { role: "system", text: "the page: 7" },
      ],
    },
  })
})

test("[P3] data is a file, an address a line, a file of a provider a fault", () => {
  const part = (source: object): object => input({ messages: [{ id: "1", role: "user", content: [{ type: "image", source }] }] })
  expect(readAgui(part({ type: "data", value: "aGk=", mimeType: "image/png" }))).toMatchObject({
    value: { attached: { lines: ["Attached: attachments/file.png"] } },
  })
  expect(readAgui(part({ type: "url", value: "https://example.com/a.png" }))).toMatchObject({
    value: { attached: { files: {}, lines: ["Attached: https://example.com/a.png"] } },
  })
  expect(pointers(part({ type: "file", value: "file-1" }))).toEqual(["/messages/0/content/0/source"])
})

test("[P21] a body of another form is refused by its places", () => {
  expect(pointers({ threadId: "x" })).toEqual(["/runId", "/messages"])
  expect(pointers([])).toEqual([""])
  expect(pointers(input({ threadId: "x".repeat(257), runId: "r".repeat(257) }))).toEqual(["/threadId", "/runId"])
  expect(pointers(input({ runId: "r".repeat(256) }))).toEqual([])
  expect(pointers(input({ messages: [] }))).toEqual(["/messages"])
  expect(pointers(input({ messages: [{ role: "user", content: " " }] }))).toEqual(["/messages/0/content"])
  expect(pointers(input({ forwardedProps: { sluice: 7 } }))).toEqual(["/forwardedProps/sluice"])
  expect(pointers(input({ resume: [{ interruptId: 1 }, { interruptId: "a", status: "done" }] }))).toEqual([
    "/resume/0/interruptId",
    "/resume/1/status",
  ])
  const many = (n: number): object =>
    input({ messages: [], resume: Array.from({ length: n }, () => ({ interruptId: "a", status: "cancelled" })) })
  expect([pointers(many(100)), pointers(many(101))]).toEqual([[], ["/resume"]])
})

test("[P20] an approval takes `approved`, edited arguments and a reason; a cancellation fits every kind", () => {
  const decide = (decision: string, properties: object, required: string[]): object => ({
    type: "object",
    properties: { decision: { const: decision }, ...properties },
    required,
    additionalProperties: false,
  })
  const text = { type: "string" }
  const approval = {
    kind: "approval.tool" as const,
    payload: { tool: "t", args: {}, hash: "h" },
    schema: {
      oneOf: [
        decide("approve", { hash: text, feedback: text }, ["decision"]),
        decide("reject", { feedback: text }, ["decision"]),
        decide("edit", { args: { type: "object" }, hash: text, feedback: text }, ["decision", "args"]),
      ],
    },
  } as unknown as Parameters<typeof answerOf>[0]
  const answer = (payload: object | string): unknown =>
    answerOf(approval, { interruptId: "i", status: "resolved", payload: payload as never })
  expect(answer({ approved: true, unknown: 1 })).toEqual({ decision: "approve", hash: "h" })
  expect(answer({ approved: false, reason: "no" })).toEqual({ decision: "reject", feedback: "no" })
  expect(answer({ approved: true, editedArgs: { a: 1 } })).toEqual({ decision: "edit", args: { a: 1 }, hash: "h" })
  for (const wrong of ["approve", {}, { approved: "yes" }, { approved: true, editedArgs: "x" }, { decision: "approve" }])
    expect(answer(wrong)).toBe(undefined)
  expect(answerOf(approval, { interruptId: "i", status: "cancelled" })).toEqual({ decision: "reject" })
  const stop = { oneOf: [{ type: "object", properties: { answer: { const: "stop" } }, required: ["answer"], additionalProperties: false }] }
  expect(answerOf({ kind: "budget", payload: {}, schema: stop }, { interruptId: "i", status: "cancelled" })).toEqual({ answer: "stop" })
})

test("[P11] reasoning that is told again after a break is told once", () => {
  const spans = new Spans()
  const say = (type: string, delta?: string): unknown =>
    spans.next({ type, messageId: "m", ...(delta === undefined ? {} : { delta }) })?.["type"]
  const told = (delta: string): unknown => spans.next({ type: "REASONING_MESSAGE_CONTENT", messageId: "m", delta })?.["delta"]
  expect([say("REASONING_START"), say("REASONING_MESSAGE_START"), told("abc")]).toEqual([
    "REASONING_START",
    "REASONING_MESSAGE_START",
    "abc",
  ])
  expect([say("REASONING_START"), say("REASONING_MESSAGE_START"), told("ab"), told("cde")]).toEqual([undefined, undefined, undefined, "de"])
  expect([say("REASONING_MESSAGE_END"), say("REASONING_END")]).toEqual(["REASONING_MESSAGE_END", "REASONING_END"])
})
