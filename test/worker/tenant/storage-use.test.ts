// What a tenant stores is counted and limited [H6]: runs when they report, shared files, memory and named workspaces when they are written.

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { memoryPort } from "../../../src/cloudflare/clients/memory.ts"
import { r2Objects } from "../../../src/cloudflare/blobs/objects-r2.ts"
import { storageRoom } from "../../../src/cloudflare/blobs/storage-room.ts"
import { runPort } from "../../../src/cloudflare/clients/run-port.ts"
import { catalogPort } from "../../../src/cloudflare/authoring/catalog.ts"
import { portOf } from "../../../src/cloudflare/platform/port-of.ts"
import type { StorageUsed } from "../../../src/ports/tenant/tenants.ts"
import { admin, CATALOG, ended, runObject, start, tenant, tenantObject, until, type Tenant } from "../../support/worker/service-client.ts"

const ready = async (id: string): Promise<Tenant> => {
  const t = await tenant(id)
  await t.ask("PUT", "/v1/catalog", CATALOG)
  return t
}
const used = async (t: Tenant): Promise<StorageUsed> => (await admin.ask<{ storage: StorageUsed }>("GET", `/v1/tenants/${t.id}`)).storage
const allow = (t: Tenant, storage_bytes: number): Promise<unknown> => admin.ask("PUT", `/v1/tenants/${t.id}/quotas`, { storage_bytes })
const bytes = (n: number): Uint8Array => new Uint8Array(n).fill(97)
const RUN = `run_${"q".repeat(26)}`

describe("what is counted", () => {
  test("[H6] a run's size counts once, when the run ends, and is freed when the run is deleted", async () => {
    const t = await ready("store-runs")
    expect(await used(t)).toEqual({ total: 0, runs: 0, files: 0, memory: 0, workspaces: 0, cache: 0, datasets: 0 })
    const [one, two] = [await start(t, "quick"), await start(t, "quick")]
    await ended(t, one)
    await ended(t, two)
    const kept = await until(async () => {
      const bytesOf = await runInDurableObject(tenantObject(t.id), (_, ctx) =>
        ctx.storage.sql.exec<{ bytes: number | null }>("SELECT json_extract(view, '$.bytes') AS bytes FROM run").toArray(),
      )
      return bytesOf.every((r) => r.bytes !== null) && bytesOf
    }, "the word of both runs")
    const sum = kept.reduce((all, { bytes: n }) => all + (n ?? 0), 0)
    expect(sum).toBeGreaterThan(8_192)
    expect(await used(t)).toEqual({ total: sum, runs: sum, files: 0, memory: 0, workspaces: 0, cache: 0, datasets: 0 })
    // A repeated or late report does not count.
    const row = {
      id: one,
      flow: "quick",
      status: "succeeded",
      created: Date.now(),
      ended: Date.now(),
      view: { seq: 1, bytes: 9_999_999 },
    } as const
    await portOf(env, t.id, "runs").note({ ...row, notices: [] })
    expect((await used(t)).runs).toBe(sum)
    for (const id of [one, two]) expect((await t.raw("DELETE", `/v1/runs/${id}`)).status).toBe(204)
    expect((await used(t)).total).toBe(0)
  })

  test("[H6] the bodies that a run stores in R2 count as its own", async () => {
    const t = await ready("store-bodies")
    const big = "x".repeat(50_000)
    const before = await start(t, "quick")
    await ended(t, before)
    const small = (await until(async () => (await used(t)).runs > 0 && used(t), "the first run's word")).runs
    // Both versions of the file are in R2; the index has only the second.
    const write = (content: string): object => ({ calls: [{ tool: "write", args: { path: "big.txt", content } }] })
    const turns = [write(big), write(big.replace("x", "y")), { finish: { status: "complete", summary: "done" } }]
    const yaml = JSON.stringify({ steps: { a: turns } })
    await t.ask("PUT", "/v1/catalog", { ...CATALOG, flows: { ...CATALOG.flows, "quick.rehearsal.yaml": yaml } })
    const id = await start(t, "quick")
    await ended(t, id)
    expect((await t.raw("GET", `/v1/runs/${id}/files/big.txt`)).status).toBe(200)
    await until(async () => (await used(t)).runs >= 2 * small + 100_000, "the second run's bodies")
    expect(await runInDurableObject(runObject(t.id, id), (_, ctx) => ctx.storage.kv.get("bodies"))).toBe(100_000)
  })

  test("[H6] shared files and memory count when they are written; a replaced file counts once, a removed one not at all", async () => {
    const t = await ready("store-files")
    const objects = r2Objects(env, t.id, "")
    await objects.put("a.bin", bytes(1_000), { tainted: false })
    await objects.put("a.bin", bytes(1_500), { tainted: false })
    await objects.put("b.bin", bytes(500), { tainted: false })
    expect((await used(t)).files).toBe(2_000)
    await objects.remove("a.bin")
    expect((await used(t)).files).toBe(500)
    await memoryPort(env, t.id).write({ namespace: "n", content: "what is remembered", tainted: false })
    expect((await used(t)).memory).toBeGreaterThan(1_000)
    await t.ask("POST", "/v1/tools/write?workspace=w", { path: "c.txt", content: "twelve bytes" })
    expect((await used(t)).workspaces).toBe(12)
    await t.ask("POST", "/v1/tools/write?workspace=w", { path: "c.txt", content: "six" })
    const all = await used(t)
    expect([all.workspaces, all.total]).toEqual([3, 500 + all.memory + 3])
  })
})

