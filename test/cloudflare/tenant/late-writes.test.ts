// What comes to the object of a deleted tenant late [N3]: it writes nothing, until the next tenant of the name is founded.

import { expect, test } from "vitest"
import { tenantStores } from "../../../src/cloudflare/tenant/tenant-stores.ts"
import { sqliteStorage } from "../../support/cloudflare/sqlite-storage.ts"
import { FragileBlobs } from "../../support/engine/memory-catalog.ts"

test("[N3] nothing is written to a deleted tenant, and the next one of its name begins empty", () => {
  const stores = tenantStores(sqliteStorage(), { ENVIRONMENT: "production" }, "acme", { blobs: new FragileBlobs() })
  stores.account.bury()
  const late = (): void => stores.deletedRuns.add("run_1")
  expect(late).toThrow("the tenant was deleted")
  expect(stores.sql.read("SELECT 1 FROM deleted_run")).toEqual([])
  stores.account.forget()
  late()
  expect(stores.sql.read("SELECT run FROM deleted_run")).toEqual([{ run: "run_1" }])
})
