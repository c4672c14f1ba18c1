// A flow behind the AI SDK's `useChat` [P22–P24] and the tokens of its pages [P9], through the whole Worker.

import { beforeAll, describe, expect, test } from "vitest"
import { agent, ask, call, ended, flow, LOCAL, runOf, until } from "../../support/worker/house.ts"

type Chunk = Readonly<Record<string, unknown>> & { readonly type: string }
interface Part {
  readonly type: string
  readonly toolCallId?: string
  readonly state?: string
  readonly output?: unknown
}
interface Message {
  readonly id: string
  readonly role: "assistant"
  readonly metadata: { readonly run: string; readonly status: string; readonly seq: number; readonly usage: object }
  readonly parts: readonly Part[]
}

const question = { ask: { question: "Which colour?", type: "select", options: ["red", "blue"] } }
const QUESTION = [{ calls: [{ tool: "ask_user", args: question.ask }] }, { finish: { status: "complete", summary: "painted" } }]

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/ui", {
    kind: "scripted",
    turns: { asker: QUESTION, other: QUESTION, plain: [{ text: "hm", finish: { status: "complete", summary: "done" } }] },
  })
  const scripted = (name: string): string => agent(name, "ask_user").replace("rehearsal/default", `ui/${name}`)
  await ask("PUT", "/v1/catalog", {
    agents: { "asker.md": scripted("asker"), "other.md": scripted("other"), "plain.md": scripted("plain") },
    flows: {
      "asks.yaml": flow("asks", "  - { id: a, type: agent, agent: asker }\n", "autonomous: false\n"),
      "both.yaml": flow(
        "both",
        "  - { id: a, type: agent, agent: asker }\n  - { id: b, type: agent, agent: other }\n",
        "autonomous: false\n",
      ),
      "plain.yaml": flow("plain", "  - { id: a, type: agent, agent: plain }\n"),
    },
  })
})

let n = 0
const fresh = (): string => `t${n++}`
const user = (text: string) => ({ id: fresh(), role: "user", parts: [{ type: "text", text }] })

async function chunksOf(r: Response): Promise<Chunk[]> {
  const text = await r.text()
  expect([r.status, r.headers.get("x-vercel-ai-ui-message-stream")], text).toEqual([200, "v1"])
  const lines = text.split("\n").filter((line) => line.startsWith("data: "))
  expect(lines.at(-1)).toBe("data: [DONE]")
  return lines.slice(0, -1).map((line) => JSON.parse(line.slice(6)) as Chunk)
}
const post = (name: string, body: object, key = LOCAL) => call("POST", `/v1/flows/${name}/chat`, body, {}, key)
const say = async (name: string, body: object, key = LOCAL) => chunksOf(await post(name, body, key))

function messageOf(chunks: readonly Chunk[], from: readonly Part[] = []): Message {
  const parts = from.map((part) => ({ ...part }))
  for (const { type, toolCallId, output } of chunks)
    if (type === "tool-input-available") parts.push({ type: "dynamic-tool", toolCallId: String(toolCallId), state: "input-available" })
    else if (type === "tool-output-available")
      for (const part of parts) if (part.toolCallId === toolCallId) Object.assign(part, { state: "output-available", output })
  const metadata = chunks.at(-1)?.["messageMetadata"] as Message["metadata"]
  return { id: String(chunks[0]?.["messageId"]), role: "assistant", metadata, parts }
}
const withOutput = (message: Message, at: number, output: unknown): Message => ({
  ...message,
  parts: message.parts.map((part, i) => (i === at ? { ...part, state: "output-available", output } : part)),
})
const types = (chunks: readonly Chunk[]): string[] => chunks.map(({ type }) => type)

