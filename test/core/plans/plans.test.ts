// Plans as data [C30–C35, T41]: kinds of plans, bodies, the order of states, and who is asked before a plan
// is executed.

import { describe, expect, test } from "vitest"
import { readDispatched, readPlanBody } from "../../../src/core/plans/plan-body.ts"
import { readPlanSpec } from "../../../src/core/plans/plan-spec.ts"
import { mayBecome, PLAN_STATES } from "../../../src/core/plans/plan-state.ts"
import { EXECUTE_PLAN } from "../../../src/core/tool/toolkits.ts"
import type { Agent } from "../../../src/core/flow/agent.ts"
import type { Flow } from "../../../src/core/flow/flow.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import { DEFAULT_POLICY, type Policy } from "../../../src/core/tool/policy/policy.ts"
import { compile } from "../../../src/core/run/plan.ts"
import type { PlanShown } from "../../../src/core/run/signal.ts"
import type { ToolSpec } from "../../../src/core/tool/tool-spec.ts"
import { agent, agentOf, flowOf, TOOLS } from "../../support/kernel/builders.ts"
import { call, replyOf, Shell, type Call } from "../../support/kernel/shell.ts"

const DISPATCHER = { binding: "DISPATCH_SHOP" }
const schema = (items: JsonObject): JsonObject => ({
  type: "object",
  properties: { title: { type: "string" }, actions: { type: "array", items } },
  required: ["title", "actions"],
})
const REFUND = schema({ type: "object", properties: { kind: { const: "refund" }, amount: { type: "integer" } }, required: ["amount"] })
const spec = { name: "refunds", schema: REFUND }
const faults = (body: unknown): string[] => {
  const read = readPlanSpec("refunds", body)
  return read.ok ? [] : read.error.map((f) => f.pointer)
}

describe("a kind of plan", () => {
  test("[T41] has a schema and one dispatcher; any other field is refused at its position", () => {
    expect(faults({ schema: REFUND, dispatcher: DISPATCHER })).toEqual([])
    expect(faults({ schema: REFUND, dispatcher: { url: "https://shop.example/plans", secret: "shop" } })).toEqual([])
    expect(faults({})).toEqual(["/schema", "/dispatcher"])
    expect(faults({ schema: 5, dispatcher: DISPATCHER, more: 1 })).toEqual(["/more", "/schema"])
    expect(faults({ schema: { $ref: "#/nowhere" }, dispatcher: DISPATCHER })).toEqual(["/schema"])
    for (const dispatcher of [{ binding: "TENANT" }, { binding: "RUN" }, { binding: "dispatch_x" }])
      expect(faults({ schema: {}, dispatcher })).toEqual(["/dispatcher/binding"])
    expect(faults({ schema: {}, dispatcher: { url: "ftp://x", secret: "s" } })).toEqual(["/dispatcher/url"])
    expect(faults({ schema: {}, dispatcher: { url: "https://x.example" } })).toEqual(["/dispatcher/secret"])
    expect(faults({ schema: {}, dispatcher: { ...DISPATCHER, url: "https://x.example", secret: "s" } })).toEqual(["/dispatcher"])
    expect(faults({ schema: {}, dispatcher: DISPATCHER, display_aliases: { draft: "Proposal", done: "x" } })).toEqual([
      "/display_aliases/done",
    ])
  })

  test("[T41] actions of several kinds are told apart: at least two kinds, each with its own name", () => {
    const variant = (kind: JsonObject) => ({ type: "object", properties: { kind } })
    const at = "/schema/properties/actions/items/oneOf"
    const union = (...oneOf: JsonObject[]) => faults({ schema: schema({ oneOf }), dispatcher: DISPATCHER })
    expect(union(variant({ const: "a" }), variant({ const: "b" }))).toEqual([])
    expect(union(variant({ const: "a" }))).toEqual([at])
    expect(union(variant({ const: "a" }), variant({ const: "a" }))).toEqual([`${at}/1/properties/kind`])
    expect(union(variant({ const: "a" }), variant({ type: "string" }))).toEqual([`${at}/1/properties/kind`])
  })
})

