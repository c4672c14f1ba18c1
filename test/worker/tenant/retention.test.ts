// How long runs are kept, and how many there may be [H6].

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { describe, expect, test, vi } from "vitest"
import { TenantObject } from "../../../src/cloudflare/tenant/tenant-object.ts"
import type { RunObject } from "../../../src/cloudflare/run/run-object.ts"
import { AwakeRun } from "../../../src/cloudflare/run/awake-run.ts"
import { runPort } from "../../../src/cloudflare/clients/run-port.ts"
import { catalogPort } from "../../../src/cloudflare/authoring/catalog.ts"
import { env } from "cloudflare:workers"
import { admin, CATALOG, ended, runObject, start, tenant, tenantObject, until, type Tenant } from "../../support/worker/service-client.ts"

const ready = async (id: string): Promise<Tenant> => {
  const t = await tenant(id)
  await t.ask("PUT", "/v1/catalog", CATALOG)
  return t
}
const list = async (t: Tenant): Promise<{ id: string; status: string }[]> =>
  (await t.ask<{ data: { id: string; status: string }[] }>("GET", "/v1/runs")).data
const alarmOf = (t: Tenant, id: string): Promise<number | null> =>
  runInDurableObject(runObject(t.id, id), (_, ctx) => ctx.storage.getAlarm())

describe("retention", () => {
  test("[H6] an ended run is deleted by its own alarm, sooner if a shorter retention is chosen", async () => {
    const t = await ready("keep-1")
    const id = await start(t, "quick")
    await ended(t, id)
    const day = 86_400_000
    await until(async () => ((await alarmOf(t, id)) ?? 0) > Date.now() + 29 * day, "the alarm in 30 days")
    await runDurableObjectAlarm(runObject(t.id, id))
    expect((await t.raw("GET", `/v1/runs/${id}`)).status).toBe(200)
    await t.ask("PUT", "/v1/settings/retention", { runs: "1s" })
    // The run is notified and does not wait 30 days: its alarm rings by itself.
    await until(async () => (await t.raw("GET", `/v1/runs/${id}`)).status === 404, "the deletion")
    expect(await list(t)).toEqual([])
    expect((await t.raw("GET", `/v1/runs/${id}/events`)).status).toBe(404)
  })

  test("[H6] a retention that becomes shorter while the run still reports is not lost, and no late report makes it longer", async () => {
    const t = await ready("keep-owed")
    const id = await start(t, "quick")
    await ended(t, id)
    const day = 86_400_000
    await until(async () => ((await alarmOf(t, id)) ?? 0) > Date.now() + 29 * day, "the alarm in 30 days")
    const gate = Promise.withResolvers<void>()
    let isAsked = false
    const real = TenantObject.prototype.ask
    const ask = vi.spyOn(TenantObject.prototype, "ask").mockImplementation(async function (this: TenantObject, room, method, args) {
      const answer = await Reflect.apply(real, this, [room, method, args])
      // The answer to a report waits, and says the old retention.
      if (method === "note" && (args[0] as { id: string }).id === id) {
        isAsked = true
        await gate.promise
      }
      return answer
    })
    await evictDurableObject(runObject(t.id, id))
    await runInDurableObject(runObject(t.id, id), (object) => (object as RunObject).alarm())
    await until(async () => isAsked, "its report")
    await t.ask("PUT", "/v1/settings/retention", { runs: "5d" })
    await until(
      () =>
        runInDurableObject(tenantObject(t.id), (_, ctx) => ctx.storage.sql.exec("SELECT 1 FROM retention_sweep").toArray().length === 0),
      "the end of the sweep",
    )
    gate.resolve()
    await until(async () => ((await alarmOf(t, id)) ?? 0) > Date.now() + 4 * day, "the alarm of its deletion")
    expect(await alarmOf(t, id)).toBeLessThan(Date.now() + 5 * day)
    ask.mockRestore()
  })

  test("[H4] the stored answer for an Idempotency-Key outlives its run, until its day is over", async () => {
    const t = await ready("keep-2")
    const headers = { "idempotency-key": "k" }
    const id = await start(t, "quick", headers)
    await ended(t, id)
    await runObject(t.id, id).erase("answer")
    expect((await t.raw("GET", `/v1/runs/${id}`)).status).toBe(404)
    const again = await t.raw("POST", "/v1/flows/quick/runs", { task: "go" }, headers)
    expect([again.status, again.headers.get("idempotent-replayed"), ((await again.json()) as { id: string }).id]).toEqual([202, "true", id])
    expect(Math.abs(((await alarmOf(t, id)) ?? 0) - Date.now() - 86_400_000)).toBeLessThan(60_000)
    await runInDurableObject(runObject(t.id, id), (_, ctx) => ctx.storage.sql.exec("UPDATE answer SET at = at - 90000000"))
    await runDurableObjectAlarm(runObject(t.id, id))
    const next = await t.raw("POST", "/v1/flows/quick/runs", { task: "go" }, headers)
    expect([next.status, next.headers.get("idempotent-replayed")]).toEqual([202, null])
  })

  test("[H6] the instance's maximum also limits a retention that was chosen earlier", async () => {
    const t = await ready("keep-3")
    await t.ask("PUT", "/v1/settings/retention", { runs: "300d" })
    await admin.ask("PUT", `/v1/tenants/${t.id}/quotas`, { retention_max: "7d" })
    expect(await t.ask("GET", "/v1/settings/retention")).toEqual({ runs: "7d" })
    expect((await t.raw("PUT", "/v1/settings/retention", { runs: "8d" })).status).toBe(422)
  })
})

