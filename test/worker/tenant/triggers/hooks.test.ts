// Incoming webhooks inside workerd [W1–W3, S1]: one run per delivery however often it is sent, and no delivery is lost between being accepted
// and the start of its run.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { Webhook } from "standardwebhooks"
import { describe, expect, test, vi } from "vitest"
import { Deliveries } from "../../../../src/cloudflare/tenant/hooks/deliveries.ts"
import { DeliveryStore } from "../../../../src/cloudflare/tenant/hooks/delivery-store.ts"
import { newHookId, readHookId } from "../../../../src/cloudflare/tenant/hooks/hook-id.ts"
import { hookDoor } from "../../../../src/cloudflare/tenant/hooks/hook-door.ts"
import { promisedRun } from "../../../../src/cloudflare/clients/promised-run.ts"
import { runPort } from "../../../../src/cloudflare/clients/run-port.ts"
import { secretsPort } from "../../../../src/cloudflare/clients/secrets.ts"
import { catalogPort } from "../../../../src/cloudflare/authoring/catalog.ts"
import { portOf } from "../../../../src/cloudflare/platform/port-of.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import type { HookSettings } from "../../../../src/core/webhook/hook.ts"
import type { Delivered, HookRow } from "../../../../src/ports/tenant/hooks.ts"

const SECRET = `whsec_${btoa("a standard secret of 32 bytes ok")}`
const FLOW = "name: f\ndescription: a flow\nsteps:\n  - { id: x, type: wait, for: '${{trigger.body.for}}' }\n"
const stubOf = (tenant: string) => env.TENANT.get(env.TENANT.idFromName(tenant))
const runsOf = async (tenant: string) => {
  const page = await portOf(env, tenant, "runs").list({ limit: 100 })
  return "data" in page ? page.data : []
}

async function hookFor(tenant: string, more: Partial<HookSettings> = {}): Promise<HookRow> {
  await catalogPort(env, tenant).put("flow", "flows/f.yaml", FLOW)
  await secretsPort(env, tenant, () => Date.now()).put("hs", [SECRET])
  const hook = await portOf(env, tenant, "hooks").create({
    flow: "f",
    kind: "standard",
    secret: "hs",
    mapping: { task: "${{trigger.body.title}}" },
    autonomous: true,
    enabled: true,
    ...more,
  })
  if (hook === "too_many") throw new Error("too many hooks")
  return hook
}

function send(hook: HookRow, id: string, body: string, at = new Date()): Promise<Response> {
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(SECRET).sign(id, at, body),
  }
  return SELF.fetch(`https://sluice.test/v1/hooks/${hook.id}`, { method: "POST", headers, body })
}

const BODY = JSON.stringify({ title: "TT", for: "1ms" })
const accepted = (key: string, title = "TT"): Delivered => ({
  external: key,
  keys: [`id:${key}`],
  what: { verdict: "accepted", task: title, inputs: {}, payload: { headers: {}, body: { title, for: "1ms" }, query: {} } },
})
const doorOf = async (hook: HookRow) => {
  const door = await hookDoor(env, hook.id)
  if (!door) throw new Error("the hook is not there")
  return door
}
const logOf = async (tenant: string, hook: HookRow, limit = 200) => {
  const page = await portOf(env, tenant, "hooks").deliveries(hook.id, { limit })
  return page && "data" in page ? page.data : []
}