describe("a plan's body", () => {
  const error = (body: JsonObject): string => {
    const read = readPlanBody(spec, body)
    return read.ok ? "" : read.error
  }

  test("[T41] has actions: no actions, not a list and an empty list are three errors", () => {
    const errors = [{ title: "t" }, { title: "t", actions: "x" }, { title: "t", actions: [] }].map(error)
    expect(errors).toEqual([
      expect.stringMatching(/has no actions/),
      expect.stringMatching(/must be a list/),
      expect.stringMatching(/is empty/),
    ])
    expect(new Set(errors).size).toBe(3)
  })

  test("[T41] flat in, canonical out; other members stay", () => {
    const ref = { kind: "order", id: "1" }
    const read = readPlanBody(spec, { title: "t", actions: [{ kind: "refund", amount: 5, note: "n", references: [ref] }] })
    expect(read).toEqual({
      ok: true,
      value: { title: "t", actions: [{ kind: "refund", payload: { amount: 5, note: "n" }, references: [ref] }] },
    })
    const plain = readPlanBody(spec, { title: "t", actions: [{ kind: "refund", amount: 5 }] })
    expect(plain.ok && plain.value["actions"]).toEqual([{ kind: "refund", payload: { amount: 5 }, references: [] }])
  })

  test("[T41] stays as sent: nothing is coerced into the schema", () => {
    expect(error({ title: "t", actions: [{ kind: "refund", amount: "5" }] })).toMatch(/refunds/)
    expect(error({ actions: [{ kind: "refund", amount: 5 }] })).toMatch(/title/)
    expect(error({ title: "t", actions: [{ amount: 5 }] })).toMatch(/actions\/0.*kind/)
    for (const references of ["x", [{ kind: "order" }], [5]])
      expect(error({ title: "t", actions: [{ kind: "refund", amount: 5, references }] })).toMatch(/references/)
  })

  test("[T41] the member that names an action is configurable", () => {
    const items = {
      discriminator: { propertyName: "do" },
      oneOf: [{ properties: { do: { const: "a" } } }, { properties: { do: { const: "b" } } }],
    }
    const read = readPlanBody({ name: "p", schema: schema(items) }, { title: "t", actions: [{ do: "a", kind: "x" }] })
    expect(read.ok && read.value["actions"]).toEqual([{ kind: "a", payload: { kind: "x" }, references: [] }])
  })
})

test("[T41] every state but the next is refused, and nothing follows the final states", () => {
  const legal = PLAN_STATES.flatMap((from) => PLAN_STATES.filter((to) => mayBecome(from, to)).map((to) => `${from} ${to}`))
  expect(legal).toEqual(["draft approved", "approved executing", "executing executed", "executing failed"])
})

test("[T41] a dispatcher answers with nothing, or with how much it changed", () => {
  expect(readDispatched(null)).toEqual({ ok: true, value: null })
  expect(readDispatched({ entitiesAffected: 0, summary: "s", details: [1] })).toEqual({
    ok: true,
    value: { entitiesAffected: 0, summary: "s", details: [1] },
  })
  for (const bad of [
    5,
    "x",
    [],
    {},
    { entitiesAffected: -1 },
    { entitiesAffected: 1.5 },
    { entitiesAffected: "1" },
    { entitiesAffected: 1, summary: 5 },
    { entitiesAffected: 1, more: 1 },
  ])
    expect([bad, readDispatched(bad).ok]).toEqual([bad, false])
})

const EXECUTE: ToolSpec = {
  name: EXECUTE_PLAN,
  description: "e",
  parameters: { type: "object", properties: { planId: { type: "string" } }, required: ["planId"], additionalProperties: false },
  effect: "write",
  reach: { method: { fixed: "POST" } },
  contexts: ["agent"],
}
const BODY = { title: "t", total: 50, actions: [{ kind: "refund", payload: { amount: 50 }, references: [] }] }
const PLAN: PlanShown = { plan: "refunds", planId: "p1", state: "draft", body: BODY }

