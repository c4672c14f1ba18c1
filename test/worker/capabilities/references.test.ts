// References, plans and a team of agents through the whole Worker [T40–T42]: several Durable Objects, a person, a dispatcher.

import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, test } from "vitest"
import type { JsonObject } from "../../../src/core/json.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { InteractionView, RunView } from "../../../src/core/run/views/view.ts"
import { plansPort } from "../../../src/cloudflare/capabilities/plans.ts"
import { referencesPort } from "../../../src/cloudflare/clients/references.ts"
import { portOf } from "../../../src/cloudflare/platform/port-of.ts"
import { until } from "../../support/worker/service-client.ts"

const KEY = { authorization: "Bearer sl_local_dev", "content-type": "application/json" }
const call = (method: string, path: string, body?: unknown): Promise<Response> =>
  SELF.fetch(`http://sluice${path}`, { method, headers: KEY, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const r = await call(method, path, body)
  const text = await r.text()
  if (!r.ok) throw new Error(`${method} ${path}: ${r.status} ${text}`)
  return JSON.parse(text) as T
}
const runOf = (id: string): Promise<RunView> => ask<RunView>("GET", `/v1/runs/${id}`)
const eventsOf = async (id: string): Promise<RunEvent[]> => (await ask<{ data: RunEvent[] }>("GET", `/v1/runs/${id}/events`)).data
const ended = (id: string) => until(async () => ((r) => (r.ended === undefined ? undefined : r))(await runOf(id)), `the end of ${id}`)
const asked = (run: string): Promise<InteractionView> =>
  until(
    async () => (await ask<{ data: InteractionView[] }>("GET", `/v1/runs/${run}/interactions?status=pending`)).data[0],
    `a question of ${run}`,
  )
const start = async (flow: string, task = "go"): Promise<string> =>
  (await ask<{ id: string }>("POST", `/v1/flows/${flow}/runs`, { task })).id
const answer = (i: InteractionView, body: object) => ask("POST", `/v1/runs/${i.run}/interactions/${i.id}`, body)
interface Sent {
  readonly data: { readonly run: string; readonly planId: string; readonly actions: unknown; readonly resolved_refs: JsonObject }
}
const dispatched = async (run: string): Promise<Sent["data"][]> => {
  const shop: unknown = Reflect.get(env, "DISPATCH_SHOP")
  const all = (await (await (shop as Fetcher).fetch("https://shop/")).json()) as Sent[]
  return all.map((sent) => sent.data).filter((data) => data.run === run)
}
const results = async (run: string) =>
  (await eventsOf(run)).flatMap((e) =>
    e.type === "tool.returned" ? [[e.tool, e.isError, e.content[0]?.type === "text" ? e.content[0].text : ""] as const] : [],
  )

const agent = (name: string, head: string): string =>
  `---\nname: ${name}\ndescription: The ${name}.\nmodel: team/${name}\n${head}---\nDo it: \${{task}}\n`
const flow = (name: string, of: string): string =>
  `name: ${name}\ndescription: d\nautonomous: false\nsteps:\n  - { id: a, type: agent, agent: ${of} }\n`
const done = (summary = "done") => ({ finish: { status: "complete", summary } })
const calls = (tool: string, args: object) => ({ calls: [{ tool, args }] })
let order = ""

beforeAll(async () => {
  await ask("PUT", "/v1/references/orders", { schema: { type: "object", required: ["card"] }, glimpse: { fields: ["total"] } })
  order = (await ask<{ id: string }>("POST", "/v1/references/orders", { card: "4242-secret", total: 5 })).id
  const schema = { type: "object", properties: { actions: { type: "array" } } }
  await ask("PUT", "/v1/plans/refunds", { schema, dispatcher: { binding: "DISPATCH_SHOP" } })
  const body = { title: "t", actions: [{ kind: "refund", amount: 5, references: [{ kind: "orders", id: order }] }] }
  await ask("PUT", "/v1/settings/providers/team", {
    kind: "scripted",
    turns: {
      lead: [
        calls("call_agent", { agent: "stranger", prompt: "x" }),
        calls("call_agent", { agent: "planner", prompt: "plan a refund" }),
        calls("call_agent", { agent: "executor", prompt: "execute p1" }),
        done("all done"),
      ],
      planner: [calls("storePlan", { specName: "refunds", planId: "p1", body }), calls("executePlan", { planId: "p1" }), done("planned")],
      executor: [calls("glimpseRef", { kind: "orders", id: order }), calls("executePlan", { planId: "p1" }), done("executed")],
      alone: [
        calls("storePlan", { specName: "refunds", planId: "p1", body }),
        calls("executePlan", { planId: "p1" }),
        calls("executePlan", { planId: "p1" }),
        calls("getPlan", { planId: "p2" }),
        done(),
      ],
      hasty: [
        {
          calls: [
            { tool: "storePlan", args: { specName: "refunds", planId: "p1", body } },
            { tool: "executePlan", args: { planId: "p1" } },
          ],
        },
        done(),
      ],
    },
  })
  await ask("PUT", "/v1/catalog", {
    agents: {
      "lead.md": agent("lead", "role: coordinator\nroutes: [planner, executor]\n"),
      "planner.md": agent("planner", "role: planner\nplan: refunds\n"),
      "executor.md": agent("executor", "role: executor\nplan: refunds\n"),
      "stranger.md": agent("stranger", "tools: read\n"),
      "alone.md": agent("alone", "toolkits: plans\n"),
      "hasty.md": agent("hasty", "toolkits: plans\n"),
    },
    flows: { "team.yaml": flow("team", "lead"), "alone.yaml": flow("alone", "alone"), "hasty.yaml": flow("hasty", "hasty") },
  })
})

describe("references", () => {
  test("[T40] are created, resolved and glimpsed; a missing reference and another tenant's are the same 404", async () => {
    const made = await ask<JsonObject>("POST", "/v1/references/orders", { card: "1", total: 9 })
    expect(made).toEqual({ kind: "orders", id: expect.stringMatching(/^[0-9a-f]{64}$/), glimpse: { total: 9 } })
    expect((await call("POST", "/v1/references/orders", { total: 9, card: "1" })).status).toBe(200)
    expect(await ask("GET", `/v1/references/orders/${String(made["id"])}`)).toEqual({ ...made, value: { card: "1", total: 9 } })
    expect(await ask("GET", `/v1/references/orders/${String(made["id"])}?glimpse=1`)).toEqual(made)
    await portOf(env, "other", "settings").putItem("references", { name: "orders", schema: {} })
    const theirs = await referencesPort(env, "other").create("orders", { card: "1", total: 9 })
    expect(theirs.ok && theirs.reference.id).not.toBe(made["id"])
    const instance = (text: string): string => text.replace(/"instance":"[^"]*"/, "")
    const [missing, other] = await Promise.all(
      ["0".repeat(64), theirs.ok ? theirs.reference.id : ""].map(async (id) =>
        instance(await (await call("GET", `/v1/references/orders/${id}`)).text()),
      ),
    )
    expect(other).toBe(missing)
    expect((await call("POST", "/v1/references/orders", { total: 9 })).status).toBe(422)
  })

  test("[T40] an expired reference is not found, and the next write deletes its row; deleting a kind deletes its values", async () => {
    await ask("PUT", "/v1/references/brief", { schema: {}, ttl_ms: 0 })
    const { id } = await ask<{ id: string }>("POST", "/v1/references/brief", 1)
    expect((await call("GET", `/v1/references/brief/${id}`)).status).toBe(404)
    await ask("POST", "/v1/references/orders", { card: "sweep" })
    const rows = () =>
      runInDurableObject(env.TENANT.get(env.TENANT.idFromName("local")), (_, ctx) =>
        ctx.storage.sql.exec("SELECT id FROM reference WHERE kind = 'brief'").toArray(),
      )
    expect(await rows()).toEqual([])
    await ask("PUT", "/v1/references/brief", { schema: {} })
    await ask("POST", "/v1/references/brief", 2)
    expect(await rows()).toHaveLength(1)
    expect((await call("DELETE", "/v1/references/brief")).status).toBe(204)
    expect([await rows(), (await call("POST", "/v1/references/brief", 3)).status]).toEqual([[], 404])
  })
})

describe("plans", () => {
  test("[G11] a plan keeps the marks of those who stored it, and they add up", async () => {
    const rows = portOf(env, "marks", "plans")
    const plan = { planId: "p1", plan: "refunds", body: { actions: [] } }
    expect(await rows.insert("run_m", plan)).toBe("ok")
    expect(await rows.find("run_m", "p1")).toEqual({ ...plan, state: "draft" })
    expect(await rows.insert("run_m", { ...plan, private: true })).toBe("ok")
    expect(await rows.insert("run_m", { ...plan, tainted: true })).toBe("ok")
    expect(await rows.insert("run_m", plan)).toBe("ok")
    expect(await rows.insert("run_m", { ...plan, body: { actions: [1] }, tainted: true })).toBe("other")
    expect(await rows.find("run_m", "p1")).toEqual({ ...plan, state: "draft", tainted: true, private: true })
    expect(await rows.find("run_n", "p1")).toBeUndefined()
  })

  test("[T41] nothing is sent before a person approves; then it is sent once, with the values of the references, which no model sees", async () => {
    const run = await start("alone")
    const i = await asked(run)
    expect(i).toMatchObject({ kind: "approval.plan", payload: { plan: "refunds", planId: "p1", body: { title: "t" }, reason: "policy" } })
    expect([await dispatched(run), (await ask<{ data: JsonObject[] }>("GET", `/v1/runs/${run}/plans`)).data]).toMatchObject([
      [],
      [{ planId: "p1", state: "draft" }],
    ])
    await answer(i, { decision: "approve", hash: i.payload["hash"] })
    expect((await ended(run)).status).toBe("succeeded")
    expect(await dispatched(run)).toMatchObject([{ planId: "p1", resolved_refs: { orders: { [order]: { card: "4242-secret" } } } }])
    const events = JSON.stringify(await eventsOf(run))
    expect(events).not.toContain("4242-secret")
    expect(await results(run)).toEqual([
      ["storePlan", false, expect.stringContaining('"draft"')],
      ["executePlan", false, expect.stringContaining('"executed"')],
      ["getPlan", false, "null"],
    ])
    expect((await eventsOf(run)).flatMap((e) => (e.type === "tool.refused" ? [e.reason] : []))).toEqual([
      expect.stringMatching(/is already executed/),
    ])
  })

  test("[T41] a plan sent back for revision stays a draft, and the agent gets the notes", async () => {
    const run = await start("alone")
    await answer(await asked(run), { decision: "edit", args: { amount: 3 }, feedback: "less" })
    // The script tries again, and a person is asked again, because the plan is still a draft.
    const again = await asked(run)
    await answer(again, { decision: "reject", feedback: "not today" })
    await ended(run)
    expect((await results(run))[1]).toEqual([
      "executePlan",
      false,
      JSON.stringify({ rejected: true, should_revise: true, plan_id: "p1", partial: { amount: 3 }, feedback: "less" }),
    ])
    expect((await eventsOf(run)).flatMap((e) => (e.type === "tool.refused" ? [[e.code, e.reason]] : []))).toEqual([
      ["approval_rejected", expect.stringMatching(/not today/)],
    ])
    expect([await dispatched(run), (await ask<{ data: JsonObject[] }>("GET", `/v1/runs/${run}/plans`)).data]).toMatchObject([
      [],
      [{ state: "draft" }],
    ])
  })

  test("[T41] a plan stored and executed in the same turn is not executed: no one could have reviewed it", async () => {
    const run = await start("hasty")
    await ended(run)
    expect((await eventsOf(run)).flatMap((e) => (e.type === "tool.refused" ? [[e.tool, e.code]] : []))).toEqual([
      ["executePlan", "invalid_args"],
    ])
    expect(await dispatched(run)).toEqual([])
  })

  test("[T41] every illegal change of a plan's state is refused, and a run's plans are deleted with it", async () => {
    const rows = portOf(env, "rows", "plans")
    await portOf(env, "rows", "settings").putItem("plans", { name: "p", schema: {}, dispatcher: { binding: "DISPATCH_SHOP" } })
    const plans = plansPort(env, "rows", "run_x")
    await plans.store({ spec: "p", planId: "1", body: { actions: [{ kind: "a" }] } })
    const path = [
      "executing",
      "executed",
      "failed",
      "draft",
      "approved",
      "approved",
      "executed",
      "executing",
      "draft",
      "executed",
      "failed",
      "approved",
    ] as const
    const moved: unknown[] = []
    for (const to of path) moved.push(await rows.move("run_x", "1", to))
    expect(moved).toEqual([
      "draft",
      "draft",
      "draft",
      "draft",
      "ok",
      "approved",
      "approved",
      "ok",
      "executing",
      "ok",
      "executed",
      "executed",
    ])
    expect(await rows.move("run_y", "1", "approved")).toBe("unknown")
    expect(await rows.ofRun("run_y")).toEqual([])
  })
})

describe("a team", () => {
  test("[T42] a coordinator calls the agents of its routes; one makes a plan, and another executes it after a person has approved it", async () => {
    const run = await start("team")
    const inbox = () => ask<{ data: InteractionView[] }>("GET", "/v1/interactions")
    const i = await until(async () => (await inbox()).data.find((q) => q.kind === "approval.plan"), "the plan in the inbox")
    const executor = await runOf(i.run)
    expect(executor).toMatchObject({
      flow: "@subagent/executor",
      task: "execute p1",
      parent: { run, depth: 1 },
      trigger: { kind: "child" },
    })
    // The waiting object may crash in the meantime: the repeated call finds the same run.
    await abortAllDurableObjects()
    await runDurableObjectAlarm(env.RUN.get(env.RUN.idFromName(`local/${run}`)))
    await answer(i, { decision: "approve" })
    const end = await until(async () => {
      await runDurableObjectAlarm(env.RUN.get(env.RUN.idFromName(`local/${run}`)))
      return ((r) => (r.ended === undefined ? undefined : r))(await runOf(run))
    }, "the end of the team")
    expect([end.status, end.steps["a"]?.summary]).toEqual(["succeeded", "all done"])
    expect(end.children).toHaveLength(2)
    expect(await dispatched(run)).toHaveLength(1)
    expect(await results(run)).toEqual([
      ["call_agent", true, expect.stringMatching(/may not call the agent "stranger"; you may call: planner, executor/)],
      ["call_agent", false, "planned"],
      ["call_agent", false, "executed"],
    ])
    // A planner does not execute, and its conversation is stored under the run's name.
    const planner = end.children[0] ?? ""
    expect((await eventsOf(planner)).flatMap((e) => (e.type === "tool.refused" ? [[e.tool, e.code]] : []))).toEqual([
      ["executePlan", "undeclared"],
    ])
    const { data: sessions } = await ask<{ data: JsonObject[] }>("GET", "/v1/sessions")
    expect(sessions.filter((s) => s["id"] === run).map((s) => s["agent"])).toEqual(["planner"])
    expect((await ask<{ data: JsonObject[] }>("GET", `/v1/runs/${run}/plans`)).data).toMatchObject([{ planId: "p1", state: "executed" }])
  })

  test("[T42] when it ends, the run that it waits for is canceled", async () => {
    const run = await start("team")
    const i = await until(
      async () => (await ask<{ data: InteractionView[] }>("GET", "/v1/interactions")).data.find((q) => q.kind === "approval.plan"),
      "the plan in the inbox",
    )
    await ask("POST", `/v1/runs/${run}/cancel`)
    expect((await ended(i.run)).status).toBe("canceled")
    expect(await dispatched(run)).toEqual([])
  })

  test("[T42] a flow whose coordinator routes to a missing agent does not start", async () => {
    const lost = { "lost.md": agent("lost", "role: coordinator\nroutes: [nobody]\n") }
    const written = await call("PUT", "/v1/catalog", { agents: lost, flows: { "lost.yaml": flow("lost", "lost") } })
    expect([written.status, await written.text()]).toEqual([422, expect.stringContaining("FV-ROUTES-AGENT")])
  })
})
