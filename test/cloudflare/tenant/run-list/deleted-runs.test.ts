// Runs that were deleted, while a message of theirs may be on its way.

import { expect, test } from "vitest"
import { DeletedRuns } from "../../../../src/cloudflare/tenant/run-list/deleted-runs.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

test("[N3] the id of a deleted run is known for an hour, and goes with a later deletion", () => {
  const clock = { now: 1_000_000 }
  const deleted = new DeletedRuns(new TenantSql(sqliteStorage()), () => clock.now)
  deleted.add("run_a")
  clock.now += 3_600_000
  deleted.add("run_b")
  expect(["run_a", "run_b", "run_c"].map((id) => deleted.has(id))).toEqual([true, true, false])
  clock.now += 1
  deleted.add("run_c")
  expect(["run_a", "run_b", "run_c"].map((id) => deleted.has(id))).toEqual([false, true, true])
})