interface Layers {
  readonly policy?: Partial<Policy["approvals"]>
  readonly flow?: Partial<Flow>
  readonly agent?: Partial<Agent>
  readonly tainted?: boolean
}

function shellOf({ policy = {}, flow = {}, agent: more = {}, tainted = false }: Layers = {}): Shell {
  const worker = agentOf("worker", { role: "executor", plan: "refunds", tools: { kind: "list", names: [] }, ...more })
  const rules = { policy: { ...DEFAULT_POLICY, approvals: { ...DEFAULT_POLICY.approvals, ...policy } }, scopes: [], version: 0 }
  const plan = compile({ flow: flowOf([agent("a")], flow), agents: { worker }, skills: {}, tools: [...TOOLS, EXECUTE] })
  return new Shell(plan, { rules, tainted })
}

/** The shell provides each call's plan, as perform.ts does. */
function replies(shell: Shell, calls: readonly Call[], plans: Readonly<Record<string, PlanShown>> = { c0: PLAN }): void {
  const key = shell.flying("a", "/model")
  const reply = replyOf(calls)
  const digests = Object.fromEntries(reply.toolCalls.map((c) => [c.id, `${c.id} ${JSON.stringify(plans[c.id]?.body ?? null)}`]))
  expect(shell.tell({ type: "model.reply", key, reply, at: shell.now, digests, plans }).ok).toBe(true)
}
const asked = (layers: Layers): boolean => {
  const shell = shellOf(layers)
  replies(shell, [call(EXECUTE_PLAN, { planId: "p1" })])
  return shell.pending().length === 1
}
const refusals = (shell: Shell) => shell.events("tool.refused").map((e) => [e.code, e.reason])
const execute = call(EXECUTE_PLAN, { planId: "p1" })

