// Doors and MCP obey the block of a flow [R16]: messages that wait for a thread's run, join its window, or are refused; and who hears that it waits.

import { runInDurableObject } from "cloudflare:test"
import { beforeAll, expect, test } from "vitest"
import { tenant, tenantObject, until, type Tenant } from "../../../support/worker/service-client.ts"

const FLOW = (name: string, start: string): string =>
  `name: ${name}\ndescription: d\ninputs: { repo: { type: string } }\n${start}steps:\n  - { id: a, type: wait, for: 1h }\n`

let t: Tenant

beforeAll(async () => {
  t = await tenant("doors-in-line")
  await t.ask("PUT", "/v1/catalog", {
    flows: {
      "keyed.yaml": FLOW("keyed", 'start: { concurrency: { key: "${{thread}}" } }\n'),
      "newest.yaml": FLOW("newest", 'start: { concurrency: { key: "${{thread}}", overlap: supersede } }\n'),
      "once.yaml": FLOW("once", 'start: { concurrency: { key: "${{thread}}", overlap: skip } }\n'),
      "gather.yaml": FLOW("gather", 'start: { debounce: { key: "${{thread}}", period: 1h } }\n'),
      "free.yaml": FLOW("free", ""),
    },
  })
})

interface Seen {
  readonly id: string
  readonly status: string
}
interface Said {
  readonly id?: string
  readonly status?: string
  readonly code?: string
  readonly error?: { readonly code?: string; readonly message?: string }
}
const respond = async (model: string, thread: string, more: object = {}): Promise<readonly [number, Said]> => {
  const r = await t.raw("POST", "/v1/responses", { model, input: "hi", conversation: thread, background: true, ...more })
  return [r.status, await r.json<Said>()]
}
const runsOf = async (thread: string): Promise<readonly Seen[]> => (await t.ask<{ data: Seen[] }>("GET", `/v1/runs?thread=${thread}`)).data
const view = (id: string): Promise<Seen> => t.ask<Seen>("GET", `/v1/runs/${id}`)
const is = (id: string, status: string): Promise<unknown> => until(async () => (await view(id)).status === status, `${id} is ${status}`)
const runOf = (id = ""): string => /run_[0-9a-z]{26}/.exec(id)?.[0] ?? `no run in ${id}`
const cancel = (id: string): Promise<unknown> => t.ask("POST", `/v1/runs/${id}/cancel`)
/** Cancels what waits before what it waits for. */
const cancelAll = async (thread: string): Promise<void> => {
  for (const { id } of await runsOf(thread)) await cancel(id)
}

test("[R16] a message waits for its thread's run that has its key: Responses says queued, A2A submitted", async () => {
  const [, first] = await respond("keyed", "a")
  await is(runOf(first.id), "waiting")
  const [status, second] = await respond("keyed", "a")
  expect([status, second.status]).toEqual([200, "queued"])
  expect((await t.ask<Said>("GET", `/v1/responses/${second.id}`)).status).toBe("queued")
  const message = { messageId: "m1", role: "ROLE_USER", contextId: "a", parts: [{ text: "hi" }] }
  const sent = await t.ask<{ task: { status: { state: string } } }>(
    "POST",
    "/a2a/keyed/message:send",
    { message, configuration: { returnImmediately: true } },
    { "a2a-version": "1.0" },
  )
  expect(sent.task.status.state).toBe("TASK_STATE_SUBMITTED")
  expect((await runsOf("a")).map((run) => run.status).toSorted()).toEqual(["queued", "queued", "waiting"])
  await cancelAll("a")
})

test("[R16] a message that supersedes takes the place of its thread's run", async () => {
  const [, first] = await respond("newest", "b")
  await is(runOf(first.id), "waiting")
  const [, second] = await respond("newest", "b")
  await is(runOf(first.id), "canceled")
  await is(runOf(second.id), "waiting")
  await cancelAll("b")
})

test("[R16] [P7] of overlap skip, or without a rule, the thread is busy and nothing is started", async () => {
  for (const model of ["once", "free"]) {
    const [, first] = await respond(model, model)
    await is(runOf(first.id), "waiting")
    const [status, second] = await respond(model, model)
    expect([status, JSON.stringify(second).includes("thread_busy")]).toEqual([409, true])
    expect(await runsOf(model)).toHaveLength(1)
    await cancelAll(model)
  }
  await until(async () => (await t.ask<{ data: unknown[] }>("GET", "/v1/starts")).data.length === 0, "the line is empty")
})

test("[R9] [R16] a message joins the window of its thread's run, whose claim stays with that run", async () => {
  const [, first] = await respond("gather", "d")
  expect(first).toMatchObject({ status: "queued" })
  const run = runOf(first.id)
  await is(run, "queued")
  for (let n = 0; n < 2; n++) {
    const [status, next] = await respond("gather", "d", { input: `more ${n}` })
    expect([status, runOf(next.id), next.status]).toEqual([200, run, "queued"])
  }
  expect(await runsOf("d")).toHaveLength(1)
  const claims = await runInDurableObject(tenantObject(t.id), (_, { storage }) =>
    storage.sql.exec<{ run: string }>("SELECT run FROM thread_turn WHERE thread = 'd'").toArray(),
  )
  expect(claims.every((claim) => claim.run === run)).toBe(true)
  await cancelAll("d")
})

test("[R16] an MCP call's first progress says what the run waits for, and `dev.sluice/start` is its block", async () => {
  const said = { key: "mcp", concurrency: { key: "mcp" } }
  const holder = await t.ask<Seen>("POST", "/v1/flows/free/runs", { task: "go", start: { concurrency: said.concurrency } })
  await is(holder.id, "waiting")
  const answer = await t.raw(
    "POST",
    "/mcp",
    {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "flow_free",
        arguments: { task: "go" },
        _meta: { progressToken: "p", "dev.sluice/start": { concurrency: said.concurrency } },
      },
    },
    { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" },
  )
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  while (!text.includes("notifications/progress")) text += (await reader?.read())?.value ?? ""
  expect(text).toMatch(/Run run_\w+ waits for concurrency \(key \\"mcp\\" of \\"free\\"\)/)
  const [, run = ""] = /(run_\w+) waits/.exec(text) ?? []
  await cancel(run)
  await cancel(holder.id)
  await reader?.cancel()
})

test("[R16] [P9] a chat token cannot set `start`", async () => {
  const { token, thread } = await t.ask<{ token: string; thread: string }>("POST", "/v1/flows/free/chat-token", {})
  const r = await t.raw(
    "POST",
    "/v1/flows/free/agui",
    {
      threadId: thread,
      runId: "r",
      messages: [{ id: "m", role: "user", content: "hi" }],
      forwardedProps: { sluice: { start: { priority: "high" } } },
    },
    { authorization: `Bearer ${token}` },
  )
  expect([r.status, await r.text()]).toEqual([403, expect.stringContaining("cannot set `start`")])
})
