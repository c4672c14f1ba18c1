// The body of the AI SDK's chat transport [P2, P3, P10, P22, P23].

import { expect, test } from "vitest"
import { readUi } from "../../../src/protocols/ui/ui-body.ts"

const text = (said: string) => ({ type: "text", text: said })
const user = (said: string, id = "m") => ({ id, role: "user", parts: [text(said)] })
const read = (body: unknown) => {
  const r = readUi(body)
  if (!r.ok) throw new Error(JSON.stringify(r.error))
  return r.value
}
const pointer = (body: unknown): string | undefined => {
  const r = readUi(body)
  return r.ok ? undefined : r.error[0]?.pointer
}

test("[P2] the last user message, and before it what was said: no reasoning, no tools, no data", () => {
  const said = read({
    id: "c",
    temperature: 1,
    tools: [{}],
    messages: [
      { id: "0", role: "system", parts: [text("be brief")] },
      user("first", "1"),
      {
        id: "2",
        role: "assistant",
        parts: [
          { type: "step-start" },
          { type: "reasoning", text: "hm" },
          { type: "dynamic-tool", toolName: "ls", toolCallId: "x", state: "output-available", output: "secret" },
          { type: "data-step", id: "a", data: {} },
          text("an "),
          text("answer"),
        ],
      },
      { id: "3", role: "user", parts: [text("now "), text("this")] },
    ],
  })
  expect([said.chat, said.text, said.messageId]).toEqual(["c", "now this", "3"])
  expect(said.before).toEqual([
    { role: "system", text: "be brief" },
    { role: "user", text: "first" },
    { role: "assistant", text: "an answer", pieces: ["an ", "answer"] },
  ])
  expect(read({ id: "c", message: user("alone") }).text).toBe("alone")
})

test("[P22] a body without a user's text is a fault at its place", () => {
  for (const [body, place] of [
    [null, ""],
    [[], ""],
    [{}, "/message"],
    [{ messages: [] }, "/messages"],
    [{ messages: "no" }, "/message"],
    [{ messages: [{ role: "assistant", parts: [text("x")] }] }, "/messages"],
    [{ messages: [user(" ")] }, "/messages/0/parts"],
    [{ messages: [user("x")], id: 7 }, "/id"],
    [{ messages: [user("x")], sluice: [] }, "/sluice"],
    [{ messages: [{ role: "user", parts: [text("x"), { type: "file", url: "file:///etc/passwd" }] }] }, "/messages/0/parts/1"],
  ] as const)
    expect([body, pointer(body)]).toEqual([body, place])
})

test("[P23] answers are parts of the last message, if it is the assistant's; a call that the server carried out is none", () => {
  const parts = [
    { type: "dynamic-tool", toolCallId: "R.c1-0", state: "output-available", output: "x", providerExecuted: true },
    { type: "dynamic-tool", toolCallId: "R.c2-0", state: "approval-responded", approval: { id: "R.i1", approved: false, reason: "no" } },
    { type: "dynamic-tool", toolCallId: "R.i2", state: "output-available", output: { answer: "red" } },
    { type: "dynamic-tool", toolCallId: "R.i3", state: "input-available", input: {} },
    { type: "dynamic-tool", toolCallId: "R.c4-0", state: "approval-requested", approval: { id: "R.i4" } },
  ]
  const assistant = { id: "R", role: "assistant", metadata: { seq: 12 }, parts }
  const { answered } = read({ id: "c", messages: [user("go"), assistant] })
  expect(answered).toMatchObject({ message: "R", seq: 12 })
  expect(answered?.answers.map(({ id, pointer: at }) => [id, at])).toEqual([
    ["R.i1", "/messages/1/parts/1/approval"],
    ["R.i2", "/messages/1/parts/2/output"],
  ])
  expect(read({ id: "c", message: assistant }).answered?.answers).toHaveLength(2)
  expect(read({ id: "c", messages: [user("go"), assistant, user("more")] }).answered).toBeUndefined()
  expect(read({ id: "c", trigger: "regenerate-message", messages: [user("go"), assistant] }).answered).toBeUndefined()
  for (const seq of [-1, 1.5, "12", Number.NaN])
    expect(read({ messages: [user("go"), { ...assistant, metadata: { seq } }] }).answered?.seq).toBeUndefined()
})

test("[P23] an approval that is neither given nor refused is a fault, and no message of before is read in its place", () => {
  const responded = (approval: unknown) => ({ type: "dynamic-tool", toolCallId: "R.c1-0", state: "approval-responded", approval })
  const body = (approval: unknown) => ({ id: "c", messages: [user("go"), { id: "R", role: "assistant", parts: [responded(approval)] }] })
  for (const approval of [{ id: "R.i1" }, { id: "R.i1", approved: "yes" }, { id: "R.i1", approved: 1 }, null, "yes"])
    expect(pointer(body(approval)), JSON.stringify(approval)).toBe("/messages/1/parts/0/approval/approved")
  expect(readUi(body({ id: "R.i1", approved: true })).ok).toBe(true)
  expect(readUi({ ...body(null), trigger: "regenerate-message" }).ok).toBe(true)
})
