// Windows with real objects [R9–R11]: many starts become one run, of the last one or of all, and whoever joined is answered with it.

import { env } from "cloudflare:workers"
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test"
import { beforeAll, expect, test } from "vitest"
import { runObject, tenant, tenantObject, until, type Tenant } from "../../../support/worker/service-client.ts"

const flow = (name: string, start: string): string =>
  `name: ${name}\ndescription: d\ninputs: { repo: { type: string }, sha: { type: string }, items: { type: array } }\nstart: ${start}\nsteps:\n  - { id: a, type: wait, for: 1ms }\noutputs: { sha: "\${{flow.input.sha}}" }\n`
const FLOWS = {
  "last.yaml": flow("last", '{ debounce: { key: "${{flow.input.repo}}", period: 1s } }'),
  "all.yaml": flow("all", '{ batch: { key: "${{flow.input.repo}}", size: 5, timeout: 1m, into: items } }'),
  "plain.yaml": flow("plain", "{ priority: normal }"),
}

let t: Tenant

beforeAll(async () => {
  t = await tenant("windows")
  await t.ask("PUT", "/v1/catalog", { flows: FLOWS })
  await t.ask("PUT", "/v1/secrets/hs", { value: "s3cret-of-the-hook" })
})

interface Seen {
  readonly id: string
  readonly status: string
  readonly merged?: true
  readonly inputs: { readonly sha?: string; readonly items?: unknown[] }
  readonly start?: { readonly merged?: number }
}
const start = (name: string, inputs: object, headers?: Record<string, string>): Promise<Seen> =>
  t.ask<Seen>("POST", `/v1/flows/${name}/runs`, { inputs }, headers)
const ended = (id: string): Promise<Seen> =>
  until(async () => {
    const seen = await t.ask<Seen>("GET", `/v1/runs/${id}`)
    return seen.status === "succeeded" && seen
  }, `${id} has ended`)
const states = (): Promise<unknown[]> =>
  runInDurableObject(tenantObject(t.id), (_, { storage }) => storage.sql.exec("SELECT state FROM start_line").toArray())

test("[R9] starts of a key merge into the first one's run, which is given what the last one brought", async () => {
  const first = await start("last", { repo: "a", sha: "1" })
  expect([first.status, first.merged]).toEqual(["queued", undefined])
  const second = await start("last", { repo: "a", sha: "2" })
  const third = await start("last", { repo: "a", sha: "3" })
  const other = await start("last", { repo: "b", sha: "9" })
  expect([second.id, second.merged, third.id]).toEqual([first.id, true, first.id])
  expect(other.id).not.toBe(first.id)
  expect(await ended(first.id)).toMatchObject({ inputs: { sha: "3" }, start: { merged: 3 } })
  expect((await ended(other.id)).start?.merged).toBeUndefined()
})

test("[R11] the same Idempotency-Key joins once, and is answered with the run that it joined, also when that is over", async () => {
  const first = await start("last", { repo: "c", sha: "1" })
  const key = { "idempotency-key": "windows-1" }
  const joined = await start("last", { repo: "c", sha: "2" }, key)
  expect((await start("last", { repo: "c", sha: "2" }, key)).id).toBe(first.id)
  expect([joined.id, (await ended(first.id)).start?.merged]).toEqual([first.id, 2])
  expect((await start("last", { repo: "c", sha: "2" }, key)).id).toBe(first.id)
})

test("[R10] a batch is one run with every item, in the order of arrival", async () => {
  const ids = []
  for (const items of [1, [2, 3], { four: 4 }, "5", [6]]) ids.push((await start("all", { repo: "a", items, sha: JSON.stringify(items) })).id)
  expect(new Set(ids).size).toBe(1)
  const seen = await ended(ids[0] ?? "")
  expect(seen.inputs).toMatchObject({ items: [1, 2, 3, { four: 4 }, "5", 6], sha: "[6]" })
  expect(seen.start?.merged).toBe(5)
  expect((await start("all", { repo: "a", items: [7] })).id).not.toBe(ids[0])
})