describe("a chat", () => {
  test("[P6] a text answers the question; another text asks again, in a message of its own that can be answered", async () => {
    const id = fresh()
    const first = messageOf(await say("asks", { id, messages: [user("paint")] }))
    const again = await say("asks", { id, messages: [user("green")] })
    expect(again.find(({ type }) => type === "text-delta")?.["delta"]).toContain("Which colour?")
    const asked = messageOf(again)
    expect([asked.id === first.id, asked.metadata.run, asked.metadata.status]).toEqual([false, first.metadata.run, "waiting"])
    expect(asked.parts.map((part) => part.toolCallId)).toEqual(first.parts.map((part) => part.toolCallId))
    const end = await say("asks", { id, messages: [user("paint"), withOutput(asked, 0, "blue")] })
    expect([end[0]?.["messageId"], messageOf(end).metadata.status]).toEqual([asked.id, "succeeded"])
    const other = fresh()
    const run = messageOf(await say("asks", { id: other, messages: [user("paint")] })).metadata.run
    const told = messageOf(await say("asks", { id: other, messages: [user("RED")] }))
    expect([told.metadata.run, told.metadata.status, told.id === run]).toEqual([run, "succeeded", false])
  })

  test("[P23] one of two questions is answered: the message goes on, and waits for the other", async () => {
    const id = fresh()
    const go = user("paint")
    const both = messageOf(await say("both", { id, messages: [go] }))
    expect([both.parts.length, both.metadata.status]).toEqual([2, "waiting"])
    const one = withOutput(both, 0, { answer: "red" })
    const half = await say("both", { id, messages: [go, one] })
    expect(types(half)).not.toContain("start-step")
    const now = messageOf(half, one.parts)
    expect([now.id, now.metadata.status, now.metadata.seq > both.metadata.seq]).toEqual([both.id, "waiting", true])
    const repeated = messageOf(await say("both", { id, messages: [go, one] }))
    expect(repeated.metadata).toEqual(now.metadata)
    const idle = await say("both", { id, messages: [go, now] })
    expect([types(idle), messageOf(idle).metadata.seq]).toEqual([["start", "finish"], now.metadata.seq])
    const end = messageOf(await say("both", { id, messages: [go, withOutput(now, 1, "blue")] }))
    expect(end.metadata.status).toBe("succeeded")
  })

  test("[P24] a reload of a waiting run passes the waits that are over, and ends where it waits", async () => {
    const id = fresh()
    const go = user("paint")
    const both = messageOf(await say("both", { id, messages: [go] }))
    const half = messageOf(await say("both", { id, messages: [go, withOutput(both, 0, "red")] }))
    const resumed = await chunksOf(await call("GET", `/v1/flows/both/chat/${id}/stream`))
    expect(types(resumed).filter((type) => type === "finish-step")).toHaveLength(2)
    expect(resumed.at(-1)?.["messageMetadata"]).toMatchObject({ status: "waiting", seq: half.metadata.seq })
    expect(types(await say("both", { id, messages: [go] })).filter((type) => type === "finish-step")).toHaveLength(2)
  })

  test("[P24] after a text answered, a reload plays the message that came after it, with the call that it answers", async () => {
    const id = fresh()
    const first = messageOf(await say("both", { id, messages: [user("paint")] }))
    await say("both", { id, messages: [user("paint"), withOutput(first, 0, "red")] })
    const told = await say("both", { id, messages: [user("nonsense")] })
    const reloaded = await chunksOf(await call("GET", `/v1/flows/both/chat/${id}/stream`))
    expect(reloaded).toEqual(told)
    const end = await say("both", { id, messages: [user("blue")] })
    const calls = end.filter(({ type }) => type === "tool-input-available").map(({ toolCallId }) => toolCallId)
    for (const { type, toolCallId } of end) if (type === "tool-output-available") expect(calls).toContain(toolCallId)
    expect(types(end).at(-1)).toBe("finish")
  })

  test("[P24] a message that asked again and then went on is played from its questions to its end", async () => {
    const id = fresh()
    const go = user("paint")
    await say("both", { id, messages: [go] })
    const again = messageOf(await say("both", { id, messages: [user("nonsense")] }))
    expect(again.parts).toHaveLength(2)
    const half = await say("both", { id, messages: [go, withOutput(again, 0, "red")] })
    const reloaded = await chunksOf(await call("GET", `/v1/flows/both/chat/${id}/stream`))
    expect(reloaded[0]).toEqual({ type: "start", messageId: again.id })
    expect(messageOf(reloaded).parts.map(({ state }) => state)).toEqual(["output-available", "input-available"])
    expect(reloaded.at(-1)).toEqual(half.at(-1))
  })

  test("[P23] what does not fit, and what was never asked, is 422; another chat's question is 404", async () => {
    const id = fresh()
    const go = user("paint")
    const asked = messageOf(await say("asks", { id, messages: [go] }))
    for (const output of ["green", 1, null, { answer: "green" }, { decision: "approve" }, {}])
      expect([output, (await post("asks", { id, messages: [go, withOutput(asked, 0, output)] })).status]).toEqual([output, 422])
    const stranger = {
      ...asked,
      parts: [{ type: "dynamic-tool", toolCallId: `${asked.metadata.run}.i9`, state: "output-available", output: "red" }],
    }
    expect((await post("asks", { id, messages: [go, stranger] })).status).toBe(422)
    expect((await post("asks", { id: fresh(), messages: [go, withOutput(asked, 0, "red")] })).status).toBe(404)
    expect((await post("both", { id, messages: [go, withOutput(asked, 0, "red")] })).status).toBe(404)
    expect((await runOf(asked.metadata.run)).pending).toBe(1)
  })

  test("[P8] regenerate decides nothing while a question is open, and is a new run after the end", async () => {
    const id = fresh()
    const go = user("red")
    const asked = messageOf(await say("asks", { id, messages: [go] }))
    const again = messageOf(await say("asks", { id, messages: [go], trigger: "regenerate-message" }))
    expect([again.metadata.run, again.metadata.status]).toEqual([asked.metadata.run, "waiting"])
    await call("POST", `/v1/runs/${asked.metadata.run}/cancel`)
    await until(asked.metadata.run, ended)
    expect(messageOf(await say("asks", { id, messages: [go], trigger: "regenerate-message" })).metadata.run).not.toBe(asked.metadata.run)
  })
})

