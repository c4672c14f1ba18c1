// Child runs in line, and families that hold a key until all of them have ended [R6, R14].

import { runInDurableObject } from "cloudflare:test"
import { beforeAll, expect, test } from "vitest"
import { blockOf, startLined } from "../../../support/worker/lined-start.ts"
import { CATALOG, ended, start, tenant, tenantObject, until, type Tenant } from "../../../support/worker/service-client.ts"

let t: Tenant

const KEYED = "name: keyed\ndescription: d\nstart: { concurrency: { key: one } }\nsteps:\n  - { id: a, type: wait, for: 1s }\n"
const SLOW = "name: slow\ndescription: d\nsteps:\n  - { id: a, type: wait, for: 10m }\n"
const MAP =
  'name: mapped\ndescription: d\nsteps:\n  - { id: m, type: map, over: "[1, 2, 3]", do: keyed, max_concurrent: 3, task: "${{item}}" }\n'
const ABOVE =
  "name: above\ndescription: d\nstart: { concurrency: { key: x, pool: shared } }\nsteps:\n  - { id: r, type: flow-ref, flow: under }\n"
const UNDER =
  "name: under\ndescription: d\nstart: { concurrency: { key: x, pool: shared } }\nsteps:\n  - { id: a, type: agent, agent: a }\n"
const SKIPPED =
  "name: skipped\ndescription: d\nstart: { concurrency: { key: s, overlap: skip } }\nsteps:\n  - { id: a, type: wait, for: 10m }\n"
const OF_SKIPPED = "name: ofskipped\ndescription: d\nsteps:\n  - { id: r, type: flow-ref, flow: skipped }\n"
const OF_SLOW = "name: ofslow\ndescription: d\nsteps:\n  - { id: r, type: flow-ref, flow: slow }\n"
/** A family that holds one key and whose grandchild wants another one. */
const HOLDS = (name: string, key: string, below: string) =>
  `name: ${name}\ndescription: d\nstart: { concurrency: { key: ${key}, pool: ring } }\nsteps:\n  - { id: r, type: flow-ref, flow: ${below} }\n`
const PASSES = (name: string, below: string) =>
  `name: ${name}\ndescription: d\nsteps:\n  - { id: w, type: wait, for: 1s }\n  - { id: r, type: flow-ref, flow: ${below} }\n`
const WANTS = (name: string, key: string) =>
  `name: ${name}\ndescription: d\nstart: { concurrency: { key: ${key}, pool: ring } }\nsteps:\n  - { id: w, type: wait, for: 1s }\n`
const RING = {
  "holdsa.yaml": HOLDS("holdsa", "a", "pass1"),
  "holdsb.yaml": HOLDS("holdsb", "b", "pass2"),
  "pass1.yaml": PASSES("pass1", "pass3"),
  "pass2.yaml": PASSES("pass2", "pass4"),
  "pass3.yaml": PASSES("pass3", "wantsb"),
  "pass4.yaml": PASSES("pass4", "wantsa"),
  "wantsa.yaml": WANTS("wantsa", "a"),
  "wantsb.yaml": WANTS("wantsb", "b"),
  "deep.yaml": HOLDS("deep", "d", "pass5"),
  "pass5.yaml": PASSES("pass5", "pass6"),
  "pass6.yaml": HOLDS("pass6", "e", "pass7"),
  "pass7.yaml": PASSES("pass7", "wantse"),
  "wantse.yaml": WANTS("wantse", "e"),
}
const LIST = 'inputs: { list: { type: array, required: true } }\nsteps:\n  - { id: m, type: map, over: "${{flow.input.list}}"'

beforeAll(async () => {
  t = await tenant("start-children")
  const flows = {
    "keyed.yaml": KEYED,
    "slow.yaml": SLOW,
    "mapped.yaml": MAP.replace('steps:\n  - { id: m, type: map, over: "[1, 2, 3]"', LIST),
    "above.yaml": ABOVE,
    "under.yaml": UNDER,
    "skipped.yaml": SKIPPED,
    "ofskipped.yaml": OF_SKIPPED,
    "ofslow.yaml": OF_SLOW,
    ...RING,
  }
  await t.ask("PUT", "/v1/catalog", { ...CATALOG, flows: { ...CATALOG.flows, ...flows } })
})

