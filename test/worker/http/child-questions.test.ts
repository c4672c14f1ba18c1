// A question of a run below, at every door [P5]: the door of the run that a person talks to asks it, ends its response there, and takes the
// answer to the run that asked.

import { beforeAll, describe, expect, test } from "vitest"
import { isObject } from "../../../src/core/json.ts"
import { tenant, until, type Tenant } from "../../support/worker/service-client.ts"

type Loose = Readonly<Record<string, unknown>>

let t: Tenant
let n = 0
const fresh = (): string => `c${n++}`
const agent = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: d\nmodel: sc/${name}\ntools: ask_user, write\n${more}---\n` + "Do it. ${{task}}\n"
const flow = (name: string, steps: string): string => `name: ${name}\ndescription: d\nautonomous: false\nsteps:\n${steps}`
const alone = (name: string): string => flow(name, `  - { id: a, type: agent, agent: ${name} }\n`)
const below = (name: string, child: string): string => flow(name, `  - { id: c, type: flow-ref, flow: ${child} }\n`)

beforeAll(async () => {
  t = await tenant("childquestions")
  const done = { finish: { status: "complete", summary: "painted" } }
  const which = { calls: [{ tool: "ask_user", args: { question: "Which?", type: "select", options: ["red", "blue"] } }] }
  await t.ask("PUT", "/v1/settings/providers/sc", {
    kind: "scripted",
    turns: {
      asker: [which, done],
      writer: [{ calls: [{ tool: "write", args: { path: "a.txt", content: "hi" } }] }, done],
      lead: [
        { calls: [{ tool: "call_agent", args: { agent: "asker", prompt: "ask" } }] },
        { finish: { status: "complete", summary: "led" } },
      ],
    },
  })
  await t.ask("PUT", "/v1/catalog", {
    agents: {
      "asker.md": agent("asker"),
      "writer.md": agent("writer", "tool_approvals: { write: always }\n"),
      "lead.md": agent("lead", "role: coordinator\nroutes: [asker]\n"),
    },
    flows: {
      "asker.yaml": alone("asker"),
      "writer.yaml": alone("writer"),
      "lead.yaml": alone("lead"),
      "outer.yaml": below("outer", "asker"),
      "deep.yaml": below("deep", "outer"),
      "approves.yaml": below("approves", "writer"),
      "many.yaml": `name: many
description: d
autonomous: false
inputs: { items: { type: array, default: [x, y] } }
steps:
  - { id: m, type: map, over: "\${{flow.input.items}}", do: asker, task: "\${{item}}" }
