// The line of a tenant's object, with real objects [R5–R8, R13, R20, R22]: runs begin by its word alone, hold their keys until they are over, and
// nothing is left of them.

import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, expect, test } from "vitest"
import { runPort } from "../../../../src/cloudflare/clients/run-port.ts"
import { blockOf, lined, startLined } from "../../../support/worker/lined-start.ts"
import { CATALOG, ended, tenant, tenantObject, until, type Tenant } from "../../../support/worker/service-client.ts"

let t: Tenant

beforeAll(async () => {
  t = await tenant("start-line")
  await t.ask("PUT", "/v1/catalog", CATALOG)
})

interface Seen {
  readonly status: string
  readonly ended?: string
  readonly superseded?: string
  readonly error?: { readonly source: string; readonly message: string }
  readonly start?: { readonly arrived: number; readonly ready?: number; readonly began?: number; readonly held?: string }
}
const view = (id: string): Promise<Seen> => t.ask<Seen>("GET", `/v1/runs/${id}`)
const is = (id: string, status: string): Promise<Seen> =>
  until(async () => {
    const seen = await view(id)
    return seen.status === status && seen
  }, `${id} is ${status}`)
const cancel = (id: string): Promise<unknown> => t.ask("POST", `/v1/runs/${id}/cancel`)
const rows = (tables = ["start_line", "start_thing"]): Promise<unknown[]> =>
  runInDurableObject(tenantObject(t.id), (_, { storage }) =>
    tables.flatMap((table) => storage.sql.exec(`SELECT * FROM ${table} WHERE ${table === "start_line" ? "1" : "thing <> ''"}`).toArray()),
  )

const empty = async (): Promise<void> => {
  await until(async () => (await rows()).length === 0, "the line is empty").catch(async () => {
    expect(await rows()).toEqual([])
  })
}

test("[R6] [R20] a start whose key is free begins by the answer to its report, and one whose key is held waits until the holder is over", async () => {
  const first = await startLined(t.id, "long", blockOf("long", "a"))
  expect(first.status).toBe("waiting")
  const second = await startLined(t.id, "long", blockOf("long", "a"))
  const other = await startLined(t.id, "long", blockOf("long", "b"))
  expect([second.status, other.status]).toEqual(["queued", "waiting"])
  await cancel(first.id)
  const seen = await is(second.id, "waiting")
  expect(seen.start).toMatchObject({ held: "concurrency", concurrency: { pool: "long", key: "a", limit: 1 } })
  expect(seen.start?.began).toBeGreaterThanOrEqual(seen.start?.ready ?? Number.POSITIVE_INFINITY)
  await Promise.all([cancel(second.id), cancel(other.id)])
  await empty()
})

test("[R13] a queued start that is canceled begins and ends in one decision and gives up its place in line", async () => {
  const first = await startLined(t.id, "long", blockOf("long", "c"))
  const second = await startLined(t.id, "long", blockOf("long", "c"))
  await cancel(second.id)
  const { data } = await t.ask<{ data: { type: string }[] }>("GET", `/v1/runs/${second.id}/events`)
  expect(data.map(({ type }) => type)).toEqual(["run.started", "run.ended"])
  await cancel(first.id)
  await empty()
})

test("[R7] of overlap skip a start finds its key busy, and the answer names the run", async () => {
  const skip = blockOf("long", "s", 1, { concurrency: { pool: "long", key: "s", limit: 1, overlap: "skip" } })
  const first = await startLined(t.id, "long", skip)
  const { arrived } = await lined(t.id, "long", skip)
  expect(arrived).toEqual({ ok: false, code: "key_busy", run: first.id, pool: "long", key: "s" })
  await cancel(first.id)
  await empty()
})

test("[R8] a newer start supersedes the run that holds its key and those in line before it, and begins when it has ended", async () => {
  const block = blockOf("long", "n", 1, { concurrency: { pool: "long", key: "n", limit: 1, overlap: "supersede" } })
  const first = await startLined(t.id, "long", block)
  const second = await startLined(t.id, "long", block)
  expect(await is(first.id, "canceled")).toMatchObject({ superseded: second.id })
  await is(second.id, "waiting")
  const { data: rows } = await t.ask<{ data: { id: string }[] }>("GET", "/v1/runs?flow=long&status=canceled")
  expect(rows.find(({ id }) => id === first.id)).toMatchObject({ superseded: second.id })
  const { data } = await t.ask<{ data: { type: string }[] }>("GET", `/v1/runs/${first.id}/events`)
  expect(data.map(({ type }) => type).slice(-2)).toEqual(["run.superseded", "run.ended"])
  await cancel(second.id)
  await empty()
})

test("[R13] a start waits for its delay, and one that is in line for too long ends as start_expired and says what it waited for", async () => {
  const late = await startLined(t.id, "quick", blockOf("quick", undefined, 1, { delay: { ms: 1_500 } }))
  expect(late.status).toBe("queued")
  const { start } = (await until(async () => {
    const seen = await view(late.id)
    return seen.ended !== undefined && seen
  }, "the end")) as Seen
  expect((start?.ready ?? 0) - (start?.arrived ?? 0)).toBeGreaterThanOrEqual(1_500)
  const first = await startLined(t.id, "long", blockOf("long", "e"))
  const second = await startLined(t.id, "long", blockOf("long", "e", 1, { expires: 1_000 }))
  expect((await is(second.id, "failed")).error).toMatchObject({
    source: "start_expired",
    message: expect.stringContaining('concurrency (key "e"'),
  })
  await cancel(first.id)
  await empty()
})

