// The rows of promised runs [H6]: a start writes over a row whose run has reported, and whatever dies in between, a run is promised exactly as long as
// it has taken a place and is not in the list.

import fc from "fast-check"
import { expect, test } from "vitest"
import { RunIndex } from "../../../../src/cloudflare/tenant/run-list/run-index.ts"
import { PromisedRuns } from "../../../../src/cloudflare/tenant/starts/promised-runs.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import type { ListedRun } from "../../../../src/ports/tenant/run-list.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

const row = (id: string, seq: number, created = 1): ListedRun => ({ id, flow: "f", status: "running", created, view: { id, seq } })
const rowsIn = (storage: DurableObjectStorage): number => storage.sql.exec("SELECT 1 FROM promise").toArray().length

function lifeOf(storage: DurableObjectStorage) {
  const sql = new TenantSql(storage)
  const index = new RunIndex(sql, "t")
  return { index, promises: new PromisedRuns(sql, index) }
}

const acts = fc.record({
  act: fc.constantFrom("start", "start", "report", "report", "fail", "delete", "list", "die"),
  run: fc.integer({ min: 0, max: 5 }).map((n) => `run_${n}`),
})

test("[H6] a run is promised from its start to its row in the list, through any deaths of the object", () => {
  const storage = sqliteStorage()
  lifeOf(storage).promises.add(row("first", 0))
  fc.assert(
    fc.property(fc.array(acts, { maxLength: 40 }), (steps) => {
      for (const table of ["promise", "run"]) storage.sql.exec(`DELETE FROM ${table}`)
      let life = lifeOf(storage)
      const promised = new Set<string>()
      const listed = new Set<string>()
      for (const { act, run } of steps) {
        const { index, promises } = life
        if (act === "start") {
          promises.add(row(run, 0))
          if (!listed.has(run)) promised.add(run)
        } else if (act === "report") {
          index.note(row(run, 1))
          promises.reported(run)
          promised.delete(run)
          listed.add(run)
        } else if (act === "fail") {
          promises.remove(run)
          promised.delete(run)
        } else if (act === "delete") {
          index.remove(run)
          promises.remove(run)
          promised.delete(run)
          listed.delete(run)
        } else if (act === "list") {
          promises.unfold()
          for (const one of promised) listed.add(one)
          promised.clear()
        } else life = lifeOf(storage)
        expect(new Set(life.promises.all().map(({ id }) => id))).toEqual(promised)
        for (const one of promised) expect(life.promises.has(one)).toBe(true)
      }
    }),
    { numRuns: 100 },
  )
})

test("[J15] a hundred starts in turn use one row, and a burst leaves no more than 32", () => {
  const storage = sqliteStorage()
  const { index, promises } = lifeOf(storage)
  const report = (id: string): void => {
    index.note(row(id, 1))
    promises.reported(id)
  }
  for (let n = 0; n < 100; n++) {
    promises.add(row(`turn_${n}`, 0))
    report(`turn_${n}`)
  }
  expect(rowsIn(storage)).toBe(1)
  for (let n = 0; n < 100; n++) promises.add(row(`burst_${n}`, 0))
  expect(rowsIn(storage)).toBe(100)
  for (let n = 0; n < 100; n++) report(`burst_${n}`)
  expect(rowsIn(storage)).toBe(32)
  const woken = lifeOf(storage).promises
  expect(woken.all()).toEqual([])
  woken.add(row("after", 0))
  expect(rowsIn(storage)).toBe(32)
})
