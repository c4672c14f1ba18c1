// What a write means for the leases of desks [F71] is said once, in the schema: the store that writes cannot choose.

import { expect, test } from "vitest"
import { changesGround, SCHEMA } from "../../../src/cloudflare/tenant/tenant-tables.ts"
import { TenantSql } from "../../../src/cloudflare/tenant/tenant-sql.ts"
import { tenantStores } from "../../../src/cloudflare/tenant/tenant-stores.ts"
import { sqliteStorage } from "../../support/cloudflare/sqlite-storage.ts"
import { FragileBlobs } from "../../support/engine/memory-catalog.ts"

/** Tables that a start of a run is judged by. */
const GROUND = `api_key callback change day_limit file hook made_by_file mcp_connection mcp_server meta named_item policy provider
  revision revision_forced secret setting stored_setting tool`

test("[F71] these tables, and no others, are what starts are judged by", () => {
  const tables = Object.entries(SCHEMA).flatMap(([name, statement]) => (statement.startsWith("TABLE ") ? [name] : []))
  const changing = tables.filter((table) => changesGround(`DELETE FROM ${table}`))
  expect(changing.sort()).toEqual(GROUND.split(/\s+/))
})

test("[F71] every form of a write names its table, reading names none, and an unknown table counts", () => {
  const forms = [
    "INSERT INTO @ (a) VALUES (1)",
    "INSERT OR IGNORE INTO @ (a) VALUES (1)",
    "  update @ SET a = 1",
    'DELETE FROM "@" WHERE a = 1',
  ]
  for (const form of forms) {
    expect(changesGround(form.replace("@", "run"))).toBe(false)
    expect(changesGround(form.replace("@", "policy"))).toBe(true)
    expect(changesGround(form.replace("@", "nobody_knows_it"))).toBe(true)
  }
  expect(changesGround("SELECT 1 FROM policy")).toBe(false)
  expect(changesGround("DROP TABLE run")).toBe(true)
})

test("[F71] one write to both kinds counts as a change, also inside another write, and also one that fails", () => {
  const sql = new TenantSql(sqliteStorage())
  sql.write((rows) => rows.exec("DELETE FROM run"))
  expect(sql.version).toBe(0)
  sql.write(() => sql.write((rows) => (rows.exec("DELETE FROM run"), rows.exec("DELETE FROM policy"))))
  expect(sql.version).toBe(1)
  expect(() => sql.write((rows) => (rows.exec("DELETE FROM policy"), rows.exec("no statement")))).toThrow("no")
  expect(sql.version).toBe(2)
})

test("[F71] [H1] a key's use, a sweep's way and what runs leave behind recall no desk; a revoked key does", async () => {
  const stores = tenantStores(sqliteStorage(), { ENVIRONMENT: "local" }, "local", { blobs: new FragileBlobs() })
  const { sql, keys, sweeps, sessions, references } = stores
  const made = await keys.create({ name: "k", scopes: [] })
  if (typeof made === "string") throw new Error("too many keys")
  const before = sql.version
  expect(keys.known(made.id)).toMatchObject({ name: "k" })
  expect(keys.list()).toMatchObject([{ id: made.id, last_used: expect.any(Number) }])
  sweeps.begin()
  const sweep = sweeps.underWay()
  if (sweep) sweeps.told(sweep, "run_1", ["run_0"], 0)
  sessions.claim({ agent: "a", id: "s", by: "run_1/a" })
  expect(references).toBeDefined()
  expect(sql.version).toBe(before)
  keys.revoke(made.id)
  expect(sql.version).toBeGreaterThan(before)
})