test("[R1] a throttle lets no more begin within its period than its limit, and the rest follow when it is over", async () => {
  const throttle = { pool: "quick", key: "t", limit: 2, period: 2_000 }
  const all = await Promise.all(Array.from({ length: 4 }, () => startLined(t.id, "quick", blockOf("quick", undefined, 1, { throttle }))))
  await Promise.all(all.map(({ id }) => ended(t, id)))
  const began = (await Promise.all(all.map(async ({ id }) => (await view(id)).start?.began ?? 0))).toSorted((a, b) => a - b)
  expect((began[2] ?? 0) - (began[0] ?? 0)).toBeGreaterThanOrEqual(2_000)
  expect((began[3] ?? 0) - (began[1] ?? 0)).toBeGreaterThanOrEqual(2_000)
  await empty()
})

test("[R12] of those in line the high one is among the next two, whichever place is the fifth", async () => {
  const first = await startLined(t.id, "long", blockOf("long", "p"))
  const lows = [
    await startLined(t.id, "long", blockOf("long", "p", 1, { priority: "low" })),
    await startLined(t.id, "long", blockOf("long", "p", 1, { priority: "low" })),
  ]
  const high = await startLined(t.id, "long", blockOf("long", "p", 1, { priority: "high" }))
  await cancel(first.id)
  const begun = async (): Promise<string | false> => {
    for (const { id } of [high, ...lows]) if ((await view(id)).status === "waiting") return id
    return false
  }
  const next = await until(begun, "the next one")
  if (next !== high.id) {
    await cancel(next)
    await is(high.id, "waiting")
  }
  for (const { id } of [...lows, high]) await cancel(id)
  await empty()
})

test("[R13] a paused start is passed over until it is resumed", async () => {
  const first = await startLined(t.id, "long", blockOf("long", "z"))
  const paused = await startLined(t.id, "long", blockOf("long", "z"))
  const next = await startLined(t.id, "long", blockOf("long", "z"))
  await t.ask("POST", `/v1/runs/${paused.id}/pause`)
  await cancel(first.id)
  await is(next.id, "waiting")
  await t.ask("POST", `/v1/runs/${paused.id}/resume`)
  await cancel(next.id)
  await is(paused.id, "waiting")
  await cancel(paused.id)
})

test("[R20] a deleted run gives up its key or its place, and nothing of it is left", async () => {
  const first = await startLined(t.id, "long", blockOf("long", "d"))
  const second = await startLined(t.id, "long", blockOf("long", "d"))
  const third = await startLined(t.id, "long", blockOf("long", "d"))
  await runPort(env, t.id, second.id).remove()
  await runPort(env, t.id, first.id).remove()
  await is(third.id, "waiting")
  await runPort(env, t.id, third.id).remove()
  await empty()
})

test("[R18] a waiting run says what it waits for, who holds the key and how many are ahead: in its view, in the list and among the starts", async () => {
  const first = await startLined(t.id, "long", blockOf("long", "w"))
  const second = await startLined(t.id, "long", blockOf("long", "w"))
  const third = await startLined(t.id, "long", blockOf("long", "w"))
  const wait = { reason: "concurrency", pool: "long", key: "w", ahead: 1, run: first.id, expires: expect.any(String) }
  expect(second.waiting).toMatchObject({ ...wait, ahead: 0 })
  expect(await view(third.id)).toMatchObject({ status: "queued", waiting: wait })
  const listed = await t.ask<{ data: { id: string; waiting?: unknown }[] }>("GET", "/v1/runs?status=queued")
  expect(listed.data.find(({ id }) => id === third.id)?.waiting).toMatchObject(wait)
  const starts = await t.ask<{ data: unknown[]; next_cursor: string | null }>("GET", "/v1/starts?flow=long&key=w")
  expect(starts.data).toMatchObject([
    { run: first.id, flow: "long", state: "running", priority: "normal", merged: 1, concurrency: { pool: "long", key: "w", limit: 1 } },
    { run: second.id, state: "waiting", waiting: { ...wait, ahead: 0 } },
    { run: third.id, state: "waiting", waiting: wait },
  ])
  const page = await t.ask<{ data: { run: string }[]; next_cursor: string }>("GET", "/v1/starts?key=w&state=waiting&limit=1")
  expect(page.data.map(({ run }) => run)).toEqual([second.id])
  const next = await t.ask<{ data: { run: string }[] }>("GET", `/v1/starts?key=w&state=waiting&cursor=${page.next_cursor}`)
  expect(next.data.map(({ run }) => run)).toEqual([third.id])
  expect((await t.ask<{ data: unknown[] }>("GET", "/v1/starts?key=nobody")).data).toEqual([])
  for (const { id } of [third, second, first]) await cancel(id)
  await empty()
})
