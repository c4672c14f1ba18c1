// Is a person asked before this call, and why [Q4, Q5]? Approvals of five layers, hooks by name, the tenant's autonomy level, taint.
//
// For the guard: askFor (once per call, after the denylist), hookOf (for `tool.called.hook`). `autonomous` of a run changes nothing here.

import type { Agent } from "../flow/agent.ts"
import type { JsonObject } from "../json.ts"
import { writes } from "../tool/reach.ts"
import type { ToolSpec } from "../tool/tool-spec.ts"
import { asks } from "./approval-rule.ts"
import type { ApprovalRule, Approvals, AskReason, Policy } from "./policy.ts"
import { matchesTool, matchIn, namesOf, type NamedTool } from "./tool-names.ts"

export interface AskInput {
  readonly policy: Policy
  /** `flow.approvals` of the run's flow; absent outside a run. */
  readonly flow?: Approvals | undefined
  /** Absent outside a run. */
  readonly agent?: Pick<Agent, "approvals" | "tool_approvals"> | undefined
  readonly tool: ToolSpec
  /** As they would be executed: validated and completed. */
  readonly args: JsonObject
  /** The call goes out of a session that has read text from outside, and nothing allows that [G11]. */
  readonly tainted?: boolean
  /** The call carries out a plan: approvals of plans count, not those of tools, and conditions speak of this [C12, T41]. */
  readonly plan?: JsonObject
}

export type Asked = { readonly ask: AskReason } | { readonly hook: "log" } | undefined

/** One approval answers every reason; the gravest is the one that is named. */
export function askFor({ policy, flow, agent, tool, args, tainted, plan }: AskInput): Asked {
  if (tainted === true) return { ask: "tainted" }
  if (policyAsks(policy, plan ? "plans" : "tools", flow, agent, tool, plan ?? args)) return { ask: "policy" }
  const hook = hookOf(policy, tool)
  if (hook === "confirm") return { ask: "hook" }
  if (policy.autonomy === "conservative" && writes(tool, args)) return { ask: "autonomy" }
  return hook === "log" ? { hook: "log" } : undefined
}

/** On a double match confirm beats log beats silent; no match is silent. */
export function hookOf(policy: Policy, tool: NamedTool): "confirm" | "log" | "silent" {
  if (matchIn(policy.hooks.confirm, tool) !== undefined) return "confirm"
  return matchIn(policy.hooks.log, tool) === undefined ? "silent" : "log"
}

/** The floor is a layer as well: without `allow_relax` it asks beside whatever is more specific. */
function policyAsks(
  policy: Policy,
  channel: "tools" | "plans",
  flow: AskInput["flow"],
  agent: AskInput["agent"],
  tool: ToolSpec,
  args: JsonObject,
): boolean {
  // [C12] Without a word of the tenant plans are asked about, tools are not.
  const floor = policy.approvals[channel] ?? (channel === "plans" ? "always" : undefined)
  const own = ownRules(agent?.tool_approvals, tool)
  const layers = [
    own,
    ...[tool.approval, agent?.approvals?.[channel], flow?.[channel], floor].map((rule) => (rule === undefined ? [] : [rule])),
  ]
  const rules = layers.find((layer) => layer.length > 0) ?? []
  const judged = policy.approvals.allow_relax || floor === undefined ? rules : [...rules, floor]
  return judged.some((rule) => asks(rule, tool, args))
}

/** An agent's word on one tool: a name beats a glob; several of the same kind all count; `default` is no word of its own. */
function ownRules(own: Agent["tool_approvals"], tool: ToolSpec): readonly ApprovalRule[] {
  const all = Object.entries(own ?? {})
  const names = namesOf(tool)
  const exact = all.filter(([pattern]) => names.includes(pattern))
  const found = exact.length > 0 ? exact : all.filter(([pattern]) => matchesTool(pattern, tool))
  return found.flatMap(([, rule]) => (rule === "default" ? [] : [rule]))
}
