// Forks and starts again of runs with keys [R15, R44]: they begin now or not at all, and what is staged holds no key.

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { beforeAll, expect, test } from "vitest"
import { tenant, tenantObject, until, type Tenant } from "../../../support/worker/service-client.ts"

const FLOW = (name: string, start: string): string =>
  `name: ${name}\ndescription: d\ninputs: { repo: { type: string } }\n${start}steps:\n  - { id: a, type: wait, for: 1h }\n`
const OF = (name: string, below: string): string => `name: ${name}\ndescription: d\nsteps:\n  - { id: r, type: flow-ref, flow: ${below} }\n`

let t: Tenant

beforeAll(async () => {
  t = await tenant("fork-keys")
  await t.ask("PUT", "/v1/catalog", {
    flows: {
      "one.yaml": FLOW("one", 'start: { concurrency: { key: "${{flow.input.repo}}" } }\n'),
      "paced.yaml": FLOW("paced", "start: { throttle: { limit: 1, period: 1h } }\n"),
      "free.yaml": FLOW("free", ""),
      "told.yaml": FLOW("told", "start: { concurrency: {} }\n").replace("for: 1h", "signal: go"),
      "keyed.yaml": FLOW("keyed", "start: { concurrency: { key: below } }\n"),
      "ofkeyed.yaml": OF("ofkeyed", "keyed"),
    },
  })
})

interface Seen {
  readonly id: string
  readonly status: string
  readonly children: readonly string[]
}
const start = (flow: string, more: object = {}): Promise<Seen> =>
  t.ask<Seen>("POST", `/v1/flows/${flow}/runs`, { inputs: { repo: "shop" }, ...more })
const view = (id: string): Promise<Seen> => t.ask<Seen>("GET", `/v1/runs/${id}`)
const is = (id: string, status: string): Promise<unknown> => until(async () => (await view(id)).status === status, `${id} is ${status}`)
const cancel = async (id: string): Promise<void> => {
  await t.ask("POST", `/v1/runs/${id}/cancel`)
  await is(id, "canceled")
}
const over = async (flow: string, more: object = {}): Promise<string> => {
  const { id } = await start(flow, more)
  await is(id, "waiting")
  await cancel(id)
  return id
}
const forked = (id: string, body: object = {}): Promise<Seen> => t.ask<Seen>("POST", `/v1/runs/${id}/fork`, body)
const again = (id: string): Promise<Seen> => t.ask<Seen>("POST", `/v1/runs/${id}/again`, {})

test("[R15] a live fork and a start again are 409 key_busy while their key is held, and hold it once they have begun", async () => {
  const source = await over("one")
  const holder = await start("one")
  await is(holder.id, "waiting")
  await expect(again(source)).rejects.toThrow(new RegExp(`409.*key_busy.*${holder.id}`, "s"))
  await expect(forked(source, { effects: "live" })).rejects.toThrow(/409.*key_busy/s)
  await cancel(holder.id)
  const fork = await until(() => again(source).catch(() => undefined), "the key is free")
  expect((await start("one", { start: { priority: "high" } })).status).toBe("queued")
  await expect(again(source)).rejects.toThrow(new RegExp(`409.*key_busy.*${fork.id}`, "s"))
  await cancel(fork.id)
  const { data } = await t.ask<{ data: { run: string; state: string }[] }>("GET", "/v1/starts?flow=one")
  for (const { run } of data) await cancel(run)
})

test("[R15] a fork that is staged or dry holds no key and waits for none, and neither do the runs below it", async () => {
  const holder = await start("one")
  await is(holder.id, "waiting")
  const forks = [await forked(holder.id), await forked(holder.id, { effects: "dry" })]
  for (const { id } of forks) await is(id, "waiting")
  const { data: holders } = await t.ask<{ data: { run: string }[] }>("GET", "/v1/starts?flow=one")
  expect(holders.map(({ run }) => run)).toEqual([holder.id])
  const family = await t.ask<Seen>("POST", "/v1/flows/ofkeyed/runs", { task: "go" })
  const [child = ""] = await until(
    async () => ((await view(family.id)).children.length > 0 ? (await view(family.id)).children : undefined),
    "its child",
  )
  await is(child, "waiting")
  const staged = await forked(family.id)
  const [below = ""] = await until(
    async () => ((await view(staged.id)).children.length > 0 ? (await view(staged.id)).children : undefined),
    "its child",
  )
  await is(below, "waiting")
  for (const id of [holder.id, ...forks.map((fork) => fork.id), family.id, staged.id]) await cancel(id)
})

test("[R15] a start again that the throttle does not allow now is 429 quota", async () => {
  const source = await over("paced")
  await expect(again(source)).rejects.toThrow(/429.*quota/s)
})

test("[R15] of a flow without a rule a fork obeys the key of its source's start", async () => {
  const said = { start: { concurrency: { key: "k" } } }
  const source = await over("free", said)
  const holder = await start("free", said)
  await is(holder.id, "waiting")
  await expect(again(source)).rejects.toThrow(/409.*key_busy/s)
  await cancel(holder.id)
})

test("[R15] of a flow without a rule a fork obeys the throttle of its source's start, and says when it began", async () => {
  const said = { start: { throttle: { key: "t", limit: 2, period: "1h" } } }
  const source = await over("free", said)
  const fork = await again(source)
  const { start: times } = await t.ask<{ start?: object }>("GET", `/v1/runs/${fork.id}`)
  expect(times).toMatchObject({ began: expect.any(Number), throttle: { pool: "free", key: "t", limit: 2, period: 3_600_000 } })
  await expect(again(source)).rejects.toThrow(/429.*quota/s)
  // What is staged obeys nothing, and what goes on from it live obeys what its source obeyed.
  const staged = await forked(source)
  expect((await t.ask<{ start?: object }>("GET", `/v1/runs/${staged.id}`)).start).toBeUndefined()
  await is(staged.id, "waiting")
  await expect(forked(staged.id, { effects: "live" })).rejects.toThrow(/429.*quota/s)
  for (const id of [fork.id, staged.id]) await cancel(id)
})

