// Tenants inside workerd: created, isolated, deleted with all their data.

import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { r2Blobs } from "../../../src/cloudflare/blobs/blobs-r2.ts"
import { runPort } from "../../../src/cloudflare/clients/run-port.ts"
import { memoryPort } from "../../../src/cloudflare/clients/memory.ts"
import { portOf } from "../../../src/cloudflare/platform/port-of.ts"
import { admin, CATALOG, client, ended, runObject, start, tenant, tenantObject, until } from "../../support/worker/service-client.ts"

const tables = (stub: DurableObjectStub): Promise<string[]> =>
  runInDurableObject(stub, (_, ctx) =>
    ctx.storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'")
      .toArray()
      .map(({ name }) => name),
  )

describe("the directory", () => {
  test("[N5] the tenant local exists without being created, and is listed", async () => {
    // Other files of this process have made tenants too, and `local` is the oldest.
    const seen: string[] = []
    for (let cursor: string | null = ""; cursor !== null;) {
      const query: string = cursor === "" ? "" : `&cursor=${cursor}`
      const page: { data: { id: string }[]; next_cursor: string | null } = await admin.ask("GET", `/v1/tenants?limit=50${query}`)
      seen.push(...page.data.map(({ id }) => id))
      cursor = page.next_cursor
    }
    expect(seen).toContain("local")
    expect((await admin.raw("POST", "/v1/tenants", { id: "local" })).status).toBe(409)
  })

  test("[H5] lists the newest first, in pages", async () => {
    for (const id of ["page-a", "page-b", "page-c"]) await admin.ask("POST", "/v1/tenants", { id })
    const seen: string[] = []
    for (let cursor: string | null = ""; cursor !== null;) {
      const query: string = cursor === "" ? "" : `&cursor=${cursor}`
      const page: { data: { id: string }[]; next_cursor: string | null } = await admin.ask("GET", `/v1/tenants?limit=1${query}`)
      seen.push(...page.data.map(({ id }) => id))
      cursor = page.next_cursor
    }
    expect(seen.filter((id) => id.startsWith("page-"))).toEqual(["page-c", "page-b", "page-a"])
    expect(new Set(seen).size).toBe(seen.length)
    expect((await admin.raw("GET", "/v1/tenants?cursor=nonsense")).status).toBe(422)
  })

  test("[N1] neither a key check nor a run calls it", async () => {
    const t = await tenant("no-directory")
    await t.ask("PUT", "/v1/catalog", CATALOG)
    const directory = env.DIRECTORY.get(env.DIRECTORY.idFromName("directory"))
    // From here on, a call to the directory fails.
    await runInDurableObject(directory, (_, ctx) => ctx.storage.sql.exec("ALTER TABLE tenant RENAME TO hidden"))
    try {
      expect((await ended(t, await start(t, "quick"))).status).toBe("succeeded")
      const fresh = await t.ask<{ key: string }>("POST", "/v1/keys", { scopes: ["runs:read"] })
      expect((await client(fresh.key).raw("GET", "/v1/runs")).status).toBe(200)
    } finally {
      await runInDurableObject(directory, (_, ctx) => ctx.storage.sql.exec("ALTER TABLE hidden RENAME TO tenant"))
    }
  })
})

