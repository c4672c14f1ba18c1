// Loops of callbacks [W7]: a run that ends notifies a receiver that is a hook, which starts a run. Through the whole Worker inside workerd: each
// callback is passed to the hook exactly as it was sent.

import { SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { Webhook } from "standardwebhooks"
import { afterEach, describe, expect, test, vi } from "vitest"
import { portOf } from "../../../../src/cloudflare/platform/port-of.ts"
import { promisedRun } from "../../../../src/cloudflare/clients/promised-run.ts"
import { DEPTH_HEADER, MOST_DEPTH } from "../../../../src/core/webhook/depth.ts"
import type { HookRow } from "../../../../src/ports/tenant/hooks.ts"
import { tenant, until, type Tenant } from "../../../support/worker/service-client.ts"

const SECRET = `whsec_${btoa("a standard secret of 32 bytes ok")}`
const FLOW = "name: f\ndescription: a flow\nsteps:\n  - { id: x, type: wait, for: 1ms }\n"
const RECEIVER = "https://loop.example.com/in"

afterEach(() => void vi.unstubAllGlobals())

async function hookOf(t: Tenant): Promise<HookRow> {
  await t.ask("PUT", "/v1/catalog", { agents: {}, flows: { "f.yaml": FLOW } })
  await t.ask("PUT", "/v1/secrets/hs", { value: SECRET })
  const { id } = await t.ask<{ id: string }>("POST", "/v1/hooks", { flow: "f", kind: "standard", secret: "hs" })
  const hook = await portOf(env, t.id, "hooks").find(id)
  if (!hook) throw new Error("the hook is not there")
  return hook
}

const logOf = async (t: Tenant, hook: HookRow) => {
  const page = await portOf(env, t.id, "hooks").deliveries(hook.id, { limit: 100 })
  return page && "data" in page ? page.data : []
}

function send(hook: HookRow, id: string, headers: Record<string, string>): Promise<Response> {
  const at = new Date()
  const body = "{}"
  return SELF.fetch(`http://sluice/v1/hooks/${hook.id}`, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(SECRET).sign(id, at, body),
      ...headers,
    },
  })
}
const depthOfRun = async (t: Tenant, run: string): Promise<number | undefined> => (await promisedRun(env, t.id, run).view())?.trigger.depth

describe("a loop of callbacks", () => {
  test(`[W7] ends by itself: after ${MOST_DEPTH} turns the delivery is rejected, and nothing starts`, async () => {
    const t = await tenant("loop-own")
    const hook = await hookOf(t)
    const real = fetch
    const depths: (string | null)[] = []
    vi.stubGlobal("fetch", async (url: string | URL | Request, init?: RequestInit) => {
      if (!String(url).startsWith(RECEIVER)) return real(url, init)
      depths.push(new Headers(init?.headers).get(DEPTH_HEADER))
      return SELF.fetch(`http://sluice/v1/hooks/${hook.id}`, { method: "POST", headers: init?.headers ?? {}, body: String(init?.body) })
    })
    await t.ask("POST", "/v1/callbacks", { url: RECEIVER, secret: "hs", events: ["run.succeeded"] })
    await t.ask("POST", "/v1/flows/f/runs", { task: "go" })
    const rejected = await until(async () => (await logOf(t, hook)).find((d) => d.verdict === "rejected"), "the end of the loop")
    expect(rejected).toMatchObject({ run: null, reason: expect.stringContaining(`more than ${MOST_DEPTH}`) })
    const taken = (await logOf(t, hook)).filter((d) => d.verdict === "accepted").toReversed()
    expect(await Promise.all(taken.map((d) => depthOfRun(t, d.run ?? "")))).toEqual(Array.from({ length: MOST_DEPTH }, (_, i) => i + 1))
    // The answer was 202, so it is not sent again.
    expect(depths).toEqual(Array.from({ length: MOST_DEPTH + 1 }, (_, i) => String(i + 1)))
  })

  test("[W7] without the header a delivery comes from outside; a malformed or repeated header is rejected, after the signature check", async () => {
    const t = await tenant("loop-header")
    const hook = await hookOf(t)
    const told = async (id: string, headers: Record<string, string>): Promise<[number, string | undefined, string | null | undefined]> => {
      const r = await send(hook, id, headers)
      const { verdict, run } = await r.json<{ verdict?: string; run?: string | null }>()
      return [r.status, verdict, run]
    }
    expect(await told("m0", {})).toEqual([202, "accepted", expect.stringMatching(/^run_/)])
    expect(await told("m1", { [DEPTH_HEADER]: String(MOST_DEPTH) })).toEqual([202, "accepted", expect.stringMatching(/^run_/)])
    for (const bad of [String(MOST_DEPTH + 1), "9999", "", "-1", "1, 1", "1e1", "x"])
      expect(await told(`bad ${bad}`.replaceAll(/[ ,]/g, "_"), { [DEPTH_HEADER]: bad }), bad).toEqual([202, "rejected", null])
    expect((await send(hook, "m2", { [DEPTH_HEADER]: "9", "webhook-signature": `v1,${btoa("x".repeat(32))}` })).status).toBe(401)
  })

  test("[W7] a captured delivery replayed with a high number does not block the genuine one", async () => {
    const t = await tenant("loop-forged")
    const hook = await hookOf(t)
    expect(await (await send(hook, "m1", { [DEPTH_HEADER]: "99" })).json()).toMatchObject({ verdict: "rejected", run: null })
    const good = await (await send(hook, "m1", { [DEPTH_HEADER]: "2" })).json<{ verdict: string; run: string }>()
    expect(good).toMatchObject({ verdict: "accepted", run: expect.stringMatching(/^run_/) })
    expect(await depthOfRun(t, good.run)).toBe(2)
    // A rejected delivery stored nothing that could be delivered again.
    const rejected = (await logOf(t, hook)).find((d) => d.verdict === "rejected")
    expect((await t.raw("POST", `/v1/hooks/${hook.id}/deliveries/${rejected?.id}/redeliver`, {})).status).toBe(409)
  })
})