test("[R11] canceling the run drops the window with all its starts", async () => {
  const first = await start("last", { repo: "d", sha: "1" })
  await start("last", { repo: "d", sha: "2" })
  await t.ask("POST", `/v1/runs/${first.id}/cancel`)
  await until(async () => (await t.ask<Seen>("GET", `/v1/runs/${first.id}`)).status === "canceled", "canceled")
  const next = await start("last", { repo: "d", sha: "3" })
  expect([next.id === first.id, next.merged]).toEqual([false, undefined])
  expect((await ended(next.id)).inputs.sha).toBe("3")
})

test("[R9] [R17] deliveries merge: 1,000 to 20 keys with three resets are 20 runs, each with its key's last body", async () => {
  const block = { debounce: { key: "${{trigger.body.repo}}", period: "2s", timeout: "1m" } }
  const mapping = { inputs: { repo: "${{trigger.body.repo}}", sha: "${{trigger.body.sha}}" } }
  const hook = await t.ask<{ id: string }>("POST", "/v1/hooks", { flow: "plain", kind: "token", secret: "hs", mapping, start: block })
  const headers = { "content-type": "application/json", authorization: "Bearer s3cret-of-the-hook" }
  const send = async (key: number, sha: string): Promise<{ run: string; verdict: string }> => {
    for (let tries = 0; ; tries++) {
      const body = JSON.stringify({ repo: `repo ${key}`, sha })
      const r = await SELF.fetch(`http://sluice/v1/hooks/${hook.id}`, { method: "POST", headers, body }).catch(() => undefined)
      if (r?.status === 202 || r?.status === 200) return r.json()
      if (tries > 20) throw new Error(`${r?.status} ${await r?.text()}`)
    }
  }
  const verdicts: Record<string, number> = {}
  const runs = new Set<string>()
  for (let round = 0; round < 50; round++) {
    const all = await Promise.all(Array.from({ length: 20 }, (_, key) => send(key, `${round}`)))
    for (const { run, verdict } of all) {
      verdicts[verdict] = (verdicts[verdict] ?? 0) + 1
      runs.add(run)
    }
    if (round % 15 === 10) await evictDurableObject(env.TENANT.get(env.TENANT.idFromName(t.id)))
  }
  expect(Object.keys(verdicts).toSorted()).toEqual(["accepted", "merged"])
  const seen = await Promise.all([...runs].map((id) => ended(id)))
  const lasts = seen.filter(({ inputs }) => inputs.sha === "49")
  expect([lasts.length, runs.size]).toEqual([20, 20])
}, 120_000)

test("[R10] a batch of 50 has each body once, in order, also when the run's object is reset", async () => {
  await t.ask("PUT", "/v1/catalog", { flows: { ...FLOWS, "all.yaml": FLOWS["all.yaml"].replace("size: 5", "size: 50") } })
  let id = ""
  for (let n = 1; n <= 50; n++) {
    id = (await start("all", { repo: "z", items: n })).id
    if (n % 20 === 0) await evictDurableObject(runObject(t.id, id))
  }
  const seen = await ended(id)
  expect(seen.inputs.items).toEqual(Array.from({ length: 50 }, (_, n) => n + 1))
})

test("[R11] who joined is remembered for a day after the window's end, and then nothing is left", async () => {
  await until(async () => (await states()).every((row) => [4, 6, -1].includes((row as { state: number }).state)), "all runs are over")
  await runInDurableObject(tenantObject(t.id), (_, { storage }) => storage.sql.exec("UPDATE start_line SET due = 1 WHERE state = 4"))
  await until(async () => {
    await runDurableObjectAlarm(tenantObject(t.id))
    return (await states()).every((row) => (row as { state: number }).state === -1)
  }, "nothing is left but what still waits")
})