interface Item {
  readonly run: string
  readonly outcome: string
  readonly new?: string
  readonly reason?: string
}
const bulked = async (body: object): Promise<{ readonly of: (run: string) => Promise<Item | undefined> }> => {
  const { id } = await t.ask<{ id: string }>("POST", "/v1/bulk", body)
  const items = async (): Promise<readonly Item[]> => (await t.ask<{ data: Item[] }>("GET", `/v1/bulk/${id}/items`)).data
  return { of: async (run) => (await items()).find((item) => item.run === run) }
}

test("[R44] an again of a bulk stands in line with the priority low, and its item is done when it has arrived", async () => {
  const source = await over("one")
  const holder = await start("one")
  await is(holder.id, "waiting")
  const { of } = await bulked({ action: "again", runs: [source] })
  const made = await until(async () => ((await of(source))?.outcome === "done" ? (await of(source))?.new : undefined), "it has arrived")
  interface Waits extends Seen {
    readonly fork?: { readonly run: string }
    readonly tags: readonly string[]
    readonly waiting?: object
    readonly start?: { readonly priority?: string; readonly held?: string; readonly merged?: number }
  }
  const read = (): Promise<Waits> => t.ask<Waits>("GET", `/v1/runs/${made}`)
  expect(await read()).toMatchObject({
    status: "queued",
    trigger: { kind: "fork" },
    fork: { run: source },
    waiting: { reason: "concurrency", pool: "one", key: "shop", ahead: 0, run: holder.id },
  })
  const { data } = await t.ask<{ data: { run: string; priority: string }[] }>("GET", "/v1/starts?flow=one&state=waiting")
  expect(data).toMatchObject([{ run: made, priority: "low" }])
  // Whoever comes later with the usual priority goes first.
  const later = await start("one")
  await cancel(holder.id)
  await is(later.id, "waiting")
  // Nobody needs the source any more.
  await t.ask("DELETE", `/v1/runs/${source}`)
  await cancel(later.id)
  await is(made, "waiting")
  expect(await read()).toMatchObject({
    fork: { run: source },
    start: { priority: "low", held: "concurrency", concurrency: { key: "shop" } },
  })
  const { data: events } = await t.ask<{ data: { type: string }[] }>("GET", `/v1/runs/${made}/events`)
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual(["run.started", "run.forked"])
  // It holds its key.
  expect((await start("one")).status).toBe("queued")
  const held = await t.ask<{ data: { run: string }[] }>("GET", "/v1/starts?flow=one")
  for (const { run } of held.data) await cancel(run)
})

test("[R44] a signal that an again got in line is there when it begins", async () => {
  const source = await over("told")
  const holder = await start("told")
  await is(holder.id, "waiting")
  const { of } = await bulked({ action: "again", runs: [source] })
  const made = await until(async () => (await of(source))?.new, "it has arrived")
  await t.ask("POST", `/v1/runs/${made}/signals/go`, {})
  await cancel(holder.id)
  await is(made, "succeeded")
})

test("[R44] [R13] an again in line that is canceled ends without having begun", async () => {
  const source = await over("one")
  const holder = await start("one")
  await is(holder.id, "waiting")
  const { of } = await bulked({ action: "again", runs: [source] })
  const made = await until(async () => (await of(source))?.new, "it has arrived")
  await cancel(made)
  const { data } = await t.ask<{ data: { type: string }[] }>("GET", `/v1/runs/${made}/events`)
  expect(data.map(({ type }) => type)).toEqual(["run.started", "run.ended"])
  await cancel(holder.id)
})

test("[R44] [R13] [R18] an again in line counts as started by the key that asked for its bulk, and goes when that is revoked with its starts", async () => {
  const source = await over("one")
  const holder = await start("one")
  await is(holder.id, "waiting")
  const made = await t.ask<{ id: string; key: string }>("POST", "/v1/keys", { name: "bulker", scopes: ["runs:write", "runs:read"] })
  const asked = await t.raw("POST", "/v1/bulk", { action: "again", runs: [source] }, { authorization: `Bearer ${made.key}` })
  expect(asked.status).toBe(202)
  const lined = async (): Promise<string | undefined> =>
    (await t.ask<{ data: { run: string }[] }>("GET", "/v1/starts?api_key=bulker")).data[0]?.run
  const again = await until(lined, "the again stands in line")
  await t.ask("DELETE", `/v1/keys/${made.id}?starts=cancel`)
  await is(again, "canceled")
  await cancel(holder.id)
})

test("[R44] a bulk's fork whose key is busy is tried again, and others go on meanwhile", async () => {
  const [source, other] = [await over("one"), await over("free")]
  const holder = await start("one")
  await is(holder.id, "waiting")
  const { of } = await bulked({ action: "fork", runs: [source, other], fork: { effects: "live" } })
  await until(async () => (await of(other))?.outcome === "done", "the other one is done")
  await until(async () => (await of(source))?.reason?.includes(holder.id), "the busy one says why it waits")
  expect((await of(source))?.outcome).toBe("waiting")
  await cancel(holder.id)
  await until(async () => {
    await runInDurableObject(tenantObject(t.id), (_, { storage }) => storage.sql.exec("UPDATE bulk_item SET due = 1 WHERE due IS NOT NULL"))
    await runDurableObjectAlarm(tenantObject(t.id))
    return (await of(source))?.outcome === "done"
  }, "the busy one is done")
})