describe("when the quota is used up", () => {
  test("[H6] a start over the API is refused with the figures; it is not a 429 and is not stored, so the same key starts when there is room", async () => {
    const t = await ready("full-start")
    await ended(t, await start(t, "quick"))
    await until(async () => (await used(t)).runs > 0, "the run's word")
    await allow(t, 1_000)
    const headers = { "idempotency-key": "again" }
    const refused = await t.raw("POST", "/v1/flows/quick/runs", { task: "go" }, headers)
    const problem: { code: string; detail: string } = await refused.json()
    expect([refused.status, problem.code, refused.headers.get("retry-after")]).toEqual([409, "storage_full", null])
    const { total } = await used(t)
    expect(problem.detail).toContain(`stores ${total} bytes (runs ${total}), and its quota is 1000 bytes`)
    // Existing data can still be read and deleted.
    expect((await t.raw("GET", "/v1/runs")).status).toBe(200)
    await allow(t, 1_000_000_000)
    const begun = await t.raw("POST", "/v1/flows/quick/runs", { task: "go" }, headers)
    expect([begun.status, begun.headers.get("idempotent-replayed")]).toEqual([202, null])
    await ended(t, ((await begun.json()) as { id: string }).id)
  })

  test("[H6] a start over MCP is an error that says so", async () => {
    const t = await ready("full-mcp")
    await allow(t, 0)
    const answer = await t.raw(
      "POST",
      "/mcp",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "flow_quick", arguments: { task: "go" } } },
      { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" },
    )
    const text = await answer.text()
    expect(text).toContain("its quota is 0 bytes")
    expect(text).toContain('"isError":true')
  })

  test("[H6] a delivery is queued, and starts when something is deleted", async () => {
    const t = await ready("full-queue")
    const old = await start(t, "quick")
    await ended(t, old)
    await until(async () => (await used(t)).runs > 0, "the run's word")
    await allow(t, 1_000)
    const pinned = await catalogPort(env, t.id).pin({ flow: "quick" }, { rehearse: false, start: { run: RUN, kind: "webhook" } })
    if (!pinned.ok) throw new Error(pinned.code)
    expect(pinned.queue).toBe(true)
    const view = await runPort(env, t.id, RUN).start({
      tenant: t.id,
      run: RUN,
      flow: "quick",
      task: "go",
      inputs: {},
      autonomous: true,
      rehearsed: pinned.rehearsed,
      pins: pinned.pins,
      trigger: { kind: "webhook" },
      ...(pinned.rules === undefined ? {} : { rules: pinned.rules }),
      held: true,
    })
    expect(view.status).toBe("queued")
    await runDurableObjectAlarm(tenantObject(t.id))
    expect((await t.ask<{ status: string }>("GET", `/v1/runs/${RUN}`)).status).toBe("queued")
    await t.raw("DELETE", `/v1/runs/${old}`)
    expect((await ended(t, RUN)).status).toBe("succeeded")
  })

  test("[H6] so is a schedule's fire", async () => {
    const t = await ready("full-fire")
    await allow(t, 0)
    const { id } = await t.ask<{ id: string }>("POST", "/v1/schedules", { flow: "quick", cron: "0 0 29 2 *", task: "go" })
    const fired = await t.ask<{ run: string; verdict: string }>("POST", `/v1/schedules/${id}/fire`, {})
    await until(async () => (await t.ask<{ status: string }>("GET", `/v1/runs/${fired.run}`)).status === "queued", "the queued run")
    await allow(t, 1_000_000_000)
    const end = await until(async () => {
      await runDurableObjectAlarm(tenantObject(t.id))
      const run = await t.ask<{ status: string; ended?: string }>("GET", `/v1/runs/${fired.run}`)
      return run.ended !== undefined && run
    }, "the run's end")
    expect(end.status).toBe("succeeded")
  })

  test("[H6, T24, T23] writing a shared file or a memory entry is a tool error with the figures, and nothing is written", async () => {
    const t = await ready("full-tools")
    await r2Objects(env, t.id, "").put("old.bin", bytes(900), { tainted: false })
    await allow(t, 1_000)
    await expect(r2Objects(env, t.id, "").put("new.bin", bytes(101), { tainted: false })).rejects.toThrow(
      "this would store 101 bytes more, but this tenant stores 900 bytes (shared files 900), and its quota is 1000 bytes",
    )
    expect(await r2Objects(env, t.id, "").get("new.bin")).toBeUndefined()
    const put = await t.raw("PUT", "/v1/objects/new.bin", "x".repeat(200))
    expect([put.status, ((await put.json()) as { code: string }).code]).toEqual([409, "storage_full"])
    // A change that makes data smaller is allowed.
    await allow(t, 10)
    await r2Objects(env, t.id, "").put("old.bin", bytes(800), { tainted: false })
    const said = await t.ask<{ isError?: boolean; content: { text: string }[] }>("POST", "/v1/tools/memory.write", {
      namespace: "n",
      content: "x",
    })
    expect([said.isError, said.content[0]?.text]).toEqual([true, expect.stringContaining("its quota is 10 bytes")])
    expect(await memoryPort(env, t.id).read("n")).toEqual([])
    const file = await t.ask<{ isError?: boolean; content: { text: string }[] }>("POST", "/v1/tools/write?workspace=w", {
      path: "a.txt",
      content: "a",
    })
    expect([file.isError, file.content[0]?.text]).toEqual([true, expect.stringContaining("its quota is 10 bytes")])
    expect((await used(t)).total).toBe(800)
  })

  test("[H6] a write that R2 refuses is not counted", async () => {
    const t = await ready("full-fault")
    const broken = { ...env, BLOBS: { put: async () => Promise.reject(new Error("R2 is away")) } as unknown as R2Bucket }
    await expect(r2Objects(broken, t.id, "").put("a.bin", bytes(700), { tainted: false })).rejects.toThrow("R2 is away")
    expect((await used(t)).files).toBe(0)
  })

  test("[H6] after a crash between the count and the write, removing the missing file corrects the count", async () => {
    const t = await ready("full-crash")
    await storageRoom(env, t.id).takeFile("a.bin", 700)
    expect((await used(t)).files).toBe(700)
    expect(await r2Objects(env, t.id, "").remove("a.bin")).toBe(false)
    expect((await used(t)).files).toBe(0)
  })
})

describe("a deleted tenant", () => {
  test("[N3] leaves no count to the next tenant with its id", async () => {
    const t = await ready("store-again")
    await r2Objects(env, t.id, "").put("a.bin", bytes(700), { tainted: false })
    await admin.ask("DELETE", `/v1/tenants/${t.id}`)
    // A late call of a tool that was running during the deletion.
    await memoryPort(env, t.id).write({ namespace: "n", content: "late", tainted: false })
    await tenant("store-again")
    expect((await used(t)).total).toBe(0)
  })
})
