// Windows with real objects [R9–R11]: many starts become one run, of the last one or of all, and whoever joined is answered with it.

import { env } from "cloudflare:workers"
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { beforeAll, expect, test, vi } from "vitest"
import { RunStart } from "../../../../src/cloudflare/run/run-start.ts"
import { portOf } from "../../../../src/cloudflare/platform/port-of.ts"
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
  // [R18] Of the starts that wait, the one that opened the window stands for all.
  const { data } = await t.ask<{ data: unknown[] }>("GET", "/v1/starts?flow=last&key=a")
  expect(data).toMatchObject([{ run: first.id, state: "waiting", merged: 3, waiting: { reason: "debounce", key: "a" } }])
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
  for (const items of [1, [2, 3], { four: 4 }, "5", [6]])
    ids.push((await start("all", { repo: "a", items, sha: JSON.stringify(items) })).id)
  expect(new Set(ids).size).toBe(1)
  const seen = await ended(ids[0] ?? "")
  expect(seen.inputs).toMatchObject({ items: [1, 2, 3, { four: 4 }, "5", 6], sha: "[6]" })
  expect(seen.start?.merged).toBe(5)
  expect((await start("all", { repo: "a", items: [7] })).id).not.toBe(ids[0])
})

test("[R11] a start that opened a window and was lost is no item of that run, and sent again it is in another, once", async () => {
  const key = { "idempotency-key": "windows-lost" }
  const send = (item: number): Promise<Seen> => start("all", { repo: "lost", items: item }, item === 1 ? key : undefined)
  const lost = vi.spyOn(RunStart.prototype, "start").mockRejectedValueOnce(new Error("the way there is lost"))
  await expect(send(1)).rejects.toThrow()
  lost.mockRestore()
  const ids = new Set<string>()
  for (const item of [2, 3, 4, 5]) ids.add((await send(item)).id)
  const [first = "", ...others] = ids
  expect(others).toEqual([])
  expect((await ended(first)).inputs.items).toEqual([2, 3, 4, 5])
  const again = await send(1)
  expect(again.status).toBe("queued")
  expect(again.id).not.toBe(first)
  expect((await t.ask<Seen>("GET", `/v1/runs/${again.id}`)).inputs.items).toEqual([1])
  expect((await send(1)).id).toBe(again.id)
  expect((await send(6)).id).toBe(again.id)
})

test("[R11] a start that was stored unheard and, sent again, has joined another run leaves no run of its own in the list", async () => {
  const key = { "idempotency-key": "windows-unheard" }
  const { start: real } = RunStart.prototype
  const unheard = vi.spyOn(RunStart.prototype, "start").mockImplementationOnce(async function (this: RunStart, ...call) {
    await real.apply(this, call)
    throw new Error("the answer is lost")
  })
  await expect(start("all", { repo: "unheard", items: 1 }, key)).rejects.toThrow()
  const own = unheard.mock.calls[0]?.[0].run ?? ""
  unheard.mockRestore()
  // The tenant's object was reset, and has neither the start nor the run's report.
  await runInDurableObject(tenantObject(t.id), (_, { storage }) => {
    for (const [table, name] of [
      ["start_line", "run"],
      ["run", "id"],
    ])
      storage.sql.exec(`DELETE FROM ${table} WHERE ${name} = ?`, own)
  })
  await evictDurableObject(tenantObject(t.id))
  const other = await start("all", { repo: "unheard", items: 2 })
  expect((await start("all", { repo: "unheard", items: 1 }, key)).id).toBe(other.id)
  await runDurableObjectAlarm(runObject(t.id, own))
  const { data } = await t.ask<{ data: { id: string }[] }>("GET", "/v1/runs?flow=all&status=queued")
  const ids = data.map(({ id }) => id)
  expect(ids).toContain(other.id)
  expect(ids).not.toContain(own)
  await expect(t.ask("GET", `/v1/runs/${own}`)).rejects.toThrow("404")
  expect(await runInDurableObject(runObject(t.id, own), (_, { storage }) => storage.getAlarm())).toBeNull()
})