describe("executePlan", () => {
  test("[T41] by default a person is asked and sees the whole plan; once approved, it runs once", () => {
    const shell = shellOf()
    replies(shell, [execute])
    const [i] = shell.pending()
    expect(i).toMatchObject({
      kind: "approval.plan",
      callId: "c0",
      default: "reject",
      payload: { plan: "refunds", planId: "p1", body: BODY, tool: EXECUTE_PLAN, args: { planId: "p1" }, reason: "policy", effect: "write" },
    })
    expect([shell.run.status, shell.keys()]).toEqual(["waiting", []])
    shell.crash()
    expect(shell.answer("i1", { decision: "approve", hash: "other" })).toMatchObject({ ok: false, error: { code: "other_hash" } })
    expect(shell.answer("i1", { decision: "approve", hash: String(i?.payload["hash"]) }).ok).toBe(true)
    expect(shell.events("tool.called").map((e) => e.args)).toEqual([{ planId: "p1" }])
    expect(shell.answer("i1", { decision: "approve" })).toMatchObject({ ok: false, error: { code: "already_answered" } })
  })

  test("[T41] reject is an error with the reason, cancelled too, and no answer in time is a refusal", () => {
    for (const [body, reason] of [
      [{ decision: "reject", feedback: "too much" }, /too much/],
      [{ cancelled: true }, /withdrawn/],
    ] as const) {
      const shell = shellOf()
      replies(shell, [execute])
      expect(shell.answer("i1", body).ok).toBe(true)
      expect(refusals(shell)).toEqual([["approval_rejected", expect.stringMatching(reason)]])
      expect(shell.events("tool.called")).toEqual([])
    }
    const shell = shellOf({ policy: { expires: 50 } })
    replies(shell, [execute])
    shell.pass(shell.now + 60)
    expect(refusals(shell)).toEqual([["approval_rejected", expect.stringMatching(/in time/)]])
  })

  test("[T41] revise is a success that says what to do, with or without a partial plan; nothing runs", () => {
    for (const [body, partial] of [
      [{ decision: "edit", args: { total: 5 } }, { total: 5 }],
      [{ decision: "edit" }, null],
    ] as const) {
      const shell = shellOf()
      replies(shell, [execute])
      expect(shell.answer("i1", body).ok).toBe(true)
      const [returned] = shell.events("tool.returned")
      expect(returned).toMatchObject({ isError: false, callId: "c0" })
      const [part] = returned?.content ?? []
      expect(JSON.parse(part?.type === "text" ? part.text : "")).toEqual({ rejected: true, should_revise: true, plan_id: "p1", partial })
      expect([shell.events("tool.called"), shell.events("tool.refused"), shell.run.status]).toEqual([[], [], "running"])
      shell.crash()
      expect(shell.keys()).toEqual(["a/1/1/model"])
    }
  })

  test("[T41] a plan that no one could see is not executed, nor one that is already executed", () => {
    const none = shellOf({ policy: { plans: "never" } })
    replies(none, [execute], {})
    expect(refusals(none)).toEqual([["invalid_args", expect.stringMatching(/no plan "p1"/)]])
    const other = shellOf({ policy: { plans: "never" } })
    replies(other, [execute], { c0: { ...PLAN, planId: "p2" } })
    expect(refusals(other)).toMatchObject([["invalid_args", expect.stringMatching(/no plan/)]])
    for (const state of ["executing", "executed", "failed"] as const) {
      const shell = shellOf({ policy: { plans: "never" } })
      replies(shell, [execute], { c0: { ...PLAN, state } })
      expect([state, shell.events("tool.called").length, refusals(shell).length]).toEqual([state, 0, 1])
    }
  })

  test("[Q4] plans have their own channel: tenant, flow, agent; the floor asks unless it may be relaxed", () => {
    const never = { approvals: { plans: "never" as const } }
    const always = { approvals: { plans: "always" as const } }
    expect(asked({})).toBe(true)
    expect(asked({ policy: { tools: "never" } })).toBe(true)
    expect(asked({ policy: { plans: "never" } })).toBe(false)
    expect(asked({ policy: { plans: "never", tools: "always" } })).toBe(false)
    expect(asked({ flow: never })).toBe(true)
    expect(asked({ flow: never, policy: { allow_relax: true } })).toBe(false)
    expect(asked({ flow: always, policy: { plans: "never" } })).toBe(true)
    expect(asked({ flow: always, agent: never, policy: { plans: "never" } })).toBe(false)
    expect(asked({ agent: always, flow: never, policy: { plans: "never" } })).toBe(true)
    expect(asked({ agent: { tool_approvals: { [EXECUTE_PLAN]: "always" } }, policy: { plans: "never" } })).toBe(true)
    expect(asked({ policy: { plans: "never" }, tainted: true })).toBe(true)
  })

  test("[Q4] a condition applies to the plan: its body and its name", () => {
    expect(asked({ policy: { plans: { kind: "dynamic", value: "args.body.total > 40" } } })).toBe(true)
    expect(asked({ policy: { plans: { kind: "dynamic", value: "args.body.total > 50" } } })).toBe(false)
    expect(asked({ policy: { plans: { kind: "dynamic", value: 'args.plan == "other"' } } })).toBe(false)
    expect(asked({ policy: { plans: { kind: "dynamic", value: "args.body.missing > 1" } } })).toBe(true)
  })

  test("[T41] an execution lost on the way is not repeated", () => {
    const shell = shellOf({ policy: { plans: "never" } })
    replies(shell, [execute])
    expect(shell.keys()).toEqual(["a/1/0/tool/c0"])
    shell.crash()
    expect(shell.events("tool.uncertain")).toHaveLength(1)
    expect(shell.keys()).toEqual(["a/1/1/model"])
  })
})
