// Keys inside workerd: what is stored, which keys are valid, and that a revoked key is not.

import { env, evictDurableObject, runInDurableObject } from "cloudflare:test"
import { beforeAll, describe, expect, test } from "vitest"
import { tenantOf } from "../../../src/cloudflare/platform/tokens/key-text.ts"
import { KeyStore } from "../../../src/cloudflare/tenant/keys/key-store.ts"
import { sha256 } from "../../../src/engine/sha256.ts"
import { TenantSql } from "../../../src/cloudflare/tenant/tenant-sql.ts"
import { admin, client, tenant, tenantObject, type Tenant } from "../../support/worker/service-client.ts"

let t: Tenant
beforeAll(async () => {
  t = await tenant("keys-one")
})

/** Every byte that the tenant's object has stored. */
const stored = (id: string): Promise<string> =>
  runInDurableObject(tenantObject(id), (_, ctx) =>
    ctx.storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'")
      .toArray()
      .flatMap(({ name }) => ctx.storage.sql.exec(`SELECT * FROM "${name}"`).toArray())
      .map((row) => JSON.stringify(row))
      .join("\n"),
  )

describe("keys", () => {
  test("[H1] name their tenant, are random, and are never stored [S11]", async () => {
    expect(t.key).toMatch(/^sl_keys-one_[0-9A-Za-z]{40}$/)
    expect(tenantOf(t.key)).toBe("keys-one")
    for (const text of [
      "sl_local_dev",
      "sl_admin_local",
      `sl__${"x".repeat(40)}`,
      `sl_A_${"x".repeat(40)}`,
      `sl_a/b_${"x".repeat(40)}`,
      `${t.key}é`,
    ])
      expect(tenantOf(text), text).toBeUndefined()
    const all = await stored("keys-one")
    expect(all).toContain(await sha256(t.key))
    expect(all).not.toContain(t.key.slice("sl_keys-one_".length + 6))
  })

  test("[H1] survive an eviction, and a key that differs slightly is invalid", async () => {
    await evictDurableObject(tenantObject("keys-one"))
    expect((await t.raw("GET", "/v1/runs")).status).toBe(200)
    for (const key of ["", "x", t.key.slice(0, -1), `${t.key}x`, t.key.replace("keys-one", "local"), t.key.replace("keys-one", "nobody")])
      expect((await client(key).raw("GET", "/v1/runs")).status, key).toBe(401)
  })

  test("[H1] [S18] a revoked key is invalid from then on; the tenant's other keys stay valid", async () => {
    const made = await t.ask<{ id: string; key: string }>("POST", "/v1/keys", { name: "short", scopes: ["runs:read"] })
    const short = client(made.key)
    expect((await short.raw("GET", "/v1/runs")).status).toBe(200)
    expect((await t.raw("DELETE", `/v1/keys/${made.id}`)).status).toBe(204)
    expect((await short.raw("GET", "/v1/runs")).status).toBe(401)
    expect((await t.raw("GET", "/v1/runs")).status).toBe(200)
    expect((await t.raw("DELETE", `/v1/keys/${made.id}`)).status).toBe(404)
  })

  test("[H1] the admin can revoke a tenant's key, and sees when it was last used", async () => {
    const made = await admin.ask<{ id: string; key: string }>("POST", "/v1/tenants/keys-one/keys", { scopes: ["runs:read"] })
    const list = async () =>
      (await admin.ask<{ data: { id: string; last_used: string | null }[] }>("GET", "/v1/tenants/keys-one/keys")).data
    expect((await list()).find((k) => k.id === made.id)?.last_used).toBeNull()
    await client(made.key).raw("GET", "/v1/runs")
    expect((await list()).find((k) => k.id === made.id)?.last_used).toBeTypeOf("string")
    expect((await admin.raw("DELETE", `/v1/tenants/keys-one/keys/${made.id}`)).status).toBe(204)
    expect((await client(made.key).raw("GET", "/v1/runs")).status).toBe(401)
  })

  test("[H4] a key created again under one Idempotency-Key replaces the key that no caller has seen; after a day it replaces none", async () => {
    await tenant("keys-again")
    await runInDurableObject(tenantObject("keys-again"), async (_, ctx) => {
      let now = Date.now()
      const keys = new KeyStore(new TenantSql(ctx.storage), { env, tenant: "keys-again", now: () => now })
      const make = async () => {
        const made = await keys.create({ name: "k", scopes: ["admin"] }, "x")
        if (typeof made === "string") throw new Error(made)
        return made
      }
      const [lost, shown] = [await make(), await make()]
      expect(keys.verify(await sha256(lost.key))).toBeUndefined()
      now += 86_400_000
      const later = await make()
      expect(later.id).not.toBe(shown.id)
      for (const made of [shown, later]) expect(keys.verify(await sha256(made.key))).toMatchObject({ id: made.id })
    })
  })

  test("[H4] a creation that arrives when a later one has made the key replaces nothing", async () => {
    await tenant("keys-late")
    await runInDurableObject(tenantObject("keys-late"), async (_, ctx) => {
      let now = Date.now()
      const sent = now
      const keys = new KeyStore(new TenantSql(ctx.storage), { env, tenant: "keys-late", now: () => now })
      now += 60_000
      const made = await keys.create({ name: "k", scopes: ["admin"] }, "x", now)
      if (typeof made === "string") throw new Error(made)
      now += 60_000
      // Sent a minute before the key was made, and an hour ahead before the clock was set back.
      for (const asked of [sent, now + 3_600_000]) expect(await keys.create({ name: "k", scopes: ["admin"] }, "x", asked)).toBe("late")
      expect(keys.verify(await sha256(made.key))).toMatchObject({ id: made.id })
    })
  })

  test("[H1] a key is valid until it expires; its last use is written once a minute", async () => {
    await runInDurableObject(tenantObject("keys-clock"), async (_, ctx) => {
      let now = 1_000_000
      let writes = 0
      const sql = new TenantSql(ctx.storage)
      const write = sql.write.bind(sql)
      sql.write = (work) => (writes++, write(work))
      const keys = new KeyStore(sql, { env, tenant: "keys-clock", now: () => now })
      const made = await keys.create({ name: "k", scopes: ["admin"], expires: now + 200_000 })
      if (typeof made === "string") throw new Error(made)
      const digest = await sha256(made.key)
      writes = 0
      for (const at of [0, 1_000, 59_000]) {
        now = 1_000_000 + at
        expect(keys.verify(digest)).toMatchObject({ id: made.id, scopes: ["admin"] })
      }
      expect(writes).toBe(1)
      now += 2_000
      keys.verify(digest)
      expect(writes).toBe(2)
      expect(keys.holds(made.id)).toBe(true)
      now = 1_200_000
      expect([keys.verify(digest), keys.holds(made.id)]).toEqual([undefined, false])
      expect(keys.verify(`${digest.slice(0, -1)}x`)).toBeUndefined()
    })
  })
})
