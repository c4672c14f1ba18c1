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

test("[R15] a staged fork holds no key and waits for none, and neither do the runs below it", async () => {
  const holder = await start("one")
  await is(holder.id, "waiting")
  const fork = await forked(holder.id)
  await is(fork.id, "waiting")
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
  for (const id of [holder.id, fork.id, family.id, staged.id]) await cancel(id)
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

test("[R44] a bulk's fork whose key is busy is tried again, and others go on meanwhile", async () => {
  const [source, other] = [await over("one"), await over("free")]
  const holder = await start("one")
  await is(holder.id, "waiting")
  const bulk = await t.ask<{ id: string }>("POST", "/v1/bulk", { action: "fork", runs: [source, other], fork: { effects: "live" } })
  interface Item {
    readonly run: string
    readonly outcome: string
    readonly reason?: string
  }
  const items = async (): Promise<readonly Item[]> => (await t.ask<{ data: Item[] }>("GET", `/v1/bulk/${bulk.id}/items`)).data
  const of = async (run: string): Promise<Item | undefined> => (await items()).find((item) => item.run === run)
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
