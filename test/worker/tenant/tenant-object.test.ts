// The tenant's object inside workerd: rows in SQLite, bodies in R2, keys sealed, and everything still there after an eviction.

import { evictDurableObject, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { r2Blobs } from "../../../src/cloudflare/blobs/blobs-r2.ts"
import { ProviderStore } from "../../../src/cloudflare/tenant/settings/provider-store.ts"
import { SecretStore } from "../../../src/cloudflare/tenant/secrets/secret-store.ts"
import { SettingStore } from "../../../src/cloudflare/tenant/settings/setting-store.ts"
import { TenantSql } from "../../../src/cloudflare/tenant/tenant-sql.ts"
import { catalogPort } from "../../../src/cloudflare/authoring/catalog.ts"
import { portOf } from "../../../src/cloudflare/platform/port-of.ts"
import { Vault } from "../../../src/cloudflare/platform/vault.ts"
import { loadDefinitions } from "../../../src/engine/catalog/definitions.ts"
import type { RunListPort, ListedRun } from "../../../src/ports/tenant/run-list.ts"

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
    const port = catalogPort(env, "t-write")
    expect(await port.put("agent", "agents/a.md", AGENT)).toMatchObject({ written: true, revision: 1 })
    const result = await port.writeFlow("flows/f.yaml", FLOW)
    expect(result).toMatchObject({ written: true, revision: 2, path: "flows/f.yaml" })
    expect(await env.BLOBS.head(`t/t-write/blob/${result.hash}`)).not.toBeNull()
    await evictDurableObject(stubOf("t-write"))
    expect(await port.read("flow", "f")).toMatchObject({ content: FLOW, hash: result.hash, tier: "local" })
    expect((await port.files("agent")).data.find((f) => f.id === "a")).toMatchObject({ tier: "local", size: AGENT.length })
    expect((await port.agents()).map((row) => row.name)).toContain("a")
  })

  test("[F71] an object that is only read writes nothing", async () => {
    const port = catalogPort(env, "t-asked")
    await port.files()
    await portOf(env, "t-asked", "settings").providers()
    await portOf(env, "t-asked", "runs").list({ limit: 10 })
    expect(await port.remove("agent", "none")).toBe(false)
    expect(await tablesOf("t-asked")).toEqual([])
  })

  test("[F71] a refused write leaves no row", async () => {
    const port = catalogPort(env, "t-refused")
    expect(await port.put("agent", "agents/a.md", "nothing")).toMatchObject({ written: false })
    expect(await port.apply({ mode: "replace", bundle: { agents: { "a.md": AGENT, "b.md": "nothing" } } })).toMatchObject({ ok: false })
    expect(await tablesOf("t-refused")).toEqual([])
  })

  test("[F72] each revision says who changed what, and a bundle is one revision", async () => {
    const port = catalogPort(env, "t-history", { by: "ann" })
    expect(await port.apply({ mode: "replace", bundle: { agents: { "a.md": AGENT }, flows: { "f.yaml": FLOW } } })).toMatchObject({
      ok: true,
      revision: 1,
    })
    await port.put("agent", "agents/a.md", `${AGENT}More.\n`)
    await catalogPort(env, "t-history").remove("flow", "f")
    await evictDurableObject(stubOf("t-history"))
    const page = await port.history({ limit: 10 })
    if (!("data" in page)) throw new Error("bad cursor")
    expect(page.data.map((r) => [r.revision, r.by, r.action, r.changes.map((c) => [c.path, c.before === null, c.after === null])])).toEqual(
      [
        [3, null, "remove", [["flows/f.yaml", false, true]]],
        [2, "ann", "write", [["agents/a.md", false, false]]],
        [
          1,
          "ann",
          "replace",
          [
            ["agents/a.md", true, false],
            ["flows/f.yaml", true, false],
          ],
        ],
      ],
    )
    expect(Math.abs(Date.now() - (page.data[0]?.at ?? 0))).toBeLessThan(60_000)
    const rest = await port.history({ limit: 1, cursor: "3" })
    expect("data" in rest && [rest.data.map((r) => r.revision), rest.next_cursor]).toEqual([[2], "2"])
    expect(await port.history({ limit: 1, cursor: "x" })).toEqual({ badCursor: true })
  })

  test("[F72] earlier revisions are read, compared and restored after an eviction", async () => {
    const port = catalogPort(env, "t-back")
    await port.apply({ mode: "replace", bundle: { agents: { "a.md": AGENT }, flows: { "f.yaml": FLOW } } })
    await port.put("agent", "agents/a.md", AGENT.replace("tools: read", "tools: grep"))
    await port.remove("flow", "f")
    await evictDurableObject(stubOf("t-back"))
    expect(await port.read("agent", "a", 1)).toMatchObject({ content: AGENT })
    const then = await port.filesAt(2)
    expect("data" in then && then.data.filter((f) => f.tier === "local").map((f) => f.path)).toEqual(["agents/a.md", "flows/f.yaml"])
    expect(await port.filesAt(4)).toEqual({ ok: false, code: "no_revision", latest: 3 })
    const diff = await port.diff({ from: 1, to: 3 })
    expect(diff.ok && diff.data.map((d) => [d.path, d.status, d.diff?.match(/^[+-].*$/gm)?.length])).toEqual([
      ["agents/a.md", "changed", 2],
      ["flows/f.yaml", "removed", 4],
    ])
    expect(await port.rollback(1, 2)).toEqual({ stale: 3 })
    expect(await port.rollback(1)).toMatchObject({ ok: true, revision: 4 })
    expect(await port.read("flow", "f")).toMatchObject({ content: FLOW })
    expect(await port.pin({ flow: "f", revision: 3 }, { rehearse: true })).toEqual({ ok: false, code: "not_found" })
    expect(await port.pin({ flow: "f", revision: 2 }, { rehearse: true })).toMatchObject({ ok: true, pins: { revision: 2 } })
  })

  test("[F72] a write reads and writes as many rows after 200 revisions as after 2", async () => {
    await runInDurableObject(stubOf("t-cost"), (_, { storage }) => {
      const cursors: { rowsRead: number; rowsWritten: number }[] = []
      const sql = new TenantSql({
        transactionSync: <T>(work: () => T) => storage.transactionSync(work),
        sql: {
          exec: (query: string, ...bindings: SqlStorageValue[]) => {
            const cursor = storage.sql.exec(query, ...bindings)
            cursors.push(cursor)
            return cursor
          },
        },
      } as unknown as DurableObjectStorage)
      const cost = (n: number): [number, number] => {
        cursors.length = 0
        const hash = n.toString(16).padStart(64, "0")
        sql.commit([{ type: "put", kind: "agent", id: "a", path: "agents/a.md", hash, size: 1 }], { action: "write" })
        return [cursors.reduce((sum, c) => sum + c.rowsRead, 0), cursors.reduce((sum, c) => sum + c.rowsWritten, 0)]
      }
      cost(1)
      const early = cost(2)
      for (let n = 3; n < 200; n++) cost(n)
      expect(cost(200)).toEqual(early)
      expect(early[1]).toBeGreaterThan(0)
      expect(sql.revision()).toBe(200)
    })
  })

  test("[F70] packages: registered, listed, hidden, removed and restored", async () => {
    const port = catalogPort(env, "t-package", { by: "ann" })
    const result = await port.putPackage("acme", { version: "1.0.0", agents: { "a.md": AGENT }, flows: { "f.yaml": FLOW } })
    expect(result).toMatchObject({ ok: true, revision: 1, diagnostics: {} })
    await evictDurableObject(stubOf("t-package"))
    expect(await port.packages()).toMatchObject([{ name: "acme", version: "1.0.0", agents: 1, flows: 1 }])
    expect(await port.package("acme")).toMatchObject({ bundle: { agents: { "a.md": AGENT } } })
    expect(await port.read("flow", "f")).toMatchObject({ tier: "package", package: "acme", path: "packages/acme/flows/f.yaml" })
    expect((await port.agents()).find((a) => a.name === "a")).toMatchObject({ source_type: "package" })
    expect(await port.export()).toMatchObject({ ok: true, bundle: { agents: {} } })
    expect(await port.removePackage("acme", "ab")).toMatchObject({ stale: expect.any(String) })
    expect(await port.removePackage("acme")).toBe(true)
    expect(await port.read("flow", "f")).toBeUndefined()
    expect(await port.rollback(1)).toMatchObject({ ok: true, revision: 3 })
    expect(await port.read("flow", "f")).toMatchObject({ tier: "package" })
  })

  test("[N3] an export imported elsewhere gives the same hashes", async () => {
    const port = catalogPort(env, "t-export")
    await port.apply({
      mode: "replace",
      bundle: { agents: { "a.md": AGENT }, flows: { "f.yaml": FLOW }, code: { "f/x.ts": "export default () => ({})\n" } },
    })
    const file = await port.export()
    if (!file.ok) throw new Error("lost")
    const other = catalogPort(env, "t-import")
    expect(await other.apply({ mode: "replace", bundle: file.bundle })).toMatchObject({ ok: true })
    const hashes = async (of: typeof port) => (await of.files()).data.map((f) => [f.path, f.hash])
    expect(await hashes(other)).toEqual(await hashes(port))
    expect(await other.export()).toMatchObject({ ok: true, bundle: file.bundle })
  })

  test("[F73] If-Match: ten editors at once, one wins, the others see its hash", async () => {
    const port = catalogPort(env, "t-match")
    await port.put("agent", "agents/a.md", AGENT)
    const seen = (await port.read("agent", "a"))?.hash
    const results = await Promise.all(Array.from({ length: 10 }, (_, i) => port.put("agent", "agents/a.md", `${AGENT}${i}\n`, seen)))
    const won = results.flatMap((r) => ("hash" in r ? [r.hash] : []))
    expect(won).toHaveLength(1)
    expect(results.flatMap((r) => ("stale" in r ? [r.stale] : []))).toEqual(Array.from({ length: 9 }, () => won[0]))
  })

  test("[F72] pinned definitions can be loaded from the tenant's blobs alone", async () => {
    const port = catalogPort(env, "t-pin")
    await port.apply({ mode: "replace", bundle: { agents: { "a.md": AGENT }, flows: { "f.yaml": FLOW } } })
    const result = await port.pin({ flow: "f" }, { rehearse: false })
    if (!result.ok) throw new Error(JSON.stringify(result))
    expect([result.pins.models, result.rehearsed]).toEqual([{ a: "rehearsal/default" }, true])
    expect((await loadDefinitions(result.pins, r2Blobs(env, "t-pin"))).flow.steps.map((s) => s.id)).toEqual(["x"])
    expect(await port.pin({ flow: "none" }, { rehearse: false })).toEqual({ ok: false, code: "not_found" })
  })

  test("[F74] a body missing from R2 is listed, breaks nothing else, and can be written again", async () => {
    const port = catalogPort(env, "t-lost")
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

  test("[N1] two tenants see nothing from each other", async () => {
    await catalogPort(env, "t-one").put("agent", "agents/a.md", AGENT)
    const other = catalogPort(env, "t-two")
    expect(await other.read("agent", "a")).toBeUndefined()
    const mine = await catalogPort(env, "t-one").read("agent", "a")
    expect(await r2Blobs(env, "t-two").get(mine?.hash ?? "")).toBeUndefined()
  })
})