describe("a delivery", () => {
  test("[W3] sent 50 times at once, it starts one run", async () => {
    const hook = await hookFor("h-storm")
    const at = new Date()
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(hook, "msg_1", BODY, at)))
    const bodies = await Promise.all(answers.map((r) => r.json<{ run: string; verdict: string; delivery: string }>()))
    expect(answers.filter((r) => r.status === 202).length).toBe(1)
    expect(answers.filter((r) => r.status === 200).length).toBe(49)
    expect(new Set(bodies.map((b) => b.run)).size).toBe(1)
    expect(bodies.filter((b) => b.verdict === "accepted").length).toBe(1)
    expect(await logOf("h-storm", hook)).toMatchObject([{ verdict: "accepted", external_id: "msg_1", duplicates: 49, run: bodies[0]?.run }])
    await promisedRun(env, "h-storm", bodies[0]?.run ?? "").wait(50_000)
    expect((await runsOf("h-storm")).map((r) => r["id"])).toEqual([bodies[0]?.run])
  })

  test("[W1] its run has the trigger, is tainted, and fills its templates from the payload", async () => {
    const hook = await hookFor("h-run", { autonomous: false })
    const answer = await send(hook, "msg_1", BODY)
    const { run, delivery } = await answer.json<{ run: string; delivery: string }>()
    expect((await promisedRun(env, "h-run", run).wait(50_000))?.status).toBe("succeeded")
    const events = (await promisedRun(env, "h-run", run).events(0, 100))?.data ?? []
    expect(events[0]).toMatchObject({
      type: "run.started",
      task: "TT",
      tainted: true,
      autonomous: false,
      trigger: { kind: "webhook", hook: hook.id, delivery },
      payload: { headers: { "webhook-id": "msg_1", "content-type": "application/json" }, body: { title: "TT", for: "1ms" }, query: {} },
    })
    expect(JSON.stringify(events)).not.toContain("webhook-signature")
    expect(events.filter((e) => e.type === "warning")).toEqual([])
  })

  test("[W2] forged: only a verdict and a reason are stored, for the last hundred, and no run starts", async () => {
    const hook = await hookFor("h-forged")
    const r = await SELF.fetch(`https://sluice.test/v1/hooks/${hook.id}`, {
      method: "POST",
      body: "CANARY",
      headers: { "webhook-id": "CANARY" },
    })
    expect(r.status).toBe(401)
    const door = await doorOf(hook)
    for (let i = 0; i < 105; i++) await door.refuse(i % 2 ? "rejected" : "malformed", `reason ${i}`)
    const log = await logOf("h-forged", hook)
    expect([log.length, log[0]?.reason, log.at(-1)?.reason]).toEqual([100, "reason 104", "reason 5"])
    expect(log.every((d) => d.run === null && d.external_id === null)).toBe(true)
    expect(await portOf(env, "h-forged", "hooks").redeliver(hook.id, log[0]?.id ?? "")).toBe("refused")
    expect(await runsOf("h-forged")).toEqual([])
  })

  test("[W3] a body of any allowed size arrives complete", async () => {
    const hook = await hookFor("h-large")
    const numbers = Array.from({ length: 180_000 }, () => 1e20)
    const body = `{"title":"TT","for":"1ms","n":[${numbers.map(() => "1e20").join(",")}]}`
    const { run } = await (await send(hook, "msg_1", body)).json<{ run: string }>()
    expect((await promisedRun(env, "h-large", run).wait(50_000))?.status).toBe("succeeded")
    const [first] = (await promisedRun(env, "h-large", run).events(0, 1))?.data ?? []
    expect(first?.type === "run.started" && first.payload?.["body"]).toEqual({ title: "TT", for: "1ms", n: numbers })
  })

  test("[M3] a delivery whose flow has no model leaves a failed run that says why", async () => {
    const tenant = "h-nomodel"
    const hook = await hookFor(tenant)
    const agent = "---\nname: a\ndescription: d\nmodel: gone/big\n---\n${{task}}\n"
    await catalogPort(env, tenant).put("agent", "agents/a.md", agent)
    await catalogPort(env, tenant).put(
      "flow",
      "flows/f.yaml",
      "name: f\ndescription: a flow\nsteps:\n  - { id: x, type: agent, agent: a }\n",
    )
    const { run } = await (await send(hook, "msg_1", BODY)).json<{ run: string }>()
    const seen = await promisedRun(env, tenant, run).wait(20_000)
    expect(seen).toMatchObject({ status: "failed", rehearsed: false, error: { source: "config" } })
    expect(seen?.error?.message).toContain("PUT /v1/settings/providers/gone")
    await vi.waitFor(async () => expect((await runsOf(tenant)).map((r) => [r.id, r.status])).toEqual([[run, "failed"]]))
    expect((await logOf(tenant, hook))[0]).toMatchObject({ verdict: "failed", run })
  })

  test("[M3] a delivery that limits dollars for a model without a price leaves a failed run", async () => {
    const tenant = "h-noprice"
    const hook = await hookFor(tenant, { budget: { usd: 1 } })
    await portOf(env, tenant, "settings").putProvider("script", { kind: "scripted", turns: { "*": [{ text: "x" }] } })
    const agent = "---\nname: a\ndescription: d\nmodel: script/big\n---\n${{task}}\n"
    await catalogPort(env, tenant).put("agent", "agents/a.md", agent)
    await catalogPort(env, tenant).put(
      "flow",
      "flows/f.yaml",
      "name: f\ndescription: a flow\nsteps:\n  - { id: x, type: agent, agent: a }\n",
    )
    const { run } = await (await send(hook, "msg_1", BODY)).json<{ run: string }>()
    const seen = await promisedRun(env, tenant, run).wait(20_000)
    expect(seen?.status).toBe("failed")
    expect(seen?.error?.message).toContain("script/big")
  })

  test("[W3] filtered deliveries are remembered, deliveries that could not start are not", async () => {
    const hook = await hookFor("h-memory")
    const door = await doorOf(hook)
    const filtered: Delivered = { external: "a", keys: ["id:a", "body:1"], what: { verdict: "filtered" } }
    expect(await door.deliver(filtered)).toMatchObject({ verdict: "filtered", run: null })
    // Any key that was seen makes a duplicate. The keys of a duplicate are not added, so an unsigned id cannot block a later delivery.
    expect(await door.deliver({ ...filtered, keys: ["id:b", "body:1"] })).toMatchObject({ verdict: "duplicate", run: null })
    await catalogPort(env, "h-memory").remove("flow", "f")
    const without = await door.deliver(accepted("b"))
    // [W8] It leaves a failed run.
    expect(await promisedRun(env, "h-memory", without?.run ?? "").view()).toMatchObject({ status: "failed" })
    expect((await logOf("h-memory", hook))[0]).toMatchObject({
      id: without?.delivery,
      verdict: "failed",
      run: without?.run,
      reason: 'there is no flow "f"',
    })
    await catalogPort(env, "h-memory").put("flow", "flows/f.yaml", FLOW)
    const again = await door.deliver(accepted("b"))
    expect(again).toMatchObject({ verdict: "accepted", run: expect.stringMatching(/^run_/) })
    expect(await door.deliver(accepted("b"))).toEqual({ ...again, verdict: "duplicate" })
  })

  test("[W8] a delivery whose mapping fails leaves a failed run, is not remembered, and cannot be redelivered", async () => {
    const hook = await hookFor("h-unmapped")
    const door = await doorOf(hook)
    const delivered: Delivered = { external: "a", keys: ["id:a"], what: { verdict: "failed", reason: "the task is too long" } }
    const first = await door.deliver(delivered)
    expect(first).toMatchObject({ verdict: "failed", run: expect.stringMatching(/^run_/) })
    expect(await promisedRun(env, "h-unmapped", first?.run ?? "").view()).toMatchObject({
      status: "failed",
      error: { source: "config", message: "the task is too long" },
    })
    expect((await logOf("h-unmapped", hook))[0]).toMatchObject({ id: first?.delivery, verdict: "failed", run: first?.run })
    expect((await door.deliver(delivered))?.verdict).toBe("failed")
    expect(await portOf(env, "h-unmapped", "hooks").redeliver(hook.id, first?.delivery ?? "")).toBe("refused")
  })

  test("[W3] no quota refuses it: without room its run is queued, with its payload", async () => {
    const hook = await hookFor("h-quota")
    const ofQuota = portOf(env, "h-quota", "tenancy")
    await ofQuota.putQuotas({ concurrent_runs: 0 })
    const taken = await (await doorOf(hook)).deliver(accepted("a"))
    const run = promisedRun(env, "h-quota", taken?.run ?? "")
    expect([taken?.verdict, (await run.view())?.status]).toEqual(["accepted", "queued"])
    await ofQuota.putQuotas({ concurrent_runs: 5 })
    await runInDurableObject(stubOf("h-quota"), (_, ctx) => ctx.storage.sql.exec("UPDATE start_thing SET due = 1"))
    await runDurableObjectAlarm(stubOf("h-quota"))
    expect((await run.wait(50_000))?.status).toBe("succeeded")
    expect((await run.events(0, 1))?.data[0]).toMatchObject({ tainted: true, payload: { body: { title: "TT", for: "1ms" } } })
  })

  test("[W3] is forgotten after a day", async () => {
    const hook = await hookFor("h-day")
    const door = await doorOf(hook)
    const first = await door.deliver(accepted("a"))
    await runInDurableObject(stubOf("h-day"), (_, ctx) => ctx.storage.sql.exec("UPDATE hook_seen SET until = until - 24 * 3600000"))
    const second = await door.deliver(accepted("a"))
    expect([second?.verdict, second?.run === first?.run]).toEqual(["accepted", false])
  })
})

