// [H5] What a run said is not in the file of the tenant's database once the run is deleted: not in its rows, nor in the
// free places of its pages, as long as SQLite has not moved it from a page that was full.

import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { afterEach, expect, test } from "vitest"
import { RunIndex } from "../../../src/cloudflare/tenant/run-list/run-index.ts"
import { TenantSql } from "../../../src/cloudflare/tenant/tenant-sql.ts"
import { amount } from "../../support/amount.ts"
import { sqliteStorage } from "../../support/cloudflare/sqlite-storage.ts"

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function stand() {
  const folder = mkdtempSync(join(tmpdir(), "wiped-"))
  folders.push(folder)
  const file = join(folder, "tenant.sqlite")
  const runs = new RunIndex(new TenantSql(sqliteStorage(file)), "t")
  return { runs, text: () => readFileSync(file, "latin1") }
}

const STATUSES = ["running", "waiting", "running", "paused", "succeeded"]
const note = (runs: RunIndex, n: number, report: number, secret: string, more: number): void =>
  runs.note({
    id: `run_${String(n).padStart(4, "0")}`,
    flow: "flow",
    status: STATUSES[report % 5] ?? "running",
    created: 1_790_000_000_000 + n,
    ...(report % 5 === 4 ? { ended: 1_790_000_100_000 } : {}),
    view: {
      id: `run_${n}`,
      seq: report * 61 + 1,
      trigger: { kind: "api" },
      task: `${secret} "ä"\n`,
      tags: [`${secret.toUpperCase()} tag`],
      now: { step: "a", said: `${secret} now`, more: "x".repeat(more) },
      error: { message: `${secret} error` },
    },
  })

test("[H5] a deleted run's task and error are nowhere in the tenant's database, however often it reported", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ run: fc.nat({ max: 2 }), more: fc.nat({ max: 100 }) }), { minLength: 3, maxLength: 20 }),
      fc.shuffledSubarray([0, 1, 2]),
      (reports, gone) => {
        const { runs, text } = stand()
        const told = new Map<number, number>()
        const secret = (n: number): string => `secret of ${String(n).padStart(2, "0")}!`
        for (const { run, more } of reports) {
          const report = told.get(run) ?? 0
          note(runs, run, report, secret(run), more)
          told.set(run, report + 1)
        }
        const had = [...told.keys()].filter((n) => text().includes(secret(n)))
        expect(had.length).toBe(told.size)
        for (const n of gone) runs.remove(`run_${String(n).padStart(4, "0")}`)
        expect([...told.keys()].filter((n) => text().includes(secret(n))).toSorted((a, b) => a - b)).toEqual(
          [...told.keys()].filter((n) => !gone.includes(n)).toSorted((a, b) => a - b),
        )
      },
    ),
    { numRuns: amount(25, 8) },
  )
})