describe("quotas", () => {
  test("[H6] live runs are counted; a start that is refused or fails takes no place", async () => {
    const t = await ready("room-1")
    await admin.ask("PUT", `/v1/tenants/${t.id}/quotas`, { concurrent_runs: 2 })
    const ids = [await start(t, "long"), await start(t, "long")]
    const no = await t.raw("POST", "/v1/flows/quick/runs", { task: "go" })
    expect([no.status, no.headers.get("ratelimit-policy")]).toEqual([429, '"runs";q=2, "starts";q=1200;w=60'])
    expect(Number(no.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
    await t.ask("POST", `/v1/runs/${ids[0]}/cancel`, {})
    for (let i = 0; i < 3; i++) expect((await t.raw("POST", "/v1/flows/quick/runs", { task: "go", inputs: { no: 1 } })).status).toBe(422)
    const id = await start(t, "quick")
    await ended(t, id)
    await start(t, "quick")
  })

  test("[H6] an object that wakes counts the runs of the list", async () => {
    const t = await ready("room-2")
    await admin.ask("PUT", `/v1/tenants/${t.id}/quotas`, { concurrent_runs: 1 })
    const live = await start(t, "long")
    await until(async () => (await list(t)).some(({ id }) => id === live), "the run in the list")
    await evictDurableObject(tenantObject(t.id))
    expect((await t.raw("POST", "/v1/flows/quick/runs", { task: "go" })).status).toBe(429)
    await admin.ask("PUT", `/v1/tenants/${t.id}/quotas`, { concurrent_runs: 9, starts_per_minute: 1 })
    const no = await t.raw("POST", "/v1/flows/quick/runs", { task: "go" })
    expect([no.status, ((await no.json()) as { detail: string }).detail]).toEqual([
      429,
      expect.stringContaining("may start 1 runs a minute"),
    ])
  })

  test("[H6] a write that would make the catalog too large is refused with the figures, and one that makes it smaller is not", async () => {
    const t = await ready("room-5")
    await admin.ask("PUT", `/v1/tenants/${t.id}/quotas`, { catalog_bytes: 400 })
    const big = { ...CATALOG, skills: { "s/SKILL.md": `---\nname: s\ndescription: d\n---\n${"x".repeat(500)}` } }
    const no = await t.raw("PUT", "/v1/catalog", big)
    expect([no.status, (await no.json()) as { code: string; detail: string }]).toEqual([
      422,
      expect.objectContaining({
        code: "catalog_full",
        detail: expect.stringMatching(/would have \d+ bytes, and this tenant may have 400/),
      }),
    ])
    expect((await t.raw("GET", "/v1/skills/s/SKILL.md")).status).toBe(404)
    await admin.ask("PUT", `/v1/tenants/${t.id}/quotas`, { catalog_bytes: 0 })
    expect((await t.raw("DELETE", "/v1/flows/long")).status).toBe(204)
    expect((await t.raw("PUT", "/v1/catalog", CATALOG)).status).toBe(422)
  })

  /** Starts a run the way a delivery does. */
  async function deliver(t: Tenant, run: string, flow = "quick"): Promise<string> {
    const pinned = await catalogPort(env, t.id).pin({ flow }, { rehearse: false, start: { run, kind: "webhook" } })
    if (!pinned.ok) throw new Error(pinned.code)
    const view = await runPort(env, t.id, run).start({
      tenant: t.id,
      run,
      flow,
      task: "go",
      inputs: {},
      autonomous: true,
      rehearsed: pinned.rehearsed,
      pins: pinned.pins,
      trigger: { kind: "webhook" },
      ...(pinned.rules === undefined ? {} : { rules: pinned.rules }),
      ...(pinned.queue === undefined ? {} : { held: true }),
    })
    return view.status
  }
  const runId = (name: string): string => `run_${name.padEnd(26, "0")}`

  test("[H6] a delivery is never refused: its run is queued, is visible, and starts in order when there is room", async () => {
    const t = await ready("room-3")
    await admin.ask("PUT", `/v1/tenants/${t.id}/quotas`, { concurrent_runs: 1 })
    const live = await start(t, "long")
    expect([await deliver(t, runId("one")), await deliver(t, runId("two"))]).toEqual(["queued", "queued"])
    const seen = await t.ask<{ status: string; task: string; trigger: object }>("GET", `/v1/runs/${runId("one")}`)
    expect(seen).toMatchObject({ status: "queued", task: "go", trigger: { kind: "webhook" } })
    expect((await list(t)).filter(({ status }) => status === "queued").map(({ id }) => id)).toEqual([runId("two"), runId("one")])
    expect(await t.ask("GET", `/v1/runs/${runId("one")}/events`)).toMatchObject({ data: [] })
    await t.ask("POST", `/v1/runs/${live}/cancel`, {})
    const first = await ended(t, runId("one"))
    const second = await ended(t, runId("two"))
    expect([first.status, second.status]).toEqual(["succeeded", "succeeded"])
    const begun = async (id: string): Promise<number> =>
      (await t.ask<{ data: { at: number }[] }>("GET", `/v1/runs/${id}/events`)).data[0]?.at ?? 0
    expect(await begun(runId("one"))).toBeLessThanOrEqual(await begun(runId("two")))
  })

  test("[H6] [R13] a queued run that is paused is passed over, and begins when it is resumed", async () => {
    const t = await ready("room-paused")
    await admin.ask("PUT", `/v1/tenants/${t.id}/quotas`, { concurrent_runs: 0 })
    const [one, two] = [runId("pone"), runId("ptwo")]
    expect([await deliver(t, one), await deliver(t, two)]).toEqual(["queued", "queued"])
    const say = async (id: string, word: string): Promise<string> =>
      (await t.ask<{ status: string }>("POST", `/v1/runs/${id}/${word}`)).status
    expect([await say(one, "pause"), await say(two, "pause"), await say(two, "resume")]).toEqual(["queued", "queued", "queued"])
    await admin.ask("PUT", `/v1/tenants/${t.id}/quotas`, { concurrent_runs: 5 })
    const statusOf = async (id: string): Promise<string> => (await t.ask<{ status: string }>("GET", `/v1/runs/${id}`)).status
    await until(async () => {
      await runDurableObjectAlarm(tenantObject(t.id))
      return (await statusOf(two)) === "succeeded"
    }, "the run that was resumed")
    expect(await statusOf(one)).toBe("queued")
    expect(["queued", "running", "succeeded"]).toContain(await say(one, "resume"))
    await until(async () => {
      await runDurableObjectAlarm(tenantObject(t.id))
      return (await statusOf(one)) === "succeeded"
    }, "the run that was paused")
  })

  test("[H5, H6] a queued run that is paused while it is released starts paused", async () => {
    const t = await ready("room-paused-late")
    await admin.ask("PUT", `/v1/tenants/${t.id}/quotas`, { concurrent_runs: 0 })
    const id = runId("plate")
    expect(await deliver(t, id)).toBe("queued")
    const gate = Promise.withResolvers<void>()
    let isLetBegin = false
    const real = AwakeRun.prototype.conduct
    const conduct = vi.spyOn(AwakeRun.prototype, "conduct").mockImplementation(async function (this: AwakeRun, request) {
      if (request.tenant === t.id) {
        isLetBegin = true
        await gate.promise
      }
      return Reflect.apply(real, this, [request])
    })
    const released = runObject(t.id, id).release()
    await until(async () => isLetBegin, "its beginning")
    // The answer waits for the beginning; the wish is stored at once.
    const pausing = t.ask<{ status: string }>("POST", `/v1/runs/${id}/pause`)
    await until(
      () => runInDurableObject(runObject(t.id, id), (_, { storage }) => String(storage.kv.get("held")).includes('"paused":true')),
      "its pause",
    )
    gate.resolve()
    await released
    expect((await pausing).status).toBe("paused")
    conduct.mockRestore()
    expect((await t.ask<{ status: string }>("GET", `/v1/runs/${id}`)).status).toBe("paused")
  })

  test("[H6] a queued run can be canceled, and survives an eviction", async () => {
    const t = await ready("room-4")
    await admin.ask("PUT", `/v1/tenants/${t.id}/quotas`, { concurrent_runs: 0 })
    expect([await deliver(t, runId("a")), await deliver(t, runId("b"))]).toEqual(["queued", "queued"])
    await evictDurableObject(runObject(t.id, runId("a")))
    expect((await t.ask<{ status: string }>("GET", `/v1/runs/${runId("a")}`)).status).toBe("queued")
    expect((await t.ask<{ status: string }>("POST", `/v1/runs/${runId("a")}/cancel`, {})).status).toBe("canceled")
    await admin.ask("PUT", `/v1/tenants/${t.id}/quotas`, { concurrent_runs: 5 })
    await until(async () => {
      await runDurableObjectAlarm(tenantObject(t.id))
      return (await t.ask<{ status: string }>("GET", `/v1/runs/${runId("b")}`)).status === "succeeded"
    }, "the queued run")
  })
})
