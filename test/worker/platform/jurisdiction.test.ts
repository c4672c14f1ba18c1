// [N1] Without jurisdictions: what local workerd answers, and that nothing is created anyway. Then a tenant's own objects, set up as in a
// jurisdiction: which namespace they call to start, notify and delete runs.

import { UNSAID } from "../../../src/core/start/start-block.ts"
import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { r2Blobs } from "../../../src/cloudflare/blobs/blobs-r2.ts"
import type { Env } from "../../../src/cloudflare/platform/env.ts"
import { MemoryObject } from "../../../src/cloudflare/memory/memory-object.ts"
import { roomsOver } from "../../../src/cloudflare/platform/rooms.ts"
import { RunObject } from "../../../src/cloudflare/run/run-object.ts"
import { TenantObject } from "../../../src/cloudflare/tenant/tenant-object.ts"
import type { TenantRooms } from "../../../src/ports/objects.ts"
import type { StartRequest } from "../../../src/ports/run.ts"
import { admin, CATALOG, tenantObject, until } from "../../support/worker/service-client.ts"

interface Seen {
  readonly of: string
  readonly within: string | null
  readonly name: string
  readonly method: string
}

/** The Worker's bindings, with namespaces that have jurisdictions and record every call, and a bucket in the EU. */
function bound(answers: Readonly<Record<string, (...args: readonly never[]) => unknown>> = {}) {
  const seen: Seen[] = []
  const namespace = (of: string, within: string | null = null): object => ({
    idFromName: (name: string) => name,
    get: (name: string) =>
      new Proxy(
        {},
        {
          get:
            (_, called: string) =>
            async (...given: never[]) => {
              const [room, method, asked = []] = given
              const [what, args] = called === "ask" ? [`${String(room)}.${String(method)}`, asked] : [called, given]
              seen.push({ of, within, name, method: what })
              return answers[what]?.(...args)
            },
        },
      ),
    jurisdiction: (jurisdiction: string) => namespace(of, jurisdiction),
  })
  const lost = new Proxy(
    {},
    { get: (_, name) => () => Promise.reject(new Error(`the bucket without a jurisdiction was asked to ${String(name)}`)) },
  )
  const own = {
    RUN: namespace("RUN"),
    TENANT: namespace("TENANT"),
    MEMORY: namespace("MEMORY"),
    BLOBS_EU: env.BLOBS,
    BLOBS: lost,
    CACHE: lost,
  }
  // These imitate bindings of the platform.
  return { env: { ...env, ...own } as unknown as Env, seen }
}

/** The state of a real object, as an object in the EU sees it. */
const inEu = (ctx: DurableObjectState, name: string): DurableObjectState =>
  Object.defineProperty(ctx, "id", { value: { name, jurisdiction: "eu", toString: () => name, equals: () => false }, configurable: true })

describe("without jurisdictions", () => {
  test("[N1] workerd reports that it has none; if it gets them, revise these tests", () => {
    expect(() => env.TENANT.jurisdiction("eu")).toThrow("Jurisdiction restrictions are not implemented in workerd")
  })

  test("[N1] a tenant in one is refused by name, and its id stays free", async () => {
    for (const jurisdiction of ["eu", "us"]) {
      const refused = await admin.raw("POST", "/v1/tenants", { id: "nowhere", jurisdiction })
      const problem: { code: string; detail: string; errors: unknown } = await refused.json()
      expect([refused.status, problem.code]).toEqual([422, "unsupported"])
      expect(problem.detail).toContain("local development has none")
    }
    expect((await admin.raw("POST", "/v1/tenants", { id: "nowhere", jurisdiction: "mars" })).status).toBe(422)
    expect((await admin.raw("GET", "/v1/tenants/nowhere")).status).toBe(404)
    expect((await admin.raw("POST", "/v1/tenants", { id: "nowhere" })).status).toBe(201)
  })

  test("[N1] an object whose name has a jurisdiction does not start outside it", async () => {
    const named = (ctx: DurableObjectState, name: string): DurableObjectState => Object.defineProperty(ctx, "id", { value: { name } })
    const state = <T>(work: (ctx: DurableObjectState) => T): Promise<T> => runInDurableObject(tenantObject("j-out"), (_, ctx) => work(ctx))
    await state((ctx) => expect(() => new TenantObject(named(ctx, "acme_eu"), env)).toThrow("must be in the jurisdiction eu"))
    await state((ctx) =>
      expect(() => new RunObject(named(ctx, `acme_us/run_${"0".repeat(26)}`), env)).toThrow("must be in the jurisdiction us"),
    )
    await state((ctx) => expect(() => new MemoryObject(named(ctx, "acme_eu"), env)).toThrow("must be in the jurisdiction eu"))
  })
})