const runId = (letters: string): string => `run_${letters}`

describe("between accepting and starting", () => {
  /** Simulates a crash right after the delivery is durable: the start never returns. */
  const killed = (tenant: string, hook: HookRow, delivered: Delivered, launch: () => Promise<undefined>) =>
    runInDurableObject(stubOf(tenant), async (_, ctx) => {
      const store = new DeliveryStore(new TenantSql(ctx.storage))
      let wanted = 0
      const deliveries = new Deliveries({ store, runId, launch, payloadOf: async () => undefined, want: (at) => (wanted = at) })
      void deliveries.take(hook, delivered)
      // The time for the object's own alarm is recorded here, so no test waits for it.
      ctx.storage.sql.exec("UPDATE delivery SET due = 1 WHERE due IS NOT NULL")
      await ctx.storage.setAlarm(Date.now() + 60_000)
      return wanted
    })

  test("[W3] a crash loses nothing: the alarm starts the run under the delivery's id for it", async () => {
    const hook = await hookFor("h-kill")
    const wanted = await killed("h-kill", hook, accepted("a"), () => new Promise(() => {}))
    expect(wanted).toBeGreaterThan(Date.now())
    await evictDurableObject(stubOf("h-kill"))
    const [row] = await logOf("h-kill", hook)
    const run = row?.run ?? ""
    expect(await runPort(env, "h-kill", run).view()).toBeUndefined()
    // The sender tries again in the meantime: it learns the same run, and no run starts twice.
    expect(await (await doorOf(hook)).deliver(accepted("a"))).toMatchObject({ verdict: "duplicate", run })
    expect(await runDurableObjectAlarm(stubOf("h-kill"))).toBe(true)
    expect((await runPort(env, "h-kill", run).wait(50_000))?.status).toBe("succeeded")
    const [first] = (await runPort(env, "h-kill", run).events(0, 1))?.data ?? []
    expect(first).toMatchObject({ task: "TT", tainted: true, payload: { body: { title: "TT", for: "1ms" } } })
    await runDurableObjectAlarm(stubOf("h-kill"))
    expect((await runsOf("h-kill")).map((r) => r["id"])).toEqual([run])
    const left = await runInDurableObject(
      stubOf("h-kill"),
      (_, ctx) => ctx.storage.sql.exec("SELECT count(*) AS n FROM delivery_given WHERE name = 'payload'").one()["n"],
    )
    expect(left).toBe(0)
  })

  test("[W3] the sender does not wait for the start: the answer comes once the delivery is durable", async () => {
    const hook = await hookFor("h-soon")
    const { delivery, run } = await runInDurableObject(stubOf("h-soon"), (_, ctx) => {
      const store = new DeliveryStore(new TenantSql(ctx.storage))
      const launch = (): Promise<never> => new Promise(() => {})
      // In the same turn as the write, so this is not a promise.
      return { ...new Deliveries({ store, runId, launch, payloadOf: async () => undefined, want: () => {} }).take(hook, accepted("a")) }
    })
    expect(run).toMatch(/^run_/)
    expect(await logOf("h-soon", hook)).toMatchObject([{ id: delivery, verdict: "accepted", run }])
  })

  test("[W3] asking for a promised run that has not started starts it, without waiting for the alarm", async () => {
    const hook = await hookFor("h-asked")
    await killed("h-asked", hook, accepted("a"), () => new Promise(() => {}))
    await evictDurableObject(stubOf("h-asked"))
    const run = (await logOf("h-asked", hook))[0]?.run ?? ""
    expect(await runPort(env, "h-asked", run).view()).toBeUndefined()
    expect(await promisedRun(env, "h-asked", run).view()).toMatchObject({ id: run, trigger: { kind: "webhook", hook: hook.id } })
    expect((await runsOf("h-asked")).map((r) => r["id"])).toEqual([run])
    // The run may have started between the two calls, so that no delivery waits for it any more: it is looked up once more.
    expect(await portOf(env, "h-asked", "starts").begin(run)).toBe(false)
    // Another tenant's key, and an id that no delivery promised: there is no run.
    expect(await promisedRun(env, "h-soon", run).view()).toBeUndefined()
    expect(await promisedRun(env, "h-asked", `run_${"0".repeat(26)}`).view()).toBeUndefined()
  })

  test("[W3] a start that fails is tried again, even if the hook was deleted in the meantime", async () => {
    const hook = await hookFor("h-fails")
    await killed("h-fails", hook, accepted("a"), () => Promise.reject(new Error("the run's object does not answer")))
    const [row] = await logOf("h-fails", hook)
    expect(row).toMatchObject({ verdict: "accepted", run: expect.stringMatching(/^run_/) })
    expect(await portOf(env, "h-fails", "hooks").remove(hook.id)).toBe(true)
    await evictDurableObject(stubOf("h-fails"))
    await runInDurableObject(stubOf("h-fails"), (_, ctx) => ctx.storage.sql.exec("UPDATE delivery SET due = 1"))
    await runDurableObjectAlarm(stubOf("h-fails"))
    expect((await runPort(env, "h-fails", row?.run ?? "").wait(50_000))?.status).toBe("succeeded")
    const left = await runInDurableObject(stubOf("h-fails"), (_, ctx) =>
      ["delivery", "delivery_given", "hook_seen", "hook"].map((t) => ctx.storage.sql.exec(`SELECT count(*) AS n FROM ${t}`).one()["n"]),
    )
    expect(left).toEqual([0, 0, 0, 0])
  })
})