describe("a chat token", () => {
  const made = async (name: string, body: object = {}, key = LOCAL) =>
    ask<{ token: string; thread: string }>("POST", `/v1/flows/${name}/chat-token`, body, {}, key)

  test("[P9] the same chat as with a key, without what is the owner's: costs and what goes on inside", async () => {
    const { token, thread } = await made("plain", { thread: `${"x".repeat(255)}"`, budget: { tokens: 4_000, tool_calls: 9 } })
    const page = await say("plain", { id: thread, messages: [user("hello")] }, token)
    const own = await say("plain", { id: fresh(), messages: [user("hello")] })
    expect(types(page)).toEqual(types(own).filter((type) => type !== "data-event"))
    const { run, status, usage } = messageOf(page).metadata
    expect([status, Object.keys(usage)]).toEqual(["succeeded", ["tokens"]])
    expect(JSON.stringify(page)).not.toContain("Do it.")
    expect((await runOf(run)).trigger).toMatchObject({ key: "page" })
  })

  test("[P9] a run spends no more than the token's budget, whatever the page asks for", async () => {
    const { token, thread } = await made("plain", { budget: { tokens: 4_000 } })
    const page = await say("plain", { id: thread, messages: [user("x")], sluice: { budget: { tokens: 9_000, tool_calls: 3 } } }, token)
    const run = await runOf(messageOf(page).metadata.run)
    expect(JSON.stringify(run.budget)).toContain("4000")
    expect(JSON.stringify(run.budget)).not.toContain("9000")
  })

  test("[P9] opens the same thread of the same flow as an AG-UI agent, and sees no steering there", async () => {
    const { token, thread } = await made("asks", { answer: true })
    const input = { threadId: thread, runId: fresh(), messages: [{ id: fresh(), role: "user", content: "paint" }] }
    const events = await (await call("POST", "/v1/flows/asks/agui", input, {}, token)).text()
    expect(events).toContain("RUN_FINISHED")
    const run = /run_[0-9a-z]{26}/.exec(events)?.[0] ?? ""
    const resume = [{ interruptId: `${run}.i1`, status: "resolved", payload: { answer: "red" } }]
    const again = { ...input, runId: fresh(), messages: [], resume }
    const stranger = await made("asks", { answer: true })
    expect((await call("POST", "/v1/flows/asks/agui", again, {}, stranger.token)).status).toBe(404)
    expect((await call("POST", "/v1/flows/asks/agui", { ...again, threadId: stranger.thread }, {}, token)).status).toBe(404)
    expect((await call("POST", "/v1/flows/both/agui", again, {}, token)).status).toBe(404)
    expect((await call("POST", `/v1/runs/${run}/steps/a/steer`, { message: "SECRET-WORD" })).status).toBe(202)
    const rest = await (await call("POST", "/v1/flows/asks/agui", again, {}, token)).text()
    expect(rest).toContain("TEXT_MESSAGE_CONTENT")
    expect(rest).not.toContain("SECRET-WORD")
  })

  test("[P9] answers only if it was made for that; another thread's question stays closed", async () => {
    const [mute, may] = [await made("asks", { thread: "q1" }), await made("asks", { thread: "q1", answer: true })]
    const go = user("paint")
    const asked = messageOf(await say("asks", { id: "q1", messages: [go] }, mute.token))
    const answered = { id: "q1", messages: [go, withOutput(asked, 0, "red")] }
    expect((await post("asks", answered, mute.token)).status).toBe(403)
    expect((await post("asks", { id: "q1", messages: [user("red")] }, mute.token)).status).toBe(403)
    const stranger = await made("asks", { thread: "q2", answer: true })
    expect((await post("asks", { ...answered, id: "q2" }, stranger.token)).status).toBe(404)
    expect((await post("asks", answered, stranger.token)).status).toBe(404)
    expect(messageOf(await say("asks", answered, may.token)).metadata.status).toBe("succeeded")
  })

  test("[S18] ends with its key, and an altered one opens nothing", async () => {
    const key = await ask<{ id: string; key: string }>("POST", "/v1/keys", { scopes: ["runs:write"] })
    const { token, thread } = await made("plain", {}, key.key)
    expect((await call("GET", `/v1/flows/plain/chat/${thread}/stream`, undefined, {}, token)).status).toBe(403)
    const altered = `${token.slice(0, -2)}${token.endsWith("AA") ? "BB" : "AA"}`
    expect((await post("plain", { id: thread, messages: [user("x")] }, altered)).status).toBe(401)
    await call("DELETE", `/v1/keys/${key.id}`)
    await expect.poll(async () => (await post("plain", { id: thread, messages: [user("x")] }, token)).status, { timeout: 5_000 }).toBe(401)
  })
})
