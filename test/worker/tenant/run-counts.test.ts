// How many runs a tenant has [H5]: the counters agree with the list whatever happens to rows, cost the same for any number of runs, and are made
// for a tenant of an earlier build when its object wakes.

import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { portOf } from "../../../src/cloudflare/platform/port-of.ts"
import { RunCounts } from "../../../src/cloudflare/tenant/insight/run-counts.ts"
import { TenantSql } from "../../../src/cloudflare/tenant/tenant-sql.ts"
import type { RunFilter, ListedRun } from "../../../src/ports/tenant/run-list.ts"
import { amount } from "../../support/amount.ts"

const STATUSES = ["queued", "running", "waiting", "paused", "succeeded", "failed", "canceled"]
const idOf = (n: number): string => `run_${String(n).padStart(26, "0")}`
const objectOf = (tenant: string) => env.TENANT.get(env.TENANT.idFromName(tenant))

/** Dice that fall the same way each time. */
function dice(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const row = (n: number, status: string, seq: number, view: ListedRun["view"] = {}): ListedRun => {
  const flow = `f${n % 3}`
  return {
    id: idOf(n),
    flow,
    status,
    created: 1_000 + n,
    view: { id: idOf(n), flow, status, seq, tags: n % 2 ? ["odd"] : [], trigger: { kind: "api" }, pending: 0, ...view },
  }
}

const kindOf = ({ trigger }: ListedRun["view"]): unknown => (trigger as { readonly kind: string }).kind

describe("counts of runs", () => {
  test("[H5] say what the list shows, after random reports and deletions, under every filter", async () => {
    const tenant = "t-counts"
    const port = portOf(env, tenant, "runs")
    const roll = dice(7)
    for (let turn = 1; turn <= amount(400, 150); turn++) {
      const n = roll(40)
      if (roll(8) === 0) await port.remove(idOf(n))
      else {
        const child = n % 5 === 4 ? { trigger: { kind: "child" }, parent: { run: idOf(n - 1), root: idOf(n - (n % 10)), step: "s" } } : {}
        const tested = n % 7 === 6 ? { trigger: { kind: "test" } } : {}
        await port.note(row(n, STATUSES[roll(7)] ?? "failed", turn - roll(3), { ...child, ...tested }))
      }
    }
    const filters: RunFilter[] = [
      {},
      { flow: ["f1"] },
      { status: ["failed", "waiting"] },
      { flow: ["f0", "f2"], status: ["running"] },
      { flow: ["none"] },
      { children: true as const },
      { tag: "odd" },
      { trigger: ["test"] },
      { createdAfter: 1_010, createdBefore: 1_030 },
      { parent: idOf(3) },
      { tag: "odd", status: ["failed"] },
      { thread: idOf(8) },
    ]
    for (const filter of filters)
      for (const by of ["status", "flow", "trigger"] as const) {
        const found = await port.list({ limit: 200, ...filter })
        if ("badCursor" in found) throw new Error("bad cursor")
        const right = Map.groupBy(found.data, (item) => String(by === "trigger" ? kindOf(item) : item[by]))
        const counts = await port.counts(by, filter)
        expect(new Map(counts.data.map(({ key, count }) => [key, count])), JSON.stringify(filter)).toEqual(
          new Map([...right].map(([key, rows]) => [key, rows.length])),
        )
        expect([counts.total, counts.complete]).toEqual([found.data.length, true])
      }
  })

  test("[H5] by hour and day the runs count when they began, the oldest first, also under words and globs", async () => {
    const port = portOf(env, "t-count-times", "runs")
    const times = ["2026-11-02T10:59:59.000Z", "2026-11-02T11:00:00.000Z", "2026-11-02T11:30:00.000Z", "2026-11-03T00:00:00.000Z"]
    for (const [n, created] of times.entries()) {
      const run = row(n, n === 3 ? "failed" : "succeeded", 1, { created, task: n === 0 ? "Sort Apples" : "Sort pears" })
      await port.note({ ...run, created: Date.parse(created) })
    }
    const counts = async (by: "hour" | "day", filter: RunFilter) => {
      const { data, total, complete } = await port.counts(by, filter)
      expect([total, complete]).toEqual([data.reduce((sum, { count }) => sum + count, 0), true])
      return data.map(({ key, count }) => `${key} ${count}`)
    }
    const [ten, eleven] = ["2026-11-02T10:00:00.000Z", "2026-11-02T11:00:00.000Z"]
    const [second, third] = ["2026-11-02T00:00:00.000Z", "2026-11-03T00:00:00.000Z"]
    expect(await counts("hour", {})).toEqual([`${ten} 1`, `${eleven} 2`, `${third} 1`])
    expect(await counts("day", {})).toEqual([`${second} 3`, `${third} 1`])
    expect(await counts("day", { status: ["succeeded"] })).toEqual([`${second} 3`])
    expect(await counts("hour", { q: ["sort", "pears"], flow: ["f*"] })).toEqual([`${eleven} 2`, `${third} 1`])
    expect(await counts("day", { q: ["apples"] })).toEqual([`${second} 1`])
  })

  test("[H5] children are folded under their root, however deep, with the worst of their states", async () => {
    const port = portOf(env, "t-families", "runs")
    await port.note(row(0, "running", 1))
    const child = (n: number, status: string, run: string, seq = 1) =>
      port.note(row(n, status, seq, { trigger: { kind: "child" }, parent: { run, root: idOf(0), step: "s", index: 0, depth: 1 } }))
    const shown = async (): Promise<unknown> => {
      const found = await port.list({ limit: 10 })
      return "data" in found ? found.data.map((item) => item["children"]) : found
    }
    expect(await shown()).toEqual([undefined])
    await child(1, "running", idOf(0))
    await child(2, "succeeded", idOf(1))
    expect(await shown()).toEqual([{ count: 2, worst: "running" }])
    await child(1, "waiting", idOf(0), 2)
    expect(await shown()).toEqual([{ count: 2, worst: "waiting" }])
    await child(2, "failed", idOf(1), 2)
    expect(await shown()).toEqual([{ count: 2, worst: "failed" }])
    // A late report changes nothing.
    await child(2, "canceled", idOf(1), 1)
    expect(await shown()).toEqual([{ count: 2, worst: "failed" }])
    await port.remove(idOf(2))
    await port.remove(idOf(1))
    expect(await shown()).toEqual([undefined])
  })

  test("[H5] among 12,000 runs exact counts read a few rows; other filters read 10,000, and say that there are more", async () => {
    await portOf(env, "t-count-cost", "runs").note(row(0, "failed", 1))
    await runInDurableObject(objectOf("t-count-cost"), (_, { storage }) => {
      storage.sql.exec(
        `WITH RECURSIVE numbered (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < 11999)
         INSERT INTO run (id, flow, status, created, seq, view) SELECT printf('run_%026d', n), 'f' || (n % 3), json_extract(?1, '$[' || (n % 7) || ']'),
           1000 + n, 1, json_object('id', printf('run_%026d', n), 'created', '2026-01-01T00:00:00.000Z', 'trigger', json_object('kind', 'api'), 'tags', json_array()) FROM numbered`,
        JSON.stringify(STATUSES),
      )
      const read: number[] = []
      const counts = new RunCounts({
        has: () => false,
        read: <T extends Record<string, SqlStorageValue>>(query: string, ...bindings: readonly SqlStorageValue[]) => {
          const cursor = storage.sql.exec<T>(query, ...bindings)
          const rows = cursor.toArray()
          read.push(cursor.rowsRead)
          return rows
        },
      })
      expect(counts.by("status", {})).toMatchObject({ total: 12_000, complete: true })
      expect(counts.by("flow", { status: ["failed"] })).toMatchObject({ complete: true })
      expect(Math.max(...read)).toBeLessThan(100)
      read.length = 0
      const cut = counts.by("status", { createdAfter: 0 })
      expect([cut.total, cut.complete]).toEqual([10_000, false])
      expect(read.reduce((sum, n) => sum + n, 0)).toBeLessThan(60_000)
      // Nothing fits, and not everything was looked at.
      expect(counts.by("status", { createdAfter: 0, session: "nobody" })).toEqual({ data: [], total: 0, complete: false })
    })
  })

  test("[H5] of 1,001 flows the one with the fewest runs is left out, and the answer says so", async () => {
    await runInDurableObject(objectOf("t-count-flows"), (_, { storage }) => {
      const sql = new TenantSql(storage)
      sql.write((db) => {
        for (let n = 0; n <= 1_000; n++)
          db.exec("INSERT INTO run_count (family, flow, status, n) VALUES ('', ?, 'failed', ?)", `f${n}`, n + 1)
      })
      const { data, complete } = new RunCounts(sql).by("flow", {})
      expect([data.length, data.at(-1)?.key, complete]).toEqual([1_000, "f1", false])
    })
  })
})