describe("deleting a tenant", () => {
  test("[N3] reports what it deleted, and leaves nothing: no key, no run, no body, no memory", async () => {
    const t = await tenant("gone-one")
    await t.ask("PUT", "/v1/catalog", CATALOG)
    await t.ask("PUT", "/v1/secrets/s1", { value: "abc-secret-1" })
    await memoryPort(env, t.id).write({ namespace: "n", content: "remember me", tainted: false })
    const done = await start(t, "quick")
    await ended(t, done)
    const live = await start(t, "long")
    await until(async () => (await t.ask<{ data: unknown[] }>("GET", "/v1/runs")).data.length === 2, "both runs in the list")
    expect((await env.BLOBS.list({ prefix: `t/${t.id}/` })).objects.length).toBeGreaterThan(0)

    const gone = await admin.ask<{ id: string; deleted: object }>("DELETE", `/v1/tenants/${t.id}`)
    expect(gone).toEqual({
      id: t.id,
      deleted: { runs: 2, flows: 2, agents: 1, skills: 0, hooks: 0, schedules: 0, callbacks: 0, secrets: 1, keys: 1 },
    })
    expect((await t.raw("GET", "/v1/runs")).status).toBe(401)
    expect((await admin.raw("GET", `/v1/tenants/${t.id}`)).status).toBe(404)
    expect((await admin.raw("DELETE", `/v1/tenants/${t.id}`)).status).toBe(404)
    for (const stub of [tenantObject(t.id), runObject(t.id, done), runObject(t.id, live), env.MEMORY.get(env.MEMORY.idFromName(t.id))])
      expect(await tables(stub)).toEqual([])
    expect((await env.BLOBS.list({ prefix: `t/${t.id}/` })).objects).toEqual([])
    expect((await env.CACHE.list({ prefix: `t/${t.id}/` })).keys).toEqual([])
    // A live run's alarm does not bring the run back.
    expect(await runInDurableObject(runObject(t.id, live), (_, ctx) => ctx.storage.getAlarm())).toBeNull()
  })

  test("[N3] a new tenant with that id starts empty, and gets no stored answer of the old tenant [H4]", async () => {
    const headers = { "idempotency-key": "same-key" }
    const before = await tenant("twice")
    await before.ask("PUT", "/v1/catalog", CATALOG)
    const first = await start(before, "quick", headers)
    await ended(before, first)
    await before.ask("POST", "/v1/keys", { scopes: ["runs:read"] }, { "idempotency-key": "other" })
    await admin.ask("DELETE", "/v1/tenants/twice")
    const after = await tenant("twice")
    expect((await before.raw("GET", "/v1/runs")).status).toBe(401)
    expect((await after.ask<{ data: unknown[] }>("GET", "/v1/runs")).data).toEqual([])
    expect((await after.raw("GET", "/v1/flows/quick")).status).toBe(404)
    expect((await after.raw("GET", `/v1/runs/${first}`)).status).toBe(404)
    const again = await after.raw("POST", "/v1/flows/quick/runs", { task: "go" }, headers)
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([404, null])
    const key = await after.raw("POST", "/v1/keys", { scopes: ["runs:read"] }, { "idempotency-key": "other" })
    expect([key.status, key.headers.get("idempotent-replayed")]).toEqual([201, null])
  })

  test("[N3] many runs take several rounds, and a run that was starting is deleted with its tenant", async () => {
    const t = await tenant("rounds")
    await t.ask("PUT", "/v1/catalog", CATALOG)
    await admin.ask("PUT", `/v1/tenants/${t.id}/quotas`, { concurrent_runs: 1_000 })
    await runInDurableObject(tenantObject(t.id), (_, ctx) => {
      for (let i = 0; i < 230; i++)
        ctx.storage.sql.exec(
          "INSERT INTO run (id, flow, status, created, seq, view) VALUES (?, 'quick', 'running', ?, 1, '{}')",
          `run_${String(i).padStart(26, "0")}`,
          i,
        )
    })
    const late = await start(t, "long")
    // The run's last report before it waits. No later report creates its row again.
    await until(async () => {
      const { data } = await t.ask<{ data: { id: string; status: string }[] }>("GET", "/v1/runs")
      return data.some(({ id, status }) => id === late && status === "waiting")
    }, "the run in the list")
    // Deletes its row, as if the run had not reported yet.
    await runInDurableObject(tenantObject(t.id), (_, ctx) => ctx.storage.sql.exec("DELETE FROM run WHERE id = ?", late))
    const { deleted } = await admin.ask<{ deleted: { runs: number } }>("DELETE", `/v1/tenants/${t.id}`)
    expect(deleted.runs).toBe(230)
    // The alarm continues a deletion that takes longer than the caller waits.
    await until(async () => (await tables(tenantObject(t.id))).length === 0, "the last round")
    expect(await tables(runObject(t.id, late))).not.toEqual([])
    await runPort(env, t.id, late).cancel("test")
    await until(async () => (await tables(runObject(t.id, late))).length === 0, "the end of the late run")
    expect(await tables(tenantObject(t.id))).toEqual([])
  })

  test("[N3] the deletion of a tenant leaves the next one of its name alone, however late it comes", async () => {
    const t = await tenant("again-and-again")
    const directory = env.DIRECTORY.get(env.DIRECTORY.idFromName("directory"))
    const old = await directory.find(t.id)
    expect(await admin.ask("DELETE", `/v1/tenants/${t.id}`)).toBeDefined()
    const next = await tenant(t.id)
    await next.ask("PUT", "/v1/catalog", CATALOG)
    if (!old) throw new Error("the directory does not know the tenant")
    // The rounds of a request that was overtaken.
    expect(await directory.settle(old, "leaving")).toBe(false)
    expect(await portOf(env, t.id, "tenancy").erase(old.created)).toMatchObject({ done: true, deleted: { flows: 0, keys: 0 } })
    await directory.remove(old)
    expect((await next.raw("GET", "/v1/flows/quick")).status).toBe(200)
    expect((await admin.raw("GET", `/v1/tenants/${t.id}`)).status).toBe(200)
  })

  test("[N3] a creation that is repeated founds the same tenant: what is late of an earlier try makes it no other one", async () => {
    const directory = env.DIRECTORY.get(env.DIRECTORY.idFromName("directory"))
    const id = `twice-${crypto.randomUUID().slice(0, 8)}`
    const first = await directory.claim(id, "first", null)
    await new Promise((resolve) => setTimeout(resolve, 5))
    const second = await directory.claim(id, "second", null)
    expect(second).toMatchObject({ name: "second", state: "making", created: Reflect.get(Object(first), "created") })
  })

  test("[N3] an interrupted deletion continues", async () => {
    const t = await tenant("halfway")
    await t.ask("PUT", "/v1/catalog", CATALOG)
    await r2Blobs(env, t.id).put(new TextEncoder().encode("a body"))
    const directory = env.DIRECTORY.get(env.DIRECTORY.idFromName("directory"))
    const entry = await directory.find(t.id)
    expect(entry && (await directory.settle(entry, "leaving"))).toBe(true)
    expect((await admin.raw("GET", `/v1/tenants/${t.id}`)).status).toBe(404)
    // Creating the tenant again first deletes what is left of the old one.
    const again = await tenant("halfway")
    expect((await again.raw("GET", "/v1/flows/quick")).status).toBe(404)
    expect((await env.BLOBS.list({ prefix: `t/${t.id}/` })).objects).toEqual([])
  })
})