describe("redelivery", () => {
  test("[W3] starts a new run with the same task and payload, and the log names the original delivery", async () => {
    const hook = await hookFor("h-again")
    const first = await (await send(hook, "msg_1", BODY)).json<{ run: string; delivery: string }>()
    await promisedRun(env, "h-again", first.run).wait(50_000)
    await evictDurableObject(stubOf("h-again"))
    const again = await portOf(env, "h-again", "hooks").redeliver(hook.id, first.delivery)
    if (typeof again === "string") throw new Error(again)
    expect(again.run).not.toBe(first.run)
    expect((await promisedRun(env, "h-again", again.run ?? "").wait(50_000))?.status).toBe("succeeded")
    const [one, two] = await Promise.all(
      [first.run, again.run ?? ""].map(async (run) => (await promisedRun(env, "h-again", run).events(0, 1))?.data[0]),
    )
    expect(two).toMatchObject({ task: "TT", payload: one?.type === "run.started" ? one.payload : undefined })
    expect((await logOf("h-again", hook))[0]).toMatchObject({
      id: again.delivery,
      run: again.run,
      redelivery_of: first.delivery,
      external_id: "msg_1",
    })
    expect(await portOf(env, "h-again", "hooks").redeliver(hook.id, "dl_none")).toBe("not_found")
    const other = await hookFor("h-again")
    expect(await portOf(env, "h-again", "hooks").redeliver(other.id, first.delivery)).toBe("not_found")
  })

  test("[H5] the log is read in pages, newest first", async () => {
    const hook = await hookFor("h-pages")
    const door = await doorOf(hook)
    for (const key of ["a", "b", "c"]) await door.deliver({ external: key, keys: [], what: { verdict: "filtered" } })
    const port = portOf(env, "h-pages", "hooks")
    const one = await port.deliveries(hook.id, { limit: 2 })
    if (!one || !("data" in one)) throw new Error("no page")
    await door.deliver({ external: "d", keys: [], what: { verdict: "filtered" } })
    const two = await port.deliveries(hook.id, { limit: 2, cursor: one.next_cursor ?? "" })
    if (!two || !("data" in two)) throw new Error("no page")
    expect([...one.data, ...two.data].map((d) => d.external_id)).toEqual(["c", "b", "a"])
    expect(two.next_cursor).toBeNull()
    const other = await hookFor("h-pages")
    expect(await port.deliveries(other.id, { limit: 2, cursor: one.next_cursor ?? "" })).toEqual({ badCursor: true })
  })
})

