// Several answers in one request [P20, P15, P23, P28]: all of them are given, or none, also when only the run itself can tell that one does not fit.

import { beforeAll, describe, expect, test } from "vitest"
import { tenant, type Tenant } from "../../support/worker/service-client.ts"

type Loose = Readonly<Record<string, unknown>>

let t: Tenant
let n = 0
const fresh = (): string => `n${n++}`

beforeAll(async () => {
  t = await tenant("allornothing")
  const write = (path: string) => ({ tool: "write", args: { path, content: "hi" } })
  const done = { finish: { status: "complete", summary: "written" } }
  await t.ask("PUT", "/v1/settings/providers/sc", {
    kind: "scripted",
    turns: { writer: [{ calls: [write("a.txt"), write("b.txt")] }, done], single: [{ calls: [write("c.txt")] }, done] },
  })
  const agent = (name: string): string =>
    `---\nname: ${name}\ndescription: d\nmodel: sc/${name}\ntools: write\ntool_approvals: { write: always }\n---\n` + "Do it. ${{task}}\n"
  const flow = (name: string, step: string): string => `name: ${name}\ndescription: d\nautonomous: false\nsteps:\n${step}`
  await t.ask("PUT", "/v1/catalog", {
    agents: { "writer.md": agent("writer"), "single.md": agent("single") },
    flows: {
      "writer.yaml": flow("writer", "  - { id: a, type: agent, agent: writer }\n"),
      "single.yaml": flow("single", "  - { id: a, type: agent, agent: single }\n"),
      "pair.yaml": `name: pair
description: d
autonomous: false
inputs: { items: { type: array, default: [x, y] } }
steps:
  - { id: m, type: map, over: "\${{flow.input.items}}", do: single, task: "\${{item}}" }
`,
    },
  })
})

async function agui(flow: string, threadId: string, more: object): Promise<Loose> {
  const input = { threadId, runId: fresh(), state: {}, tools: [], context: [], forwardedProps: {}, messages: [], ...more }
  const text = await (await t.raw("POST", `/v1/flows/${flow}/agui`, input)).text()
  const frames = text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6)) as Loose] : []))
  return frames.at(-1) ?? {}
}
const interruptsOf = (end: Loose): { id: string }[] =>
  ((end["outcome"] as Loose | undefined)?.["interrupts"] as { id: string }[] | undefined) ?? []
const pendingOf = async (ids: readonly string[]): Promise<string[]> =>
  Promise.all(
    ids.map(async (id) => {
      const [run, inner] = id.split(".")
      return String((await t.ask<Loose>("GET", `/v1/runs/${run}/interactions/${inner}`))["status"])
    }),
  )
const edited = (path: unknown) => ({ approved: true, editedArgs: { path, content: "hi" } })

