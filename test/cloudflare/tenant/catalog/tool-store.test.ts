// The registered tools of a tenant [T26]: what a write changes is there at once.

import { expect, test } from "vitest"
import { ToolStore } from "../../../../src/cloudflare/tenant/catalog/tool-store.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"
import { FragileBlobs } from "../../../support/engine/memory-catalog.ts"

const DEF = {
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: {} },
  request: { method: "GET", url: "https://a.example.com" },
  effect: "read",
}

test("[T26] a tool is named from its registration until it is unregistered, also by the life that wrote it", async () => {
  const tools = new ToolStore(new TenantSql(sqliteStorage()), new FragileBlobs())
  const names = (): string[] => tools.names().map(({ name }) => name)
  expect(names()).toEqual([])
  await tools.register([DEF as never])
  expect(names()).toEqual(["look"])
  expect(await tools.unregister("look")).toBe(true)
  expect(names()).toEqual([])
  expect(await tools.unregister("look")).toBe(false)
})
