// Reports of desks that outlive their tenant [N3]: a desk's object is never deleted, and the name may have its next tenant.

import { expect, test } from "vitest"
import { tenantStores } from "../../../../src/cloudflare/tenant/tenant-stores.ts"
import { DeskLeases } from "../../../../src/cloudflare/desks/desk-leases.ts"
import { StartGate } from "../../../../src/cloudflare/tenant/starts/start-gate.ts"
import type { DeskReport } from "../../../../src/ports/desks.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"
import { FragileBlobs } from "../../../support/engine/memory-catalog.ts"

const OLD = 1_000_000
const report: DeskReport = {
  epoch: "e1",
  desk: 0,
  lease: 4,
  free: 2,
  wants: true,
  started: [{ run: "run_old", at: OLD }],
  promises: [
    { id: "run_old", flow: "secretflow", status: "running", created: OLD, view: { id: "run_old", seq: 0, tags: ["private-tag"] } },
  ],
  notes: [],
}

function stand() {
  const storage = sqliteStorage()
  const stores = tenantStores(storage, { ENVIRONMENT: "production" }, "acme", { blobs: new FragileBlobs() })
  const { sql, promises, account, runs } = stores
  const now = (): number => OLD + 60_000
  const gate = new StartGate({
    live: () => runs.live(),
    startedAfter: (since) => runs.startedAfter(since),
    quotas: () => account.quotas(),
    full: () => undefined,
    meet: () => false,
    now,
    pause: async () => undefined,
  })
  const leases: DeskLeases = new DeskLeases({
    sql,
    promises,
    gate: () => gate,
    desk: () => ({ flush: async () => undefined, recall: async () => report }),
    account,
    now,
    pause: async () => undefined,
    life: "1",
  })
  account.bury()
  return { storage, ...stores, leases }
}

test("[N3] a desk that reports to a deleted tenant creates nothing there, and gets no lease", () => {
  const { storage, leases } = stand()
  leases.heard(report)
  expect(leases.granted(report)).toEqual({ recalled: 4 })
  expect(storage.sql.exec("SELECT name FROM sqlite_master").toArray()).toEqual([])
})

test.each([50_000, -50_000])("[N3] a desk brings the next tenant no run of the old one, after a clock step of %s ms", (step) => {
  const { leases, account, promises } = stand()
  expect(account.found({ name: "acme", created: OLD + step })).toEqual({ follows: true })
  // The answer was lost, and the request came again, with a time of its own.
  account.forget()
  account.found({ name: "acme", created: OLD + step + 3_000 })
  leases.heard(report)
  expect(promises.all()).toEqual([])
  const [old] = report.promises
  const own = { ...old, id: "run_new", created: OLD + step + 5_000, tenancy: account.tenancy() }
  leases.heard({ ...report, started: [], promises: [own as NonNullable<typeof old>] })
  expect(promises.all()).toMatchObject([{ id: "run_new" }])
})

test("[S1] a tenant that follows no other knows its runs whatever their clocks say", () => {
  const { leases, account, promises } = stand()
  account.forget()
  expect(account.found({ name: "acme", created: OLD + 600_000 })).toEqual({ follows: false })
  leases.heard(report)
  expect(promises.all()).toMatchObject([{ id: "run_old" }])
})