describe("ids", () => {
  test("[W1] an id names its tenant, and only that tenant's object knows whether the hook exists", async () => {
    const hook = await hookFor("h-ids")
    expect(readHookId(env, hook.id)).toEqual({ tenant: "h-ids", isOwn: true })
    expect(new Set(Array.from({ length: 1000 }, () => newHookId(env, "h-ids"))).size).toBe(1000)
    expect(await hookDoor(env, newHookId(env, "h-ids"))).toBeUndefined()
    expect(await portOf(env, "h-other", "hooks").find(hook.id)).toBeUndefined()
    for (const id of [
      "",
      "x",
      "A".repeat(22),
      "A".repeat(40),
      "A".repeat(101),
      `${hook.id}=`,
      newHookId(env, "Bad/Name"),
      hook.id.slice(1),
    ])
      expect(await hookDoor(env, id), id).toBeUndefined()
  })

  test("[H2] unknown, malformed, deleted and disabled hooks look the same", async () => {
    const [gone, off] = [await hookFor("h-same"), await hookFor("h-same", { enabled: false })]
    await portOf(env, "h-same", "hooks").remove(gone.id)
    const texts = await Promise.all(
      [gone.id, off.id, newHookId(env, "h-same"), newHookId(env, "h-nobody"), "x"].map(async (id) => {
        const r = await SELF.fetch(`https://sluice.test/v1/hooks/${id}`, { method: "POST", body: "{" })
        return [r.status, (await r.text()).replace(id, "ID")]
      }),
    )
    expect(new Set(texts.map(String)).size).toBe(1)
    expect(texts[0]?.[0]).toBe(404)
  })
})
