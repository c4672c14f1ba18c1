// A run between its place and its first report [H6]: neither is forgotten, and a start that comes to nothing leaves nothing.

import { evictDurableObject, runInDurableObject } from "cloudflare:test"
import { beforeAll, describe, expect, test } from "vitest"
import { RunIndex } from "../../../src/cloudflare/tenant/run-list/run-index.ts"
import { PromisedRuns } from "../../../src/cloudflare/tenant/starts/promised-runs.ts"
import { StartGate } from "../../../src/cloudflare/tenant/starts/start-gate.ts"
import { TenantSql } from "../../../src/cloudflare/tenant/tenant-sql.ts"
import { DEFAULT_QUOTAS } from "../../../src/ports/tenant/tenants.ts"
import type { ListedRun } from "../../../src/ports/tenant/run-list.ts"
import { admin, CATALOG, tenant, tenantObject, type Tenant } from "../../support/worker/service-client.ts"

const idOf = (n: number): string => `run_${String(n).padStart(32, "0")}`
const row = (id: string, created: number, seq = 0): ListedRun => ({
  id,
  flow: "f",
  status: "running",
  created,
  view: { id, seq, tags: ["a"] },
})

let t: Tenant

/** Takes a place as a start does, and says no more. */
const pinned = (run: string): Promise<unknown> =>
  tenantObject(t.id).ask("starts", "pin", [
    { flow: "quick" },
    { rehearse: false, start: { run, kind: "api" }, row: { trigger: { kind: "api" }, tags: ["a"] } },
  ])

const listed = async (query = ""): Promise<string[]> =>
  (await t.ask<{ data: { id: string }[] }>("GET", `/v1/runs${query}`)).data.map(({ id }) => id)

beforeAll(async () => {
  t = await tenant("promised")
  await t.ask("PUT", "/v1/catalog", CATALOG)
  await admin.ask("PUT", `/v1/tenants/${t.id}/quotas`, { concurrent_runs: 2 })
})

describe("a run that has a place and has not reported", () => {
  test("[H6] keeps its place and its row when the tenant's object is evicted", async () => {
    expect(await pinned(idOf(1))).toMatchObject({ ok: true, listed: true })
    await evictDurableObject(tenantObject(t.id))
    expect(await listed("?tag=a")).toEqual([idOf(1)])
    await evictDurableObject(tenantObject(t.id))
    expect(await pinned(idOf(2))).toMatchObject({ ok: true, limits: { concurrent: { left: 0 } } })
    expect(await pinned(idOf(3))).toMatchObject({ ok: false, code: "quota" })
    // The same start again has the same place.
    expect(await pinned(idOf(1))).toMatchObject({ ok: true })
  })

  test("[H6] is gone with its place when its start comes to nothing", async () => {
    await evictDurableObject(tenantObject(t.id))
    for (const id of [idOf(1), idOf(2)]) await tenantObject(t.id).ask("starts", "giveBack", [id])
    expect(await listed()).toEqual([])
    expect(await pinned(idOf(4))).toMatchObject({ ok: true, limits: { concurrent: { left: 1 } } })
    expect(await listed()).toEqual([idOf(4)])
    await tenantObject(t.id).ask("starts", "giveBack", [idOf(4)])
  })

  test("[H6] is dropped after 30 s, in the list or not yet; one that reports later is back", async () => {
    await runInDurableObject(tenantObject("promised-clock"), (_, { storage }) => {
      const sql = new TenantSql(storage)
      const index = new RunIndex(sql, "t")
      const promises = new PromisedRuns(sql, index)
      let now = 1_000_000
      const gate = (): StartGate =>
        new StartGate({
          live: () => index.live(),
          promised: () => [...index.promised(), ...promises.all()],
          startedAfter: (since) => index.startedAfter(since),
          quotas: () => ({ ...DEFAULT_QUOTAS, concurrent_runs: 2 }),
          full: () => undefined,
          dropped(run) {
            promises.remove(run)
            index.unpromise(run)
          },
          meet: () => false,
          now: () => now,
          pause: async () => undefined,
        })
      const shown = (): unknown[] => {
        promises.unfold()
        const page = index.list({ limit: 10 })
        return "data" in page ? page.data.map(({ id }) => id) : []
      }
      const first = gate()
      for (const id of ["a", "b"]) {
        expect(first.take(id).ok).toBe(true)
        promises.add(row(id, now))
      }
      promises.unfold()
      first.giveBack("b")
      promises.add(row("c", now))
      // Another object's memory.
      const woken = gate()
      expect(woken.take("d").ok).toBe(false)
      now += 30_000
      woken.sweep()
      expect(shown()).toEqual([])
      expect(woken.take("d").ok).toBe(true)
      index.note(row("a", now - 29_000, 3))
      promises.add(row("a", now))
      expect(shown()).toEqual(["a"])
      expect(index.live()).toEqual(["a"])
      index.unpromise("a")
      expect(shown()).toEqual(["a"])
    })
  })
})