interface Seen {
  readonly id: string
  readonly status: string
  readonly children: readonly string[]
  readonly created: string
  readonly ended?: string
  readonly error?: { readonly source: string; readonly message: string }
  readonly start?: { readonly began?: number }
}
const view = (id: string): Promise<Seen> => t.ask<Seen>("GET", `/v1/runs/${id}`)
const lined = (): Promise<unknown[]> =>
  runInDurableObject(tenantObject(t.id), (_, { storage }) => storage.sql.exec("SELECT * FROM start_line").toArray())

test("[R14] children of a map whose flow has a key run one after another", async () => {
  const { id } = await t.ask<{ id: string }>("POST", "/v1/flows/mapped/runs", { task: "go", inputs: { list: [1, 2, 3] } })
  expect((await ended(t, id)).status).toBe("succeeded")
  const children = await Promise.all((await view(id)).children.map(view))
  expect(children).toHaveLength(3)
  const times = children.map(({ start, ended: at = "" }) => [start?.began ?? 0, Date.parse(at)] as const).toSorted(([a], [b]) => a - b)
  for (const [i, [began]] of times.entries()) if (i > 0) expect(began).toBeGreaterThanOrEqual(times[i - 1]?.[1] ?? Number.POSITIVE_INFINITY)
  await until(async () => (await lined()).length === 0, "the line is empty")
})

test("[R14] a child whose key a run above it holds begins at once", async () => {
  const block = blockOf("above", "x", 1, { concurrency: { pool: "shared", key: "x", limit: 1, overlap: "queue", named: true } })
  const { id } = await startLined(t.id, "above", block)
  expect((await ended(t, id)).status).toBe("succeeded")
})

test("[R14] [R7] a child that is skipped fails softly, and says by what", async () => {
  const block = blockOf("skipped", "s", 1, { concurrency: { pool: "skipped", key: "s", limit: 1, overlap: "skip" } })
  const holder = await startLined(t.id, "skipped", block)
  const id = await start(t, "ofskipped")
  await ended(t, id)
  const { error } = await view(id)
  expect(error).toMatchObject({ source: "child_failed", message: expect.stringContaining(holder.id) })
  await t.ask("POST", `/v1/runs/${holder.id}/cancel`)
})

test("[R14] of two families whose grandchildren want each other's key one step fails, and names the ring", async () => {
  const started = (flow: string) => t.ask<{ id: string }>("POST", `/v1/flows/${flow}/runs`, { task: "go" })
  const [a, b] = [await started("holdsa"), await started("holdsb")]
  await ended(t, a.id)
  await ended(t, b.id)
  const seen = await Promise.all([view(a.id), view(b.id)])
  expect(seen.map(({ status }) => status).toSorted()).toEqual(["failed", "succeeded"])
  const failed = seen.find(({ status }) => status === "failed")
  expect(failed?.error).toMatchObject({ source: "child_failed", message: expect.stringContaining("a ring of keys") })
  await until(async () => (await lined()).length === 0, "the line is empty")
})

test("[R14] a child begins at once whose key is held by a run above it at any depth, also by one in the middle", async () => {
  const { id } = await t.ask<{ id: string }>("POST", "/v1/flows/deep/runs", { task: "go" })
  expect((await ended(t, id)).status).toBe("succeeded")
})

test("[R6] a key is held until the runs below a canceled one have ended too", async () => {
  const first = await startLined(t.id, "ofslow", blockOf("ofslow", "f"))
  await until(async () => (await view(first.id)).children.length > 0, "the child")
  const [child = ""] = (await view(first.id)).children
  const second = await startLined(t.id, "ofslow", blockOf("ofslow", "f"))
  expect(second.status).toBe("queued")
  await t.ask("POST", `/v1/runs/${first.id}/cancel`)
  const began = await until(async () => (await view(second.id)).start?.began, "the next one begins")
  const over = await view(child)
  expect(over.status).toBe("canceled")
  expect(began).toBeGreaterThanOrEqual(Date.parse(over.ended ?? ""))
  await t.ask("POST", `/v1/runs/${second.id}/cancel`)
  await until(async () => (await lined()).length === 0, "the line is empty")
})
