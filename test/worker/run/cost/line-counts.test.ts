// What the line costs the tenant's object: a start that joins a window, and a beginning with a long line behind it [R5, R9, R21].

import { runInDurableObject } from "cloudflare:test"
import { expect, test, vi } from "vitest"
import { counted, type Counted } from "../../../support/worker/counted-calls.ts"
import { blockOf, startLined } from "../../../support/worker/lined-start.ts"
import { CATALOG, tenant, tenantObject, until, type Tenant } from "../../../support/worker/service-client.ts"

const LINE = /\bstart_(?:line|thing)\b/
const begin = (t: Tenant, flow: string): Promise<{ id: string; merged?: true }> => t.ask("POST", `/v1/flows/${flow}/runs`, { task: "go" })

test("[R9] [R21] a start that joins a window is three rows of its tenant and one call to it more than one without a block", async () => {
  const t = await tenant("line-joins")
  const gathered =
    "name: gathered\ndescription: d\nstart: { debounce: { key: k, period: 1h } }\nsteps:\n  - { id: a, type: agent, agent: a }\n"
  await t.ask("PUT", "/v1/catalog", { ...CATALOG, flows: { ...CATALOG.flows, "gathered.yaml": gathered } })
  const { id } = await begin(t, "gathered")
  await begin(t, "gathered")
  const seen = await counted(t.id, async () => {
    expect(await begin(t, "gathered")).toMatchObject({ id, merged: true })
  })
  // Without a block it is two: its own run reports its end.
  expect(seen.calls.filter((call) => call.startsWith("tenant "))).toEqual([
    "tenant starts.pin",
    "tenant starts.arrive",
    "tenant starts.waiting",
  ])
  expect(seen.rowsWritten()).toBeLessThanOrEqual(3)
  await t.ask("POST", `/v1/runs/${id}/cancel`)
}, 60_000)

test("[R21] a start that waits for its key is two calls to the object of its tenant more than one without a block, if nothing that it is judged by changes", async () => {
  const t = await tenant("line-waits")
  const keyed = "name: keyed\ndescription: d\nstart: { concurrency: { key: k } }\nsteps:\n  - { id: a, type: agent, agent: a }\n"
  const held =
    "name: held\ndescription: d\nstart: { concurrency: { key: k, pool: keyed } }\nsteps:\n  - { id: a, type: wait, signal: go }\n"
  await t.ask("PUT", "/v1/catalog", { ...CATALOG, flows: { ...CATALOG.flows, "keyed.yaml": keyed, "held.yaml": held } })
  const ended = async (id: string): Promise<boolean> => (await t.ask<{ status: string }>("GET", `/v1/runs/${id}`)).status === "succeeded"
  const waited = async (meanwhile: () => Promise<unknown> = async () => undefined): Promise<Counted> => {
    const first = await begin(t, "held")
    return counted(t.id, async ({ calls }) => {
      const { id } = await begin(t, "keyed")
      await meanwhile()
      await t.ask("POST", `/v1/runs/${first.id}/cancel`)
      await until(() => ended(id), "it has ended")
      await until(async () => calls.filter((call) => call === "tenant runs.note").length > 2, "the reports of both ends")
    })
  }
  await waited()
  const seen = await waited()
  // The holder's cancellation is reported too, and whoever looks at a queued run asks what it waits for.
  const ofTenant = seen.calls.filter((call) => call.startsWith("tenant ") && call !== "tenant starts.waiting")
  expect(ofTenant).toEqual(["tenant starts.pin", "tenant starts.arrive", ...Array<string>(3).fill("tenant runs.note")])
  // What changes meanwhile is asked for.
  const changed = await waited(() => t.ask("PUT", "/v1/settings/prices", { "script/other": { input: 1, output: 1 } }))
  expect(changed.calls).toContain("tenant starts.groundFork")
}, 120_000)

test("[R5] with 10,000 starts in line a beginning reads at most 50 rows of the line", async () => {
  const t = await tenant("line-long")
  await t.ask("PUT", "/v1/catalog", CATALOG)
  const first = await startLined(t.id, "long", blockOf("long", "k"))
  const second = await startLined(t.id, "long", blockOf("long", "k"))
  // Ten thousand more, of this key and of a thousand others whose runs hold theirs.
  const sql = await runInDurableObject(tenantObject(t.id), (_, { storage }) => {
    storage.sql.exec(
      `WITH RECURSIVE more (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM more WHERE i < 10000)
       INSERT INTO start_line (n, run, flow, state, rank, filed, ready, began, due, held_key, held_limit, paced_key, body)
       SELECT line.n + i, line.run || i, flow, state, i % 3, CASE i % 2 WHEN 0 THEN filed ELSE filed || (i % 1000) END, ready + i, began, due + i, held_key, held_limit, paced_key, body
       FROM start_line AS line, more WHERE line.run = ?`,
      second.id,
    )
    return storage.sql
  })
  const cursors: { readonly query: string; readonly cursor: SqlStorageCursor<Record<string, SqlStorageValue>> }[] = []
  const exec = sql.exec.bind(sql)
  const spy = vi.spyOn(sql, "exec").mockImplementation((query: string, ...values) => {
    const cursor = exec(query, ...values)
    if (LINE.test(query)) cursors.push({ query, cursor })
    return cursor
  })
  await t.ask("POST", `/v1/runs/${first.id}/cancel`)
  const hasBegun = (): Promise<boolean> =>
    runInDurableObject(
      tenantObject(t.id),
      () => exec("SELECT 1 FROM start_line WHERE run = ? AND began IS NOT NULL", second.id).toArray().length > 0,
    )
  await until(hasBegun, "the next one has begun")
  spy.mockRestore()
  // The rows in line have no runs behind them, so one word follows the other: each reads for itself.
  const each = await runInDurableObject(tenantObject(t.id), () =>
    cursors.reduce<number[]>(
      ([last = 0, ...before], { query, cursor }) => {
        const sum = last + cursor.rowsRead
        return query.includes("began = ?") ? [0, sum, ...before] : [sum, ...before]
      },
      [0],
    ),
  )
  expect(each.length).toBeGreaterThan(1)
  expect(Math.max(...each), cursors.map(({ query }) => query).join("\n")).toBeLessThanOrEqual(50)
}, 120_000)
