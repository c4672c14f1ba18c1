// A message from its stream: however often and from wherever it is played, it is the same message.

import { UiFrames } from "../../src/protocols/ui/frames.ts"
import { describe, expect, test } from "vitest"
import { goldens } from "../support/kernel/golden.ts"
import { isCall, newMessage, openAsks, take, textOf, type ChatMessage, type Chunk } from "../../web/chat/ui-message.ts"

const GOLDENS = await goldens(new URL("../fixtures/journals/5dace29/", import.meta.url))

const written = (chunks: readonly Chunk[], message = newMessage("assistant", "", 0)): ChatMessage => {
  for (const chunk of chunks) take(message, chunk)
  return message
}

const CALL = {
  type: "tool-input-available",
  toolCallId: "c1",
  toolName: "refund",
  input: { to: "a" },
  dynamic: true,
  providerExecuted: true,
}
const ASKED = { type: "tool-approval-request", approvalId: "run.i1", toolCallId: "c1", reason: "policy" }
const WAITS = {
  type: "finish",
  finishReason: "tool-calls",
  messageMetadata: { run: "run", status: "waiting", seq: 9, usage: { tokens: 5 } },
}
const DECIDED = { type: "tool-approval-response", approvalId: "run.i1", approved: true }
const RETURNED = { type: "tool-output-available", toolCallId: "c1", output: "sent", dynamic: true, providerExecuted: true }
const ANSWER = [
  { type: "text-start", id: "answer" },
  { type: "text-delta", id: "answer", delta: "It is " },
  { type: "text-delta", id: "answer", delta: "done." },
  { type: "text-end", id: "answer" },
  { type: "finish", messageMetadata: { run: "run", status: "succeeded", seq: 14, usage: { tokens: 7, usd: 0.5 } } },
]

describe("a message", () => {
  test("[P22] asks until it is decided, and then has a result and an answer", () => {
    const message = written([CALL, ASKED, WAITS])
    expect(openAsks(message).map(({ approval }) => approval)).toEqual([{ id: "run.i1", why: "policy" }])
    expect(message).toMatchObject({ status: "waiting", metadata: { run: "run", seq: 9, tokens: 5 } })
    written([DECIDED, RETURNED, ...ANSWER], message)
    expect(openAsks(message)).toEqual([])
    expect(message.parts.filter(isCall)).toMatchObject([{ state: "output-available", output: "sent", approval: { approved: true } }])
    expect([textOf(message), message.status, message.metadata.usd]).toEqual(["It is done.", "succeeded", 0.5])
  })

  test("[P24] a stream that is played again, from the start or cut anywhere, doubles nothing", () => {
    const whole: readonly Chunk[] = [CALL, ASKED, WAITS, DECIDED, RETURNED, ...ANSWER]
    const once = written(whole)
    for (let cut = 0; cut <= whole.length; cut += 1) expect(written(whole, written(whole.slice(0, cut)))).toEqual(once)
  })

  test("a question that nobody answered is open only while its run waits", () => {
    const question = { type: "tool-input-available", toolCallId: "run.i2", toolName: "ask_user", input: { question: "?" }, dynamic: true }
    const message = written([question, WAITS])
    expect(openAsks(message)).toHaveLength(1)
    written([{ type: "abort" }, { type: "finish", messageMetadata: { status: "canceled" } }], message)
    expect([openAsks(message), message.status]).toEqual([[], "canceled"])
  })

  test.each(GOLDENS)("of the journal $name is the same when it is read twice", ({ events }) => {
    const frames = new UiFrames()
    const chunks = events.flatMap((event) => frames.frames(event).map(({ data }) => data as Chunk))
    const once = written(chunks)
    expect(written(chunks, written(chunks))).toEqual(once)
  })
})