describe("from within the objects of a tenant in the EU", () => {
  /** Uses the storage of a tenant that only this test has. */
  const within = (id: string, work: (rooms: TenantRooms, object: TenantObject) => Promise<void>, at: Env): Promise<void> =>
    runInDurableObject(tenantObject(id), async (_, ctx) => {
      const object = new TenantObject(inEu(ctx, `${id}_eu`), at)
      await work(
        roomsOver<TenantRooms>((room, method, args) => object.ask(room, method, args)),
        object,
      )
    })

  test("[N1, W5, H6] a schedule's fire, its alarm, a queued run, a revoked key, a deletion: every stub is in that jurisdiction", async () => {
    const { env: at, seen } = bound({ start: (request: StartRequest) => ({ id: request.run, status: "running" }), release: () => true })
    await within(
      "j-in",
      async (rooms, object) => {
        await rooms.tenancy.found({ name: "j", created: 1 })
        const { key, id: keyId } = (await rooms.keys.create({ name: "k", scopes: ["runs:read"] })) as { key: string; id: string }
        expect(key.startsWith("sl_j-in_eu_")).toBe(true)
        await rooms.catalog.apply({ mode: "replace", bundle: CATALOG })
        const settings = {
          flow: "quick",
          cron: "0 0 29 2 *",
          zone: "UTC",
          task: "go",
          inputs: {},
          overlap: "parallel",
          enabled: true,
        } as const
        const schedule = await rooms.schedules.create(settings, "1")
        expect(schedule).toMatchObject({ id: "sch_1" })
        const fired = await rooms.schedules.fire("sch_1")
        await until(async () => seen.some((s) => s.method === "start"), "the start")
        // Without room the next run waits in the queue, and the alarm releases it.
        await rooms.tenancy.putQuotas({ concurrent_runs: 0 })
        const { run: waits } = (await rooms.schedules.fire("sch_1")) as { run: string }
        const lined = { ask: { run: waits, flow: "quick", kind: "schedule", block: UNSAID, by: {} } } as const
        const queued = { id: waits, flow: "quick", status: "queued", created: Date.now(), notices: [], view: { seq: 0 }, lined } as const
        await rooms.runs.note(queued)
        await rooms.tenancy.putQuotas({ concurrent_runs: 50 })
        await until(async () => {
          await object.alarm()
          return seen.some((s) => s.method === "release")
        }, "the queued run's release")
        await rooms.keys.watch(keyId, "run_watched")
        await rooms.keys.revoke(keyId)
        await object.alarm()
        expect(seen.map((s) => s.method)).toEqual(expect.arrayContaining(["start", "release", "dropKey"]))
        expect(fired).toBeDefined()
        const run = {
          id: `run_${"e".repeat(26)}`,
          flow: "quick",
          status: "succeeded",
          created: Date.now(),
          ended: Date.now(),
          notices: [],
          view: { seq: 3 },
        } as const
        await rooms.runs.note(run)
        for (let round = 0; round < 5 && !(await rooms.tenancy.erase(1)).done; round++);
        expect(seen.map((s) => `${s.of} ${s.method}`)).toEqual(expect.arrayContaining(["RUN erase", "MEMORY erase"]))
      },
      at,
    )
    expect(new Set(seen.map((s) => s.within))).toEqual(new Set(["eu"]))
    expect(seen.filter((s) => s.of === "RUN").every((s) => s.name.startsWith("j-in_eu/run_"))).toBe(true)
  })

  test("[N1] a run reports to its tenant in that jurisdiction", async () => {
    const { env: at, seen } = bound({ "runs.note": () => ({ retention: 1_000 }), "secrets.open": () => ({ vault: [], keys: [] }) })
    const id = `run_${"j".repeat(26)}`
    await runInDurableObject(env.RUN.get(env.RUN.idFromName(`j-run/${id}`)), async (_, ctx) => {
      const object = new RunObject(inEu(ctx, `j-run_eu/${id}`), at)
      await object.start({
        tenant: "j-run_eu",
        run: id,
        flow: "f",
        task: "",
        inputs: {},
        autonomous: true,
        rehearsed: true,
        pins: await pinsOf(at),
        trigger: { kind: "api", key: "k" },
      })
      await until(async () => seen.some((s) => s.method === "runs.note"), "the word to the tenant")
      await object.erase()
    })
    expect(seen.length).toBeGreaterThan(0)
    expect(new Set(seen.map((s) => `${s.of} ${String(s.within)} ${s.name}`))).toEqual(new Set(["TENANT eu j-run_eu"]))
  })

  /** The definition of a flow that waits, stored among the tenant's bodies. */
  async function pinsOf(at: Env): Promise<StartRequest["pins"]> {
    const blobs = r2Blobs(at, "j-run_eu")
    const hash = await blobs.put(new TextEncoder().encode("name: f\ndescription: d\nsteps:\n  - { id: a, type: wait, for: 10m }\n"))
    return { revision: 0, flow: { id: "f", hash }, agents: {}, skills: {}, models: {} }
  }

  test("[N1, H6] its memory calls its tenant in that jurisdiction, and sends nothing to a model that may run anywhere", async () => {
    const { env: at, seen } = bound()
    const ai = { run: () => Promise.reject(new Error("a model was asked")) }
    await runInDurableObject(env.MEMORY.get(env.MEMORY.idFromName("j-mem")), async (_, ctx) => {
      const memory = new MemoryObject(inEu(ctx, "j-mem_eu"), { ...at, AI: ai })
      expect(await memory.add({ namespace: "n", contents: ["kept"], meta: { tainted: false }, replaces: false })).toMatchObject({
        ok: true,
      })
      expect((await memory.search({ query: "kept", limit: 5, keywordOnly: false })).length).toBe(1)
    })
    expect(seen).toEqual([{ of: "TENANT", within: "eu", name: "j-mem_eu", method: "storage.takeMemory" }])
  })
})
