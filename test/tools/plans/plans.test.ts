// Executing plans [C32–C35, T41]: each once, with the values behind its references, and never halfway.

import { afterEach, describe, expect, test, vi } from "vitest"
import { dispatchPlan, readyToDispatch } from "../../../src/cloudflare/capabilities/plan-dispatch.ts"
import type { Env } from "../../../src/cloudflare/platform/env.ts"
import { verify } from "../../../src/http/hooks/verify.ts"
import { plansOf, type Dispatch } from "../../../src/engine/run/plans.ts"
import { MemoryPlans, MemoryReferences } from "../../support/engine/memory-references.ts"
import { said, ToolBench } from "../../support/engine/tool-bench.ts"

const never = new AbortController().signal
const REFUND = { type: "object", properties: { actions: { type: "array" } } }

async function stand(answer: (what: Dispatch) => unknown = () => null) {
  const rows = new MemoryPlans()
  const references = new MemoryReferences()
  const sent: Dispatch[] = []
  let unready: string | undefined
  await rows.putSpec({
    name: "refunds",
    schema: REFUND,
    display_aliases: { draft: "Proposal", executed: "Paid" },
    dispatcher: { binding: "DISPATCH_SHOP" },
  })
  await references.putKind({ name: "orders", schema: {} })
  const plans = plansOf({
    tenant: "acme",
    run: "run_1",
    rows,
    references,
    ready: async () => unready,
    dispatch: async (_to, what) => {
      sent.push(what)
      return answer(what)
    },
  })
  const store = (planId = "p1", actions: unknown = [{ kind: "refund", amount: 5 }], more: object = {}) =>
    plans.store({ spec: "refunds", planId, body: JSON.parse(JSON.stringify({ actions, ...more })) })
  return { plans, rows, references, sent, store, unready: (why: string) => (unready = why) }
}

describe("a plan", () => {
  test("[T41] is stored as a draft, and storing it again changes nothing; a different plan under its id is refused", async () => {
    const { plans, store, rows } = await stand()
    expect(await store()).toMatchObject({ ok: true, plan: { planId: "p1", plan: "refunds", state: "draft", display: "Proposal" } })
    expect(await store()).toMatchObject({ ok: true })
    expect(await store("p1", [{ kind: "refund", amount: 500 }])).toMatchObject({ ok: false, message: expect.stringMatching(/another id/) })
    expect((await plans.get("p1"))?.body).toEqual({ actions: [{ kind: "refund", payload: { amount: 5 }, references: [] }] })
    expect(await plans.get("p2")).toBeUndefined()
    expect(rows.rows.size).toBe(1)
  })

  test("[T41] a bad body and an unknown kind store nothing", async () => {
    const { plans, store, rows } = await stand()
    for (const actions of [null, "x", []]) expect((await store("p1", actions)).ok).toBe(false)
    expect(await plans.store({ spec: "none", planId: "p1", body: {} })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/known: refunds/),
    })
    expect(rows.rows.size).toBe(0)
  })

  test("[T41] is executed once: approved, executing, executed; every later try is refused", async () => {
    const { plans, store, rows, sent } = await stand(() => ({ entitiesAffected: 1, summary: "paid" }))
    await store("p1", [{ kind: "refund", amount: 5 }], { title: "t" })
    const [one, two] = await Promise.all([plans.execute("p1", never), plans.execute("p1", never)])
    expect([one.ok, two.ok].filter(Boolean)).toHaveLength(1)
    expect((await plans.get("p1"))?.state).toBe("executed")
    expect(await plans.get("p1")).toMatchObject({ result: { entitiesAffected: 1, summary: "paid" } })
    expect(rows.moves).toEqual(["approved", "executing", "executed"])
    expect(sent).toEqual([
      {
        tenant: "acme",
        run: "run_1",
        plan: "refunds",
        planId: "p1",
        actions: [{ kind: "refund", payload: { amount: 5 }, references: [] }],
        context: { title: "t" },
        resolved_refs: {},
      },
    ])
    expect(await plans.execute("p1", never)).toMatchObject({ ok: false, message: expect.stringMatching(/executed/) })
    expect(await plans.execute("p9", never)).toMatchObject({ ok: false, message: expect.stringMatching(/no plan "p9"/) })
    expect(sent).toHaveLength(1)
  })

  test("[T41] a dispatcher that throws or answers nonsense makes it fail permanently", async () => {
    for (const answer of [
      () => {
        throw new Error("the shop is closed")
      },
      () => ({ entitiesAffected: -1 }),
      () => "done",
    ]) {
      const { plans, store, sent } = await stand(answer)
      await store()
      expect(await plans.execute("p1", never)).toMatchObject({ ok: false, message: expect.stringMatching(/failed/) })
      expect(await plans.get("p1")).toMatchObject({ state: "failed", error: expect.any(String) })
      expect((await plans.execute("p1", never)).ok).toBe(false)
      expect(sent).toHaveLength(1)
    }
  })

  test("[T41] an object that dies in between leaves it executing: it is never executed again", async () => {
    const { plans, store, rows, sent } = await stand()
    await store()
    await rows.move("run_1", "p1", "approved")
    await rows.move("run_1", "p1", "executing")
    expect(await plans.execute("p1", never)).toMatchObject({ ok: false, message: expect.stringMatching(/check the target system/) })
    expect(sent).toEqual([])
  })

  test("[T40] its dispatcher gets the values behind its references, each once; the plan keeps the names", async () => {
    const { plans, store, references, sent } = await stand()
    const made = await references.create("orders", { secret: "value" })
    const ref = { kind: "orders", id: made.ok ? made.reference.id : "" }
    await store("p1", [
      { kind: "refund", references: [ref] },
      { kind: "refund", references: [ref] },
    ])
    expect((await plans.execute("p1", never)).ok).toBe(true)
    expect(sent[0]?.resolved_refs).toEqual({ orders: { [ref.id]: { secret: "value" } } })
    expect(JSON.stringify(await plans.get("p1"))).not.toContain("secret")
  })

  test("[T40] a missing reference stops it before anything is sent; it can be tried again", async () => {
    const { plans, store, references, sent } = await stand()
    const made = await references.create("orders", 1)
    const id = made.ok ? made.reference.id : ""
    await store("p1", [{ kind: "refund", references: [{ kind: "orders", id }] }])
    references.rows.clear()
    expect(await plans.execute("p1", never)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/not executed: there is no reference/),
    })
    expect([(await plans.get("p1"))?.state, sent]).toEqual(["approved", []])
    await references.create("orders", 1)
    expect((await plans.execute("p1", never)).ok).toBe(true)
  })

  test("[T41] an unreachable dispatcher changes nothing", async () => {
    const { plans, store, sent, unready } = await stand()
    await store()
    unready("this Worker has no service binding DISPATCH_SHOP")
    expect(await plans.execute("p1", never)).toMatchObject({ ok: false, message: expect.stringMatching(/DISPATCH_SHOP/) })
    expect([(await plans.get("p1"))?.state, sent]).toEqual(["draft", []])
  })
})

