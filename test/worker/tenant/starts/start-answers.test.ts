// What each caller is told of a start that joined or was skipped [R17], and who counts as having started its run [R9, R10].

import { beforeAll, expect, test } from "vitest"
import { tenant, until, type Tenant } from "../../../support/worker/service-client.ts"

const FLOW = (name: string, start: string, step = "for: 1h"): string =>
  `name: ${name}\ndescription: d\ninputs: { items: { type: array } }\nstart: ${start}\nsteps:\n  - { id: a, type: wait, ${step} }\n`

let t: Tenant

beforeAll(async () => {
  t = await tenant("start-answers")
  await t.ask("PUT", "/v1/catalog", {
    flows: {
      "once.yaml": FLOW("once", "{ concurrency: { key: k, overlap: skip } }"),
      "last.yaml": FLOW("last", "{ debounce: { period: 1h, timeout: 1d } }"),
      "all.yaml": FLOW("all", "{ batch: { size: 3, timeout: 1m, into: items } }", "for: 1ms"),
    },
  })
})

interface Seen {
  readonly id: string
  readonly status: string
  readonly starters?: object[]
}
interface Fired {
  readonly run: string | null
  readonly verdict: string
}
const view = (id: string): Promise<Seen> => t.ask<Seen>("GET", `/v1/runs/${id}`)
const is = (id: string, status: string): Promise<unknown> => until(async () => (await view(id)).status === status, `${id} is ${status}`)
const cancel = (id: string): Promise<unknown> => t.ask("POST", `/v1/runs/${id}/cancel`)
const scheduled = async (flow: string): Promise<() => Promise<Fired>> => {
  const { id } = await t.ask<{ id: string }>("POST", "/v1/schedules", { flow, cron: "0 0 1 1 *", overlap: "parallel" })
  return () => t.ask<Fired>("POST", `/v1/schedules/${id}/fire`)
}

test("[R17] a fire that joins a window is `merged` with the run, and one whose key is busy is `skipped` without", async () => {
  const fire = await scheduled("last")
  const first = await fire()
  expect(first.verdict).toBe("queued")
  expect(await fire()).toMatchObject({ run: first.run, verdict: "merged" })
  await cancel(first.run ?? "")
  const busy = await scheduled("once")
  const holder = await busy()
  await is(holder.run ?? "", "waiting")
  expect(await busy()).toMatchObject({ run: null, verdict: "skipped" })
  await cancel(holder.run ?? "")
})

test("[R17] a start that is skipped is key_busy at every door and over MCP, in the form of each, and nothing is started", async () => {
  const holder = await t.ask<Seen>("POST", "/v1/flows/once/runs", { task: "go" })
  await is(holder.id, "waiting")
  const responses = await t.raw("POST", "/v1/responses", { model: "once", input: "hi" })
  const chat = await t.raw("POST", "/v1/chat/completions", { model: "once", messages: [{ role: "user", content: "hi" }] })
  const message = { messageId: "m1", role: "ROLE_USER", parts: [{ text: "hi" }] }
  const a2a = await t.raw("POST", "/a2a/once/message:send", { message }, { "a2a-version": "1.0" })
  for (const answer of [responses, chat, a2a]) {
    const text = await answer.text()
    expect([answer.status, text]).toEqual([409, expect.stringContaining(holder.id)])
    expect(text.toLowerCase()).toContain("key_busy")
  }
  const mcp = await t.raw(
    "POST",
    "/mcp",
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "flow_once", arguments: { task: "go" } } },
    { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" },
  )
  const said = await mcp.text()
  expect(said).toContain("key_busy")
  expect(said).toContain(holder.id)
  const { data } = await t.ask<{ data: Seen[] }>("GET", "/v1/runs?flow=once")
  expect(data.filter(({ status }) => status !== "canceled").map(({ id }) => id)).toEqual([holder.id])
  await cancel(holder.id)
})

test("[R9] [R10] all whose starts joined started the run, and each one's callback hears of it, equal ones once", async () => {
  await t.ask("PUT", "/v1/secrets/cb", { value: `whsec_${btoa("s3cret-of-the-callback-32-letters")}` })
  const made = await t.ask<{ key: string }>("POST", "/v1/keys", { name: "bo", scopes: ["runs:write", "runs:read"] })
  const to = (url: string): object => ({ url: `https://${url}.example.com/in`, events: ["run.failed"], secret: "cb" })
  const send = async (item: number, callback: object, headers?: Record<string, string>): Promise<Seen> => {
    const r = await t.raw("POST", "/v1/flows/all/runs", { inputs: { items: item }, callback }, headers)
    const seen = await r.json<Seen>()
    expect([r.status, seen]).toEqual([202, expect.anything()])
    return seen
  }
  const first = await send(1, to("a"), { authorization: `Bearer ${made.key}` })
  await send(2, to("b"))
  expect((await send(3, to("b"))).id).toBe(first.id)
  await is(first.id, "succeeded")
  expect((await view(first.id)).starters).toEqual([{ kind: "api", key: "bo" }])
  const { data } = await t.ask<{ data: Seen[] }>("GET", "/v1/runs?api_key=bo")
  expect(data.map(({ id }) => id)).toEqual([first.id])
  const { data: events } = await t.ask<{ data: { callback?: object; callbacks?: object[] }[] }>("GET", `/v1/runs/${first.id}/events`)
  expect(events[0]).toMatchObject({ callback: { url: "https://b.example.com/in" }, callbacks: [{ url: "https://a.example.com/in" }] })
})