`,
    },
  })
})

async function frames(path: string, body: object, headers: Record<string, string> = {}): Promise<Loose[]> {
  const r = await t.raw("POST", path, body, headers)
  const text = await r.text()
  expect(r.status, text).toBe(200)
  return text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6)) as Loose] : []))
}
const types = (list: readonly Loose[]): unknown[] => list.map(({ type }) => type)
const at = (value: unknown, ...path: (string | number)[]): unknown => {
  let found = value
  for (const name of path) found = isObject(found) || Array.isArray(found) ? (found as Loose)[name] : undefined
  return found
}
const user = (text: string) => ({ id: fresh(), role: "user", parts: [{ type: "text", text }] })
const A2A = { "a2a-version": "1.0" }
const QUESTION = /Which\?\n\n1\. red\n2\. blue/

/** What the run that was started says of itself. */
const view = (run: string) => t.ask<Loose>("GET", `/v1/runs/${run}`)

describe("a question of a run below", () => {
  test.each(["outer", "deep", "lead"])("[P5] %s: Chat Completions asks it, and the next text answers it", async (model) => {
    const sluice = { thread: fresh() }
    const ask = (content: string) => t.ask<Loose>("POST", "/v1/chat/completions", { model, messages: [{ role: "user", content }], sluice })
    const first = await ask("paint")
    expect(at(first, "choices", 0, "message", "content")).toMatch(QUESTION)
    expect([at(first, "choices", 0, "finish_reason"), at(first, "sluice", "status")]).toEqual(["stop", "waiting"])
    const again = await ask("green")
    expect(at(again, "choices", 0, "message", "content")).toMatch(QUESTION)
    const end = await ask("blue")
    expect(at(end, "choices", 0, "message", "content")).toBe(model === "lead" ? "led" : "painted")
    expect(at(end, "sluice", "run")).toBe(at(first, "sluice", "run"))
  })

  test("[P25] a client that can ask its user gets it as a call, and answers without a thread", async () => {
    const tools = [{ type: "function", function: { name: "ask_user", parameters: { type: "object" } } }]
    const go = { role: "user", content: "paint" }
    const first = await t.ask<Loose>("POST", "/v1/chat/completions", { model: "outer", messages: [go], tools })
    const call = at(first, "choices", 0, "message", "tool_calls", 0)
    const told = { role: "tool", tool_call_id: at(call, "id"), content: "red" }
    const end = await t.ask<Loose>("POST", "/v1/chat/completions", { model: "outer", messages: [go, told], tools })
    expect([at(end, "choices", 0, "message", "content"), at(end, "sluice", "run")]).toEqual(["painted", at(first, "sluice", "run")])
    const linked = await t.ask<Loose>("POST", "/v1/chat/completions", { model: "deep", messages: [go] })
    const asked = { role: "assistant", content: at(linked, "choices", 0, "message", "content") }
    const said = { model: "deep", messages: [go, asked, { role: "user", content: "2" }] }
    expect(at(await t.ask<Loose>("POST", "/v1/chat/completions", said), "sluice")).toMatchObject({
      run: at(linked, "sluice", "run"),
      status: "succeeded",
    })
  })

  test("[P23] the AI SDK's page gets a part for it, and its output answers it", async () => {
    for (const name of ["outer", "deep", "lead"]) {
      const id = fresh()
      const go = user("paint")
      const chunks = await frames(`/v1/flows/${name}/chat`, { id, messages: [go] })
      const part = chunks.find(({ type, toolName }) => type === "tool-input-available" && toolName === "ask_user")
      expect([part?.["input"], types(chunks).at(-1)]).toEqual([expect.objectContaining({ question: "Which?" }), "finish"])
      const metadata = at(chunks.at(-1), "messageMetadata")
      expect(metadata).toMatchObject({ status: "waiting" })
      const { toolCallId } = part ?? {}
      const parts = [{ type: "dynamic-tool", toolCallId, state: "output-available", output: "red" }]
      const message = { id: at(chunks[0], "messageId"), role: "assistant", metadata, parts }
      const rest = await frames(`/v1/flows/${name}/chat`, { id, messages: [go, message] })
      expect(rest.find(({ type, toolCallId: of }) => type === "tool-output-available" && of === toolCallId)?.["output"]).toEqual({
        answer: "red",
      })
      expect(at(rest.at(-1), "messageMetadata")).toMatchObject({ status: "succeeded", run: at(metadata, "run") })
    }
  })

  test("[P23] an approval below is a call of its own, approved on the page", async () => {
    const id = fresh()
    const go = user("write")
    const chunks = await frames("/v1/flows/approves/chat", { id, messages: [go] })
    const request = chunks.find(({ type }) => type === "tool-approval-request")
    expect(chunks.find(({ type, toolName }) => type === "tool-input-available" && toolName === "write")).toMatchObject({
      toolCallId: request?.["toolCallId"],
      input: { path: "a.txt" },
    })
    const approval = { id: request?.["approvalId"], approved: true }
    const parts = [{ type: "dynamic-tool", toolCallId: request?.["toolCallId"], state: "approval-responded", approval }]
    const message = { id: at(chunks[0], "messageId"), role: "assistant", metadata: at(chunks.at(-1), "messageMetadata"), parts }
    const rest = await frames("/v1/flows/approves/chat", { id, messages: [go, message] })
    expect(rest.find(({ type }) => type === "tool-approval-response")).toMatchObject({ approvalId: approval.id, approved: true })
    expect(at(rest.at(-1), "messageMetadata")).toMatchObject({ status: "succeeded" })
  })

  test("[P20] AG-UI: an interrupt, which the thread's resume answers", async () => {
    for (const name of ["outer", "deep", "lead", "many"]) {
      const threadId = fresh()
      const input = (more: object) => ({
        threadId,
        runId: fresh(),
        state: {},
        tools: [],
        context: [],
        forwardedProps: {},
        messages: [],
        ...more,
      })
      const messages = [{ id: fresh(), role: "user", content: "paint" }]
      const first = await frames(`/v1/flows/${name}/agui`, input({ messages }))
      const interrupts = at(first.at(-1), "outcome", "interrupts") as { id: string; message: string }[]
      expect(interrupts.map(({ message }) => QUESTION.test(message))).toEqual(name === "many" ? [true, true] : [true])
      const refused = await frames(`/v1/flows/${name}/agui`, input({ messages: [...messages, { ...messages[0], id: fresh() }] }))
      expect(refused.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "interrupt_pending" })
      const resume = interrupts.map(({ id }) => ({ interruptId: id, status: "resolved", payload: "red" }))
      const rest = await frames(`/v1/flows/${name}/agui`, input({ messages, resume }))
      expect(rest.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } })
    }
  })

  test("[P28] Responses: a call that its output answers, also without the response before it", async () => {
    for (const model of ["outer", "deep", "lead"]) {
      const first = await t.ask<Loose>("POST", "/v1/responses", { model, input: "paint" })
      const call = (first["output"] as Loose[]).find(({ type }) => type === "function_call")
      expect([first["status"], call?.["name"]]).toEqual(["completed", "ask_user"])
      const input = [{ type: "function_call_output", call_id: call?.["call_id"], output: "red" }]
      const previous = model === "outer" ? {} : { previous_response_id: first["id"] }
      const end = await t.ask<Loose>("POST", "/v1/responses", { model, input, ...previous })
      expect([end["status"], at(end, "sluice", "run")]).toEqual(["completed", at(first, "sluice", "run")])
      expect((end["output"] as Loose[]).at(-1)).toMatchObject({ type: "message" })
    }
  })

  test("[P15] A2A: the task asks, a data part or a text with its taskId answers, and the list finds it", async () => {
    for (const name of ["outer", "deep", "lead"])
      for (const part of ["text", "data"] as const) {
        const send = (more: object) =>
          t.ask<Loose>("POST", `/a2a/${name}/message:send`, { message: { messageId: fresh(), role: "ROLE_USER", ...more } }, A2A)
        const { task } = await send({ parts: [{ text: "paint" }] })
        expect(at(task, "status", "state")).toBe("TASK_STATE_INPUT_REQUIRED")
        const [said, data] = at(task, "status", "message", "parts") as Loose[]
        expect(said?.["text"]).toMatch(QUESTION)
        await until(async () => {
          const listed = await t.ask<Loose>("GET", `/a2a/${name}/tasks?status=TASK_STATE_INPUT_REQUIRED`, undefined, A2A)
          return (listed["tasks"] as Loose[]).some(({ id }) => id === at(task, "id"))
        }, "the task in the list")
        const interaction = at(data, "data", "interactions", 0, "id")
        const answer = part === "text" ? { text: "RED" } : { data: { interaction, answer: "red" } }
        const end = await send({ taskId: at(task, "id"), parts: [answer] })
        expect([at(end, "task", "id"), at(end, "task", "status", "state")]).toEqual([at(task, "id"), "TASK_STATE_COMPLETED"])
      }
  })

  test("[P5] a run says what is asked below it; an answer elsewhere continues it, and it ends once nobody is asked", async () => {
    const { id } = await t.ask<Loose & { id: string }>("POST", "/v1/flows/deep/runs", { task: "paint" }, { prefer: "wait=60" })
    const waiting = await view(id)
    expect(waiting).toMatchObject({ status: "waiting", waiting: { reason: "child_interaction" }, pending: 0 })
    const [asked] = waiting["asks"] as { run: string; id: string; kind: string; step: string }[]
    expect(asked).toMatchObject({ kind: "ask_user", step: "a" })
    expect((await view(asked?.run ?? ""))["pending"]).toBe(1)
    await t.ask("POST", `/v1/runs/${asked?.run}/interactions/${asked?.id}`, { answer: "red" })
    const end = await until(async () => {
      const now = await view(id)
      return now["ended"] === undefined ? undefined : now
    }, "the end")
    expect([end["status"], end["asks"]]).toEqual(["succeeded", undefined])
    const inbox = await t.ask<{ data: Loose[] }>("GET", "/v1/interactions")
    expect(inbox.data.filter(({ run }) => run === id)).toEqual([])
  })

  test("[P5] a map whose children ask waits when all of them do, and one answer alone does not end it", async () => {
    const started = await t.ask<Loose & { id: string }>("POST", "/v1/flows/many/runs", { task: "paint" }, { prefer: "wait=60" })
    const asks = (await view(started.id))["asks"] as { run: string; id: string }[]
    expect(asks).toHaveLength(2)
    await t.ask("POST", `/v1/runs/${asks[0]?.run}/interactions/${asks[0]?.id}`, { answer: "red" })
    const left = await until(async () => {
      const now = await view(started.id)
      return (now["asks"] as unknown[]).length === 1 && now["status"] === "waiting" && at(now, "waiting", "reason") === "child_interaction"
        ? now
        : undefined
    }, "one question")
    expect(left["ended"]).toBeUndefined()
    await t.ask("POST", `/v1/runs/${asks[1]?.run}/interactions/${asks[1]?.id}`, { answer: "red" })
    await until(async () => (await view(started.id))["status"] === "succeeded", "the end")
    const replay = await t.ask<Loose>("GET", `/v1/runs/${started.id}/replay`)
    expect(replay).toMatchObject({ identical: true })
  })
})