describe("its tools", () => {
  test("[G11] whoever reads or executes a plan reads what its author had read", async () => {
    const { plans, rows } = await stand()
    const body = { actions: [{ kind: "refund", amount: 5 }] }
    const by = (place: object) => new ToolBench({ plans, place })
    const marks = async (name: string) => {
      const { untrusted, private: isPrivate } = await by({}).call(name, { planId: "p1" })
      return [untrusted === true, isPrivate === true]
    }
    await by({}).call("storePlan", { specName: "refunds", planId: "p1", body })
    expect(await marks("getPlan")).toEqual([false, false])
    await by({ private: true }).call("storePlan", { specName: "refunds", planId: "p1", body })
    expect(await marks("getPlan")).toEqual([false, true])
    await by({ tainted: true }).call("storePlan", { specName: "refunds", planId: "p1", body })
    await by({}).call("storePlan", { specName: "refunds", planId: "p1", body })
    expect(await marks("getPlan")).toEqual([true, true])
    expect(await marks("executePlan")).toEqual([true, true])
    expect(rows.rows.size).toBe(1)
  })

  test("[T41] store, look, execute; null when there is none; a kind other than the agent's is refused", async () => {
    const { plans, sent } = await stand(() => ({ entitiesAffected: 2 }))
    const bench = new ToolBench({ plans, place: { plan: "refunds" } })
    expect(said(await bench.call("getPlan", { planId: "p1" }))).toBe("null")
    const body = { actions: [{ kind: "refund", amount: 5 }] }
    expect(JSON.parse(said(await bench.call("storePlan", { specName: "refunds", planId: "p1", body })))).toEqual({
      planId: "p1",
      specName: "refunds",
      status: "draft",
    })
    expect(JSON.parse(said(await bench.call("getPlan", { planId: "p1" })))).toMatchObject({ status: "draft", display: "Proposal" })
    expect(JSON.parse(said(await bench.call("executePlan", { planId: "p1" })))).toEqual({
      planId: "p1",
      specName: "refunds",
      status: "executed",
      display: "Paid",
      result: { entitiesAffected: 2 },
    })
    expect(sent).toHaveLength(1)
    const other = await bench.call("storePlan", { specName: "other", planId: "p2", body })
    expect([other.isError, said(other)]).toEqual([true, expect.stringMatching(/kind "refunds"/)])
  })
})

