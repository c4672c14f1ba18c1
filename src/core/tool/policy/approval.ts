// Decides whether a person is asked before a call, and why [Q4, Q5]: five layers of approvals, hooks by tool name, the tenant's autonomy
// level and taint.
//
// The guard calls askFor (once per call, after the denylist) and hookOf (for `tool.called.hook`). A run's `autonomous` has no effect here.

import { EXECUTE_PLAN } from "../toolkits.ts"
import type { JsonObject } from "../../json.ts"
import { writes } from "../reach.ts"
import type { ToolSpec } from "../tool-spec.ts"
import { asks } from "./approval-rule.ts"
import type { ApprovalRule, Approvals, AskReason, Policy } from "./policy.ts"
import { matchesTool, matchIn, namesOf, type NamedTool } from "./tool-names.ts"

/** What an agent's file says of approvals. */
interface AgentApprovals {
  readonly approvals?: Approvals
  readonly tool_approvals?: Readonly<Record<string, ApprovalRule | "default">>
}

export interface AskInput {
  readonly policy: Policy
  /** `flow.approvals` of the run's flow; absent outside a run. */
  readonly flow?: Approvals | undefined
  /** Absent outside a run. */
  readonly agent?: AgentApprovals | undefined
  readonly tool: ToolSpec
  /** The arguments as the tool would receive them: validated and completed. */
  readonly args: JsonObject
  /** The call leaves a session that has read untrusted text, and no setting allows it [G11]. */
  readonly tainted?: boolean
  /** The call executes this plan: the `plans` approvals apply instead of `tools`, and conditions are evaluated on the plan [C12, T41]. */
  readonly plan?: JsonObject
}

export type ApprovalDemand = { readonly ask: AskReason } | { readonly hook: "log" } | undefined

/** Whether and why to ask. One approval covers every reason; the result names the most serious. */
export function askFor({ policy, flow, agent, tool, args, tainted, plan }: AskInput): ApprovalDemand {
  if (tainted === true) return { ask: "tainted" }
  if (rulesFor(policy, plan ? "plans" : "tools", flow, agent, tool).some((rule) => asks(rule, tool, plan ?? args))) return { ask: "policy" }
  const hook = hookOf(policy, tool)
  if (hook === "confirm") return { ask: "hook" }
  if (policy.autonomy === "conservative" && writes(tool, args)) return { ask: "autonomy" }
  return hook === "log" ? { hook: "log" } : undefined
}

/** How often calls of a tool need approval, as far as that is known in advance. */
export function howOftenAsked({
  policy,
  flow,
  agent,
  tool,
}: Pick<AskInput, "policy" | "flow" | "agent" | "tool">): "always" | "sometimes" | "never" {
  const rules = rulesFor(policy, tool.name === EXECUTE_PLAN ? "plans" : "tools", flow, agent, tool)
  const isCareful = policy.autonomy === "conservative" && writes(tool, {})
  if (rules.includes("always") || hookOf(policy, tool) === "confirm" || isCareful) return "always"
  return rules.some((rule) => rule !== "never") ? "sometimes" : "never"
}

/** The hook for a tool. If several lists match, confirm beats log and log beats silent. No match means silent. */
export function hookOf(policy: Policy, tool: NamedTool): "confirm" | "log" | "silent" {
  if (matchIn(policy.hooks.confirm, tool) !== undefined) return "confirm"
  return matchIn(policy.hooks.log, tool) === undefined ? "silent" : "log"
}

/** The floor is also a layer: without `allow_relax` it applies in addition to the more specific rules. */
function rulesFor(
  policy: Policy,
  channel: "tools" | "plans",
  flow: AskInput["flow"],
  agent: AskInput["agent"],
  tool: ToolSpec,
): readonly ApprovalRule[] {
  // [C12] By default plans need approval and tools do not.
  const floor = policy.approvals[channel] ?? (channel === "plans" ? "always" : undefined)
  const own = ownRules(agent?.tool_approvals, tool)
  const layers = [
    own,
    ...[tool.approval, agent?.approvals?.[channel], flow?.[channel], floor].map((rule) => (rule === undefined ? [] : [rule])),
  ]
  const rules = layers.find((layer) => layer.length > 0) ?? []
  return policy.approvals.allow_relax || floor === undefined ? rules : [...rules, floor]
}

/** An agent's own rules for one tool. A name beats a glob, several of the same kind all count, and `default` sets no rule. */
function ownRules(own: AgentApprovals["tool_approvals"], tool: ToolSpec): readonly ApprovalRule[] {
  const all = Object.entries(own ?? {})
  const names = namesOf(tool)
  const exact = all.filter(([pattern]) => names.includes(pattern))
  const found = exact.length > 0 ? exact : all.filter(([pattern]) => matchesTool(pattern, tool))
  return found.flatMap(([, rule]) => (rule === "default" ? [] : [rule]))
}