describe("several answers at once", () => {
  test.each(["writer", "pair"])(
    "[P20] %s: two edited approvals, the second of which the tool does not take: both stay open",
    async (flow) => {
      const threadId = fresh()
      const first = await agui(flow, threadId, { messages: [{ id: "m", role: "user", content: "go" }] })
      const ids = interruptsOf(first).map(({ id }) => id)
      expect(ids).toHaveLength(2)
      for (const paths of [
        ["x.txt", {}],
        [{}, "x.txt"],
        ["x.txt", "../../etc/passwd"],
      ] as const) {
        const resume = ids.map((id, i) => ({ interruptId: id, status: "resolved", payload: edited(paths[i]) }))
        expect(await agui(flow, threadId, { resume })).toMatchObject({ type: "RUN_ERROR", code: "invalid_payload" })
        expect(await pendingOf(ids)).toEqual(["pending", "pending"])
      }
      const resume = ids.map((id, i) => ({ interruptId: id, status: "resolved", payload: edited(`y${i}.txt`) }))
      expect(await agui(flow, threadId, { resume })).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } })
    },
  )

  test.each(["writer", "pair"])(
    "[P20] %s: the same resume under another runId tells again what followed, and decides nothing",
    async (flow) => {
      const threadId = fresh()
      const first = await agui(flow, threadId, { messages: [{ id: "m", role: "user", content: "go" }] })
      const ids = interruptsOf(first).map(({ id }) => id)
      const resume = ids.map((id) => ({ interruptId: id, status: "resolved", payload: { approved: true } }))
      const end = await agui(flow, threadId, { resume })
      expect(end).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } })
      const again = await agui(flow, threadId, { resume })
      expect(again).toMatchObject({ type: "RUN_FINISHED", threadId, outcome: { type: "success" }, result: end["result"] })
      expect(again["runId"]).not.toBe(end["runId"])
      const other = ids.map((id) => ({ interruptId: id, status: "resolved", payload: { approved: false } }))
      for (const wrong of [other, resume.slice(1)])
        expect(await agui(flow, threadId, { resume: wrong })).toMatchObject({ type: "RUN_ERROR", code: "interrupt_unknown" })
    },
  )

  test("[P20] a thread that waits says so before it misses a text", async () => {
    const threadId = fresh()
    await agui("single", threadId, { messages: [{ id: "m", role: "user", content: "go" }] })
    expect(await agui("single", threadId, {})).toMatchObject({ type: "RUN_ERROR", code: "interrupt_pending" })
    expect(await agui("single", threadId, { resume: [] })).toMatchObject({ type: "RUN_ERROR", code: "interrupt_incomplete" })
    expect((await t.raw("POST", "/v1/flows/single/agui", { threadId: fresh(), runId: fresh(), messages: [] })).status).toBe(422)
  })

  test("[P15] A2A: two data parts, of which the run does not take the second", async () => {
    const send = (more: object) =>
      t.raw("POST", "/a2a/writer/message:send", { message: { messageId: fresh(), role: "ROLE_USER", ...more } }, { "a2a-version": "1.0" })
    const { task } = (await (await send({ parts: [{ text: "go" }] })).json()) as { task: { id: string } }
    const ids = (await t.ask<{ data: { id: string }[] }>("GET", `/v1/runs/${task.id}/interactions`)).data.map(
      ({ id }) => `${task.id}.${id}`,
    )
    const part = (interaction: string | undefined, path: unknown) => ({
      data: { interaction, decision: "edit", args: { path, content: "hi" } },
    })
    const refused = await send({ taskId: task.id, parts: [part(ids[0], "x.txt"), part(ids[1], {})] })
    expect(refused.status, await refused.text()).toBe(400)
    expect(await pendingOf(ids)).toEqual(["pending", "pending"])
    const taken = await send({ taskId: task.id, parts: [part(ids[0], "x.txt"), part(ids[1], "y.txt")] })
    expect(await taken.json()).toMatchObject({ task: { status: { state: "TASK_STATE_COMPLETED" } } })
  })

  test.each(["writer", "pair"])(
    "[P23] %s: an AI SDK page answers two approvals, the second of them unfit: both stay open",
    async (flow) => {
      const id = fresh()
      const go = { id: fresh(), role: "user", parts: [{ type: "text", text: "go" }] }
      const chat = async (messages: readonly Loose[]) => {
        const r = await t.raw("POST", `/v1/flows/${flow}/chat`, { id, messages })
        const text = await r.text()
        const chunks = text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6)) as Loose] : []))
        return { status: r.status, text, chunks }
      }
      const first = await chat([go])
      const requests = first.chunks.filter(({ type }) => type === "tool-approval-request")
      expect(requests).toHaveLength(2)
      const ids = requests.map(({ approvalId }) => String(approvalId))
      const metadata = first.chunks.at(-1)?.["messageMetadata"]
      const said = (answers: readonly Loose[]): Loose => ({
        id: first.chunks[0]?.["messageId"],
        role: "assistant",
        metadata,
        parts: requests.map(({ toolCallId }, i) => ({ type: "dynamic-tool", toolCallId, ...answers[i] })),
      })
      const approved = (i: number): Loose => ({ state: "approval-responded", approval: { id: ids[i], approved: true } })
      // An output is no answer to an approval.
      const refused = await chat([go, said([approved(0), { state: "output-available", output: { answer: 7 } }])])
      expect(refused.status, refused.text).toBe(422)
      expect(await pendingOf(ids)).toEqual(["pending", "pending"])
      const taken = await chat([go, said([approved(0), approved(1)])])
      expect(taken.chunks.at(-1)?.["messageMetadata"]).toMatchObject({ status: "succeeded" })
    },
  )

  test.each(["writer", "pair"])("[P28] %s: two outputs of Responses, the second of them unfit: both calls stay open", async (model) => {
    const first = await t.ask<Loose>("POST", "/v1/responses", { model, input: "go" })
    const calls = (first["output"] as Loose[]).filter(({ type }) => type === "function_call" || type === "mcp_approval_request")
    expect(calls).toHaveLength(2)
    const run = String((first["sluice"] as Loose)["run"])
    const respond = (answers: readonly Loose[]) =>
      t.raw("POST", "/v1/responses", { model, previous_response_id: first["id"], input: answers })
    const answer = (i: number, approve: unknown): Loose =>
      calls[i]?.["type"] === "mcp_approval_request"
        ? { type: "mcp_approval_response", approval_request_id: calls[i]?.["id"], approve }
        : {
            type: "function_call_output",
            call_id: calls[i]?.["call_id"],
            output: JSON.stringify({ decision: approve === true ? "approve" : approve }),
          }
    const refused = await respond([answer(0, true), answer(1, "perhaps")])
    expect(refused.status, await refused.text()).toBe(400)
    expect(await t.ask<Loose>("GET", `/v1/runs/${run}`)).toMatchObject({ status: "waiting" })
    const open = await t.ask<{ data: { run: string }[] }>("GET", "/v1/interactions?limit=200")
    const asks = ((await t.ask<Loose>("GET", `/v1/runs/${run}`))["asks"] as { run: string }[] | undefined) ?? [{ run }]
    expect(open.data.filter((one) => asks.some((of) => of.run === one.run))).toHaveLength(2)
    const taken = await respond([answer(0, true), answer(1, true)])
    expect(await taken.json()).toMatchObject({ status: "completed", sluice: { run } })
    expect(await t.ask<Loose>("GET", `/v1/runs/${run}`)).toMatchObject({ status: "succeeded" })
  })
})