test("[R11] what opened a window and comes when its run has begun without it is no answer, and sent again it is in another", async () => {
  const key = { "idempotency-key": "windows-late" }
  const send = (item: number): Promise<Seen> => start("all", { repo: "late", items: item }, item === 1 ? key : undefined)
  const late = Promise.withResolvers<undefined>()
  const { start: real } = RunStart.prototype
  const held = vi.spyOn(RunStart.prototype, "start").mockImplementationOnce(async function (this: RunStart, ...call) {
    await late.promise
    return real.apply(this, call)
  })
  const first = send(1).catch(() => undefined)
  await until(async () => held.mock.calls.length > 0, "the start on its way")
  const ids = new Set<string>()
  for (const item of [2, 3, 4, 5]) ids.add((await send(item)).id)
  const [run = ""] = ids
  expect((await ended(run)).inputs.items).toEqual([2, 3, 4, 5])
  late.resolve(undefined)
  expect(await first).toBeUndefined()
  held.mockRestore()
  const again = await send(1)
  expect(again.id).not.toBe(run)
  expect((await t.ask<Seen>("GET", `/v1/runs/${again.id}`)).inputs.items).toEqual([1])
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

test("[R9] [R11] [R17] 1,000 deliveries to 20 keys with three resets are 20 runs, each with its key's last body", async () => {
  const block = { debounce: { key: "${{trigger.body.repo}}", period: "1h", timeout: "1d" } }
  const mapping = { inputs: { repo: "${{trigger.body.repo}}", sha: "${{trigger.body.sha}}" } }
  const { id } = await t.ask<{ id: string }>("POST", "/v1/hooks", { flow: "plain", kind: "token", secret: "hs", mapping, start: block })
  const sql = <R>(query: string): Promise<R[]> =>
    runInDurableObject(tenantObject(t.id), (_, { storage }) => storage.sql.exec(query).toArray() as unknown as Promise<R[]>)
  const take = async (key: number, sha: number): Promise<void> => {
    const inputs = { repo: `repo ${key}`, sha: `${sha}` }
    const what = { verdict: "accepted", task: "", inputs, payload: { headers: {}, body: inputs, query: {} } } as const
    const delivered = { external: null, keys: [`id:${key}/${sha}`], what }
    // A sender whose delivery was not answered sends it again.
    for (let tries = 0; tries < 20; tries++)
      if (
        await portOf(env, t.id, "hooks")
          .take(id, delivered)
          .catch(() => undefined)
      )
        return
    throw new Error("no answer")
  }
  for (let sha = 0; sha < 50; sha++) {
    const sent = Promise.all(Array.from({ length: 20 }, (_, key) => take(key, sha)))
    if (sha % 16 === 10) await evictDurableObject(tenantObject(t.id))
    await sent
  }
  // What a reset interrupted is started by the alarm, and no older delivery becomes the last one for it.
  await until(async () => {
    await sql("UPDATE delivery SET due = 1 WHERE due IS NOT NULL")
    await runDurableObjectAlarm(tenantObject(t.id))
    return (await sql("SELECT 1 FROM delivery WHERE due IS NOT NULL")).length === 0
  }, "every delivery is decided")
  const rows = await sql<{ run: string; verdict: string; count: number }>(
    `SELECT run, verdict, count(*) AS count FROM delivery WHERE hook = '${id}' GROUP BY run, verdict`,
  )
  const runs = [...new Set(rows.map(({ run }) => run))]
  const counted = (verdict: string) => rows.filter((row) => row.verdict === verdict).reduce((sum, { count }) => sum + count, 0)
  expect([runs.length, counted("accepted"), counted("merged")]).toEqual([20, 20, 980])
  await sql("UPDATE start_line SET due = 1, body = json_set(body, '$.window.full', json('true')) WHERE state = -1")
  await runDurableObjectAlarm(tenantObject(t.id))
  const seen = await Promise.all(runs.map((run) => ended(run)))
  expect(seen.map(({ inputs, start: times }) => [inputs.sha, times?.merged])).toEqual(runs.map(() => ["49", 50]))
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