describe("a plan by a session that has read text from outside", () => {
  const body = { actions: [{ kind: "refund", amount: 5 }] }

  test("[G11] taints whoever reads it, and a plan of a clean session does not", async () => {
    const { plans } = await stand()
    const author = (tainted: boolean) => new ToolBench({ plans, place: { plan: "refunds", tainted } })
    await author(true).call("storePlan", { specName: "refunds", planId: "p1", body })
    await author(false).call("storePlan", { specName: "refunds", planId: "p2", body })
    const reader = author(false)
    expect((await reader.call("getPlan", { planId: "p1" })).untrusted).toBe(true)
    expect((await reader.call("getPlan", { planId: "p2" })).untrusted).toBeUndefined()
  })
})

describe("a signed webhook", () => {
  afterEach(() => void vi.unstubAllGlobals())
  const SECRETS = [`whsec_${btoa("a new secret of ours")}`, `whsec_${btoa("the old one of ours")}`]
  const deps = (values: readonly string[] = SECRETS) => ({
    env: { ENVIRONMENT: "production", DISPATCH_NONE: "text" } as unknown as Env,
    now: () => 1_800_000_000_000,
    secrets: async () => new Map([["shop", values]]),
  })
  const TO = { url: "https://shop.example/plans", secret: "shop" }
  const WHAT: Dispatch = { tenant: "acme", run: "run_1", plan: "refunds", planId: "p1", actions: [], context: {}, resolved_refs: {} }
  function answering(make: () => Response) {
    const asked: { url: string; init: RequestInit }[] = []
    vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
      asked.push({ url, init })
      return make()
    })
    return asked
  }

  test("[T41] is signed with every value of its secret, under the plan's own key, and sent once", async () => {
    const asked = answering(() => Response.json({ entitiesAffected: 3 }))
    expect(await dispatchPlan(deps(), TO, WHAT, never)).toEqual({ entitiesAffected: 3 })
    const [first] = asked
    expect([asked.length, first?.url, first?.init.method, first?.init.redirect]).toEqual([1, TO.url, "POST", "manual"])
    const headers = new Headers(first?.init.headers)
    expect([headers.get("idempotency-key"), headers.get("webhook-id")]).toEqual(["run_1/p1", "run_1/p1"])
    const text = String(first?.init.body)
    expect(JSON.parse(text)).toMatchObject({ type: "plan.execute", data: WHAT })
    for (const secret of SECRETS) {
      const proof = {
        hook: { kind: "standard" },
        secrets: [secret],
        header: (n: string) => headers.get(n),
        body: new TextEncoder().encode(text),
        now: 1_800_000_000_000,
      } as const
      expect((await verify(proof)).ok).toBe(true)
    }
  })

  test("[T41] an empty answer is null; an error, a redirect, non-JSON and too much data are failures", async () => {
    const answer = (make: () => Response) => {
      answering(make)
      return dispatchPlan(deps(), TO, WHAT, never)
    }
    expect(await answer(() => new Response(null, { status: 204 }))).toBeNull()
    await expect(answer(() => new Response("busy", { status: 503 }))).rejects.toThrow(/503: busy/)
    await expect(answer(() => new Response(null, { status: 307, headers: { location: "https://shop.example/other" } }))).rejects.toThrow(
      /redirect/,
    )
    await expect(answer(() => new Response("<html>"))).rejects.toThrow(/not JSON/)
    await expect(answer(() => new Response("x".repeat(1024 * 1024 + 1)))).rejects.toThrow(/larger/)
  })

  test("[T41] the guard refuses an internal address, whatever its source", async () => {
    const asked = answering(() => Response.json(null))
    await expect(dispatchPlan(deps(), { url: "https://169.254.169.254/", secret: "shop" }, WHAT, never)).rejects.toThrow(/^address refused/)
    expect(asked).toEqual([])
  })

  test("[T41] without a usable signing secret or a binding, nothing begins", async () => {
    expect(await readyToDispatch(deps(), TO)).toBeUndefined()
    expect(await readyToDispatch(deps(["no base64!"]), TO)).toMatch(/whsec_/)
    expect(await readyToDispatch(deps(), { url: TO.url, secret: "other" })).toMatch(/"other"/)
    for (const binding of ["DISPATCH_GONE", "DISPATCH_NONE", "TENANT"]) expect(await readyToDispatch(deps(), { binding })).toMatch(binding)
  })
})
