// A list that is read page by page while runs appear, report and vanish [H5]: what was there when the reading began, and stays, is read exactly once.

import fc from "fast-check"
import { expect, test } from "vitest"
import { RunIndex } from "../../../src/cloudflare/tenant/run-list/run-index.ts"
import { PromisedRuns } from "../../../src/cloudflare/tenant/starts/promised-runs.ts"
import { TenantSql } from "../../../src/cloudflare/tenant/tenant-sql.ts"
import type { ListedRun } from "../../../src/ports/tenant/run-list.ts"
import { amount } from "../../support/amount.ts"
import { sqliteStorage } from "../../support/cloudflare/sqlite-storage.ts"

const row = (id: string, created: number, seq: number, status = "running"): ListedRun => ({
  id,
  flow: "f",
  status,
  created,
  view: { id, seq, tags: ["t"] },
})

const act = fc.record({
  act: fc.constantFrom("start", "report", "end", "delete", "fail"),
  run: fc.nat(14),
  /** The run's clock, which is not the clock of the tenant's object. */
  skew: fc.integer({ min: -50, max: 50 }),
})
const walks = fc.record({
  before: fc.array(act, { minLength: 8, maxLength: 30 }),
  between: fc.array(fc.array(act, { maxLength: 6 }), { maxLength: 12 }),
  limit: fc.integer({ min: 1, max: 5 }),
  query: fc.constantFrom<Omit<Parameters<RunIndex["list"]>[0], "limit">>(
    {},
    { tag: "t" },
    { flow: ["f"] },
    { children: true },
    { sort: "oldest" },
    { tag: "t", sort: "oldest" },
    { sort: "cost" },
    { flow: ["*"], q: ["run_"], sort: "cost" },
  ),
})

test("[H5] pages lose and repeat no run, whatever happens between them", () => {
  fc.assert(
    fc.property(walks, ({ before, between, limit, query }) => {
      const sql = new TenantSql(sqliteStorage())
      const index = new RunIndex(sql, "t")
      const promises = new PromisedRuns(sql, index)
      let now = 1_000
      const started = new Map<string, number>()
      const gone = new Set<string>()
      const does = ({ act: what, run, skew }: { act: string; run: number; skew: number }): void => {
        const id = `run_${run}`
        now += 7
        if (what === "start" && !started.has(id)) {
          started.set(id, now)
          promises.add(row(id, now, 0))
        } else if (!started.has(id) || gone.has(id)) return
        else if (what === "report" || what === "end") {
          index.note(row(id, (started.get(id) ?? 0) + skew, now, what === "end" ? "succeeded" : "running"))
          promises.reported(id)
        } else if (what === "delete" || what === "fail") {
          if (what === "fail" && index.lastReport(id)?.seq !== 0 && !promises.has(id)) return
          gone.add(id)
          index.remove(id)
          promises.remove(id)
        }
      }
      const page = (cursor?: string) => {
        promises.unfold()
        const found = index.list({ ...query, limit, ...(cursor === undefined ? {} : { cursor }) })
        if ("badCursor" in found) throw new Error("bad cursor")
        return found
      }
      before.forEach(does)
      const there = [...started.keys()].filter((id) => !gone.has(id))
      const seen: unknown[] = []
      let cursor: string | null | undefined
      for (let n = 0; cursor !== null && n < 40; n++) {
        const found = page(cursor)
        seen.push(...found.data.map(({ id }) => id))
        cursor = found.next_cursor
        between[n]?.forEach(does)
      }
      expect(cursor).toBeNull()
      expect(new Set(seen).size).toBe(seen.length)
      expect(there.filter((id) => !gone.has(id) && !seen.includes(id))).toEqual([])
    }),
    { numRuns: amount(300, 100) },
  )
})