describe("providers and roles", () => {
  const KEY = "sk-canary-0123456789"

  test("[N6] a key is write-only: sealed at rest, absent from the list, opened only for the run's object", async () => {
    const port = portOf(env, "t-keys", "settings")
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

  test("[N6] a put replaces all settings; a removed provider is gone", async () => {
    const port = portOf(env, "t-replace", "settings")
    await port.putProvider("p", { kind: "anthropic", apiKey: KEY })
    await port.putProvider("p", { kind: "scripted", turns: { "*": [{ text: "hi" }] } })
    expect(await port.provider("p")).toEqual({ kind: "scripted", turns: { "*": [{ text: "hi" }] } })
    expect((await port.providers())["p"]).toMatchObject({ apiKey: false })
    const extras = { api: "responses" as const, headers: { "x-team": "blue" }, options: { metadata: { a: [1, null] } } }
    await port.putProvider("p", { kind: "openai", apiKey: KEY, ...extras })
    expect(await port.provider("p")).toEqual({ kind: "openai", apiKey: KEY, ...extras })
    expect([await port.removeProvider("p"), await port.removeProvider("p"), await port.provider("p")]).toEqual([true, false, undefined])
  })

  test("[N6] without VAULT_KEY, outside local development, a key is refused and not written", async () => {
    await runInDurableObject(stubOf("t-vault"), async (_, ctx) => {
      const sql = new TenantSql(ctx.storage)
      const vault = new Vault({ ENVIRONMENT: "production" })
      const secrets = new SecretStore(sql, vault, "t-vault")
      const store = new ProviderStore(sql, new SettingStore(sql, Date.now), vault, { tenant: "t-vault", local: true, secrets })
      await expect(store.put("acme", { kind: "openai", apiKey: KEY })).rejects.toThrow(/VAULT_KEY/)
      await expect(store.put("acme", { kind: "openai", apiKey: KEY })).rejects.not.toThrow(KEY)
      expect(store.names()).toEqual([])
      await store.put("acme", { kind: "workers-ai" })
      expect(await store.open("acme")).toEqual({ kind: "workers-ai" })
    })
  })

  test("[N6] a sealed key can be opened only with its VAULT_KEY and at its own place", async () => {
    const vault = new Vault({ VAULT_KEY: "one" })
    const sealed = await vault.seal(KEY, "provider t/acme")
    expect(await vault.open(sealed, "provider t/acme")).toBe(KEY)
    await expect(vault.open(sealed, "provider t/other")).rejects.toThrow(/cannot be opened/)
    await expect(new Vault({ VAULT_KEY: "two" }).open(sealed, "provider t/acme")).rejects.toThrow(/VAULT_KEY/)
    expect(new Uint8Array(await vault.seal(KEY, "provider t/acme"))).not.toEqual(new Uint8Array(sealed))
  })

  test("[F52] a put replaces all roles, and the next pin sees providers and roles", async () => {
    const port = catalogPort(env, "t-roles")
    const settings = portOf(env, "t-roles", "settings")
    await port.apply({ mode: "replace", bundle: { agents: { "a.md": AGENT }, flows: { "f.yaml": FLOW } } })
    await settings.putProvider("acme", { kind: "openai", apiKey: KEY })
    expect(await port.pin({ flow: "f" }, { rehearse: false })).toMatchObject({ ok: false, code: "no_model", step: "x" })
    await settings.put("roles", { fast: "acme/quick", default: "acme/std" })
    expect(await port.pin({ flow: "f" }, { rehearse: false })).toMatchObject({
      ok: true,
      pins: { models: { a: "acme/quick" } },
      rehearsed: false,
    })
    await settings.put("roles", { default: "acme/std" })
    expect(await settings.get("roles")).toEqual({ default: "acme/std" })
    expect(await port.pin({ flow: "f" }, { rehearse: false })).toMatchObject({ ok: true, pins: { models: { a: "acme/std" } } })
  })
})

describe("the list of runs", () => {
  const row = (n: number, more: Partial<ListedRun> = {}): ListedRun => {
    const id = `run_${String(n).padStart(26, "0")}`
    return { id, flow: "f", status: "running", created: 1000 + n, view: { id, seq: 1, status: "running" }, ...more }
  }
  const ids = (page: Awaited<ReturnType<RunListPort["list"]>>) => ("data" in page ? page.data.map((r) => r["id"]) : "bad")

  test("[H5] newest first, page by page, without gaps or repeats while rows come and go", async () => {
    const port = portOf(env, "t-list", "runs")
    for (const n of [3, 1, 5, 2, 4]) await port.note(row(n))
    const first = await port.list({ limit: 2 })
    if (!("data" in first)) throw new Error("bad cursor")
    expect(ids(first)).toEqual([row(5).id, row(4).id])
    await port.note(row(6))
    const second = await port.list({ limit: 2, cursor: first.next_cursor ?? "" })
    expect(ids(second)).toEqual([row(3).id, row(2).id])
    const third = await port.list({ limit: 2, cursor: "data" in second ? (second.next_cursor ?? "") : "" })
    expect(third).toMatchObject({ data: [{ id: row(1).id }], next_cursor: null })
  })

  test("[H5] runs of one millisecond are in the order of their ids", async () => {
    const port = portOf(env, "t-ms", "runs")
    for (const n of [2, 1, 3]) await port.note(row(n, { created: 7 }))
    const first = await port.list({ limit: 1 })
    const rest = await port.list({ limit: 9, cursor: "data" in first ? (first.next_cursor ?? "") : "" })
    expect([ids(first), ids(rest)]).toEqual([[row(3).id], [row(2).id, row(1).id]])
  })

  test("[H5] filters by flow and status", async () => {
    const port = portOf(env, "t-filter", "runs")
    await port.note(row(1, { flow: "f", status: "succeeded" }))
    await port.note(row(2, { flow: "g", status: "failed" }))
    await port.note(row(3, { flow: "g", status: "waiting" }))
    expect(ids(await port.list({ limit: 9, flow: ["g"] }))).toEqual([row(3).id, row(2).id])
    expect(ids(await port.list({ limit: 9, status: ["succeeded", "failed"] }))).toEqual([row(2).id, row(1).id])
    expect(ids(await port.list({ limit: 9, flow: ["g"], status: ["failed"] }))).toEqual([row(2).id])
    expect(ids(await port.list({ limit: 9, status: [] }))).toEqual([])
  })

  test("[H5] another list's cursor and a made-up cursor are refused", async () => {
    const port = portOf(env, "t-cursor", "runs")
    const other = portOf(env, "t-other", "runs")
    for (const n of [1, 2]) await other.note(row(n))
    const page = await other.list({ limit: 1 })
    for (const cursor of ["data" in page ? (page.next_cursor ?? "") : "", "x", "", "bnVsbA", "%%%"]) {
      expect(await port.list({ limit: 1, cursor })).toEqual({ badCursor: true })
    }
  })

  test("[H5] a late report of a run does not overwrite a newer one", async () => {
    const port = portOf(env, "t-late", "runs")
    const done = row(1, { status: "succeeded", ended: 2000, view: { id: row(1).id, seq: 9, status: "succeeded" } })
    await port.note(done)
    await port.note(row(1))
    await port.note(done)
    expect(await port.list({ limit: 9 })).toMatchObject({ data: [{ status: "succeeded" }] })
    expect(ids(await port.list({ limit: 9, status: ["running"] }))).toEqual([])
  })
})

describe("rooms", () => {
  test("[F71] [S10] a stub reaches only the rooms of its own tenant's object", async () => {
    const [one, two] = [portOf(env, "t-rooms-one", "settings"), portOf(env, "t-rooms-two", "settings")]
    await one.put("roles", { default: "rehearsal/one" })
    expect(await one.get("roles")).toEqual({ default: "rehearsal/one" })
    expect(await two.get("roles")).toEqual({})
    const seen: string[] = []
    for (const [room, method] of [
      ["catalog", "constructor"],
      ["ctx", "abort"],
      ["constructor", "name"],
      ["cellar", "list"],
    ] as const)
      await Promise.resolve(stubOf("t-rooms-two").ask(room, method, [])).catch((e: unknown) =>
        seen.push(e instanceof Error ? `${e.name}: ${e.message}` : ""),
      )
    expect(seen).toEqual(
      ["catalog.constructor", "ctx.abort", "constructor.name", "cellar.list"].map((path) => `TypeError: this object has no ${path}`),
    )
  })

  test("[F71] an error thrown in a room reaches the caller with its name and message", async () => {
    const settings = portOf(env, "t-rooms-fault", "settings")
    const fault = await settings.putProvider("no good/name", { kind: "scripted" }).catch((e: unknown) => e)
    expect(fault).toMatchObject({ name: "Error", message: expect.stringContaining("no good/name") })
  })
})
