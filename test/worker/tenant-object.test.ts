// The tenant's object inside workerd: rows in SQLite, bodies in R2, keys sealed; and that all of it is there after an eviction.

import { evictDurableObject, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { r2Blobs } from "../../src/cloudflare/blobs-r2.ts"
import { ProviderStore } from "../../src/cloudflare/provider-store.ts"
import { TenantSql } from "../../src/cloudflare/tenant-sql.ts"
import { tenantPort } from "../../src/cloudflare/tenant-port.ts"
import { Vault } from "../../src/cloudflare/vault.ts"
import { loadDefinitions } from "../../src/engine/definitions.ts"
import type { RunRow } from "../../src/ports/catalog.ts"

const AGENT = "---\nname: a\ndescription: an agent\nmodel: '@fast'\ntools: read\n---\nDo it: ${{task}}\n"
const FLOW = "name: f\ndescription: a flow\nsteps:\n  - { id: x, type: agent, agent: a }\n"

const stubOf = (tenant: string) => env.TENANT.get(env.TENANT.idFromName(tenant))
const tablesOf = (tenant: string) =>
  runInDurableObject(stubOf(tenant), (_, ctx) =>
    ctx.storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'")
      .toArray()
      .map((row) => row.name),
  )
const rowsOf = (tenant: string, query: string) => runInDurableObject(stubOf(tenant), (_, ctx) => ctx.storage.sql.exec(query).toArray())

describe("the catalog", () => {
  test("[F71] a write is in SQLite and R2, is read back, and survives an eviction", async () => {
    const port = tenantPort(env, "t-write")
    expect(await port.put("agent", "agents/a.md", AGENT)).toMatchObject({ written: true, revision: 1 })
    const result = await port.writeFlow("flows/f.yaml", FLOW)
    expect(result).toMatchObject({ written: true, revision: 2, path: "flows/f.yaml" })
    expect(await env.BLOBS.head(`t/t-write/blob/${result.hash}`)).not.toBeNull()
    await evictDurableObject(stubOf("t-write"))
    expect(await port.read("flow", "f")).toMatchObject({ content: FLOW, hash: result.hash, tier: "local" })
    expect((await port.files("agent")).data.find((f) => f.id === "a")).toMatchObject({ tier: "local", size: AGENT.length })
    expect((await port.agents()).map((row) => row.name)).toContain("a")
  })

  test("[F71] an object that is only asked writes nothing at all", async () => {
    const port = tenantPort(env, "t-asked")
    await port.files()
    await port.providers()
    await port.listRuns({ limit: 10 })
    expect(await port.remove("agent", "none")).toBe(false)
    expect(await tablesOf("t-asked")).toEqual([])
  })

  test("[F71] a refused write leaves no row", async () => {
    const port = tenantPort(env, "t-refused")
    expect(await port.put("agent", "agents/a.md", "nothing")).toMatchObject({ written: false })
    expect(await port.replace({ agents: { "a.md": AGENT, "b.md": "nothing" } })).toMatchObject({ ok: false })
    expect(await tablesOf("t-refused")).toEqual([])
  })

  test("[F72] each revision says what it changed, and a bundle is one revision", async () => {
    const port = tenantPort(env, "t-history")
    expect(await port.replace({ agents: { "a.md": AGENT }, flows: { "f.yaml": FLOW } })).toMatchObject({ ok: true, revision: 1 })
    await port.put("agent", "agents/a.md", `${AGENT}More.\n`)
    await port.remove("flow", "f")
    const rows = await rowsOf("t-history", "SELECT revision, path, hash IS NULL AS gone FROM history ORDER BY revision, path")
    expect(rows).toEqual([
      { revision: 1, path: "agents/a.md", gone: 0 },
      { revision: 1, path: "flows/f.yaml", gone: 0 },
      { revision: 2, path: "agents/a.md", gone: 0 },
      { revision: 3, path: "flows/f.yaml", gone: 1 },
    ])
  })

  test("[F73] If-Match: ten editors at once, one wins, the others see its hash", async () => {
    const port = tenantPort(env, "t-match")
    await port.put("agent", "agents/a.md", AGENT)
    const seen = (await port.read("agent", "a"))?.hash
    const results = await Promise.all(Array.from({ length: 10 }, (_, i) => port.put("agent", "agents/a.md", `${AGENT}${i}\n`, seen)))
    const won = results.flatMap((r) => ("hash" in r ? [r.hash] : []))
    expect(won).toHaveLength(1)
    expect(results.flatMap((r) => ("stale" in r ? [r.stale] : []))).toEqual(Array.from({ length: 9 }, () => won[0]))
  })

  test("[F72] what a run pins is loadable from the tenant's blobs alone", async () => {
    const port = tenantPort(env, "t-pin")
    await port.replace({ agents: { "a.md": AGENT }, flows: { "f.yaml": FLOW } })
    const result = await port.pin({ flow: "f" }, { rehearse: false })
    if (!result.ok) throw new Error(JSON.stringify(result))
    expect([result.pins.models, result.rehearsed]).toEqual([{ a: "rehearsal/default" }, true])
    expect((await loadDefinitions(result.pins, r2Blobs(env, "t-pin"))).flow.steps.map((s) => s.id)).toEqual(["x"])
    expect(await port.pin({ flow: "none" }, { rehearse: false })).toEqual({ ok: false, code: "not_found" })
  })

  test("[F74] a body that R2 lost is listed, breaks nothing else, and can be written again", async () => {
    const port = tenantPort(env, "t-lost")
    const text = AGENT.replace("an agent", "an agent nobody has read yet")
    await rowsAfterLoss(text)
    const { data } = await port.files()
    expect(data.find((f) => f.id === "lost")?.diagnostics.map((d) => d.code)).toEqual(["CAT-CORRUPT"])
    expect(data.find((f) => f.id === "a")?.diagnostics.filter((d) => d.severity === "error")).toEqual([])
    expect(await port.put("agent", "agents/lost.md", text.replace("name: a", "name: lost"))).toMatchObject({ written: true })
    expect((await port.read("agent", "lost"))?.diagnostics.filter((d) => d.severity === "error")).toEqual([])

    async function rowsAfterLoss(body: string): Promise<void> {
      await port.put("agent", "agents/a.md", body)
      await runInDurableObject(stubOf("t-lost"), (_, ctx) => {
        ctx.storage.sql.exec(
          "INSERT INTO file (kind, id, path, hash, size, at) VALUES ('agent', 'lost', 'agents/lost.md', ?, 10, 1)",
          "f".repeat(64),
        )
      })
      await evictDurableObject(stubOf("t-lost"))
    }
  })

  test("[N1] two tenants see nothing of each other", async () => {
    await tenantPort(env, "t-one").put("agent", "agents/a.md", AGENT)
    const other = tenantPort(env, "t-two")
    expect(await other.read("agent", "a")).toBeUndefined()
    const mine = await tenantPort(env, "t-one").read("agent", "a")
    expect(await r2Blobs(env, "t-two").get(mine?.hash ?? "")).toBeUndefined()
  })
})

describe("providers and roles", () => {
  const KEY = "sk-canary-0123456789"

  test("[N6] a key is write-only: sealed at rest, absent from the list, open to the run object alone", async () => {
    const port = tenantPort(env, "t-keys")
    await port.putProvider("acme", { kind: "openai-compatible", baseUrl: "https://models.example/v1", apiKey: KEY })
    expect(await port.providers()).toEqual({ acme: { kind: "openai-compatible", baseUrl: "https://models.example/v1", apiKey: true } })
    expect(await port.provider("acme")).toEqual({ kind: "openai-compatible", baseUrl: "https://models.example/v1", apiKey: KEY })
    const rows = await rowsOf("t-keys", "SELECT name, settings, hex(key) AS key FROM provider")
    const hex = [...new TextEncoder().encode(KEY)]
      .map((b) => b.toString(16).padStart(2, "0"))
      .join("")
      .toUpperCase()
    expect(JSON.stringify(rows)).not.toContain(KEY)
    expect(JSON.stringify(rows)).not.toContain(hex)
    await evictDurableObject(stubOf("t-keys"))
    expect((await port.provider("acme"))?.apiKey).toBe(KEY)
  })

  test("[N6] a put replaces the whole; a provider that is removed is gone", async () => {
    const port = tenantPort(env, "t-replace")
    await port.putProvider("p", { kind: "anthropic", apiKey: KEY })
    await port.putProvider("p", { kind: "scripted", turns: { "*": [{ text: "hi" }] } })
    expect(await port.provider("p")).toEqual({ kind: "scripted", turns: { "*": [{ text: "hi" }] } })
    expect((await port.providers())["p"]).toMatchObject({ apiKey: false })
    expect([await port.removeProvider("p"), await port.removeProvider("p"), await port.provider("p")]).toEqual([true, false, undefined])
  })

  test("[N6] without VAULT_KEY outside local development a key is refused, and not written", async () => {
    await runInDurableObject(stubOf("t-vault"), async (_, ctx) => {
      const sql = new TenantSql(ctx.storage)
      const store = new ProviderStore(sql, new Vault({ ENVIRONMENT: "production" }), "t-vault")
      await expect(store.put("acme", { kind: "openai", apiKey: KEY })).rejects.toThrow(/VAULT_KEY/)
      await expect(store.put("acme", { kind: "openai", apiKey: KEY })).rejects.not.toThrow(KEY)
      expect(store.names()).toEqual([])
      await store.put("acme", { kind: "workers-ai" })
      expect(await store.open("acme")).toEqual({ kind: "workers-ai" })
    })
  })

  test("[N6] a sealed key opens under its own key and at its own place only", async () => {
    const vault = new Vault({ VAULT_KEY: "one" })
    const sealed = await vault.seal(KEY, "provider t/acme")
    expect(await vault.open(sealed, "provider t/acme")).toBe(KEY)
    await expect(vault.open(sealed, "provider t/other")).rejects.toThrow(/cannot be opened/)
    await expect(new Vault({ VAULT_KEY: "two" }).open(sealed, "provider t/acme")).rejects.toThrow(/VAULT_KEY/)
    expect(new Uint8Array(await vault.seal(KEY, "provider t/acme"))).not.toEqual(new Uint8Array(sealed))
  })

  test("[F52] roles are put as a whole, and the next pin sees providers and roles", async () => {
    const port = tenantPort(env, "t-roles")
    await port.replace({ agents: { "a.md": AGENT }, flows: { "f.yaml": FLOW } })
    await port.putProvider("acme", { kind: "openai", apiKey: KEY })
    expect(await port.pin({ flow: "f" }, { rehearse: false })).toMatchObject({ ok: false, code: "no_model", step: "x" })
    await port.putRoles({ fast: "acme/quick", default: "acme/std" })
    expect(await port.pin({ flow: "f" }, { rehearse: false })).toMatchObject({
      ok: true,
      pins: { models: { a: "acme/quick" } },
      rehearsed: false,
    })
    await port.putRoles({ default: "acme/std" })
    expect(await port.roles()).toEqual({ default: "acme/std" })
    expect(await port.pin({ flow: "f" }, { rehearse: false })).toMatchObject({ ok: true, pins: { models: { a: "acme/std" } } })
  })
})

describe("the list of runs", () => {
  const row = (n: number, more: Partial<RunRow> = {}): RunRow => {
    const id = `run_${String(n).padStart(26, "0")}`
    return { id, flow: "f", status: "running", created: 1000 + n, view: { id, seq: 1, status: "running" }, ...more }
  }
  const ids = (page: Awaited<ReturnType<ReturnType<typeof tenantPort>["listRuns"]>>) =>
    "data" in page ? page.data.map((r) => r["id"]) : "bad"

  test("[H5] newest first, page by page, without gap or repeat while rows come and go", async () => {
    const port = tenantPort(env, "t-list")
    for (const n of [3, 1, 5, 2, 4]) await port.noteRun(row(n))
    const first = await port.listRuns({ limit: 2 })
    if (!("data" in first)) throw new Error("bad cursor")
    expect(ids(first)).toEqual([row(5).id, row(4).id])
    await port.noteRun(row(6))
    const second = await port.listRuns({ limit: 2, cursor: first.next_cursor ?? "" })
    expect(ids(second)).toEqual([row(3).id, row(2).id])
    const third = await port.listRuns({ limit: 2, cursor: "data" in second ? (second.next_cursor ?? "") : "" })
    expect(third).toMatchObject({ data: [{ id: row(1).id }], next_cursor: null })
  })

  test("[H5] runs of one millisecond are in the order of their ids", async () => {
    const port = tenantPort(env, "t-ms")
    for (const n of [2, 1, 3]) await port.noteRun(row(n, { created: 7 }))
    const first = await port.listRuns({ limit: 1 })
    const rest = await port.listRuns({ limit: 9, cursor: "data" in first ? (first.next_cursor ?? "") : "" })
    expect([ids(first), ids(rest)]).toEqual([[row(3).id], [row(2).id, row(1).id]])
  })

  test("[H5] filters by flow and status", async () => {
    const port = tenantPort(env, "t-filter")
    await port.noteRun(row(1, { flow: "f", status: "succeeded" }))
    await port.noteRun(row(2, { flow: "g", status: "failed" }))
    await port.noteRun(row(3, { flow: "g", status: "waiting" }))
    expect(ids(await port.listRuns({ limit: 9, flow: "g" }))).toEqual([row(3).id, row(2).id])
    expect(ids(await port.listRuns({ limit: 9, status: ["succeeded", "failed"] }))).toEqual([row(2).id, row(1).id])
    expect(ids(await port.listRuns({ limit: 9, flow: "g", status: ["failed"] }))).toEqual([row(2).id])
    expect(ids(await port.listRuns({ limit: 9, status: [] }))).toEqual([])
  })

  test("[H5] a foreign cursor and a made-up one are bad cursors", async () => {
    const port = tenantPort(env, "t-cursor")
    const other = tenantPort(env, "t-other")
    for (const n of [1, 2]) await other.noteRun(row(n))
    const page = await other.listRuns({ limit: 1 })
    for (const cursor of ["data" in page ? (page.next_cursor ?? "") : "", "x", "", "bnVsbA", "%%%"]) {
      expect(await port.listRuns({ limit: 1, cursor })).toEqual({ badCursor: true })
    }
  })

  test("[H5] a late word about a run does not undo a newer one", async () => {
    const port = tenantPort(env, "t-late")
    const done = row(1, { status: "succeeded", ended: 2000, view: { id: row(1).id, seq: 9, status: "succeeded" } })
    await port.noteRun(done)
    await port.noteRun(row(1))
    await port.noteRun(done)
    expect(await port.listRuns({ limit: 9 })).toMatchObject({ data: [{ seq: 9, status: "succeeded" }] })
    expect(ids(await port.listRuns({ limit: 9, status: ["running"] }))).toEqual([])
  })
})
