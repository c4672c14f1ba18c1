// Finds tools that a policy denies although an agent lists them or a step calls them [T30]: nothing else would tell the author of the file,
// whose agent works without the tool, or whose step fails.

import { pointerStep, short } from "../../text/pointer.ts"
import type { Policy } from "./policy.ts"
import type { NameFault } from "./policy-names.ts"
import { verdictOf, type Holder } from "./resolve.ts"
import { matchIn, matchesTool, type NamedTool } from "./tool-names.ts"

/** An agent that lists tools, or a step that calls some. */
export interface ToolUser {
  /** `the agent "clerk"`, or `step "pay" of the flow "refund"`. */
  readonly who: string
  readonly does: "lists" | "calls"
  readonly holder: Holder
  readonly tools: readonly NamedTool[]
}

const MOST_DENIED = 50 // limit: tools told that a policy denies to their users → further ones are not told

export function deniedFaults(policy: Policy, users: readonly ToolUser[]): readonly NameFault[] {
  const faults: NameFault[] = []
  for (const { who, does, holder, tools } of users)
    for (const tool of tools) {
      const at = placeOf(tool, policy, holder)
      if (at === undefined) continue
      if (faults.length === MOST_DENIED) return faults
      faults.push({
        pointer: at,
        message: `denies ${short(tool.name)}, which ${who} ${does}`,
        suggestion: does === "lists" ? `remove the rule, or ${short(tool.name)} from the agent's tools` : "remove the rule, or the step",
        isWarning: true,
      })
    }
  return faults
}

/** The rule that denies every call of the tool; undefined: none does. */
function placeOf(tool: NamedTool, policy: Policy, holder: Holder): string | undefined {
  const never = policy.denylist.findIndex((rule) => rule.args === undefined && matchesTool(rule.tool, tool))
  if (never !== -1) return `/denylist/${never}`
  if (verdictOf(tool, policy, holder).granted) return undefined
  const { agents, providers, deny, profile } = policy.tools
  const base = deniedIn("/tools", deny, tool)
  if (base !== undefined) return base
  // What the tenant's own rules grant, an override took.
  if (verdictOf(tool, policy).granted)
    for (const [of, rules, name] of [["agents", agents, holder.agent] as const, ["providers", providers, holder.provider] as const]) {
      if (name === undefined || !Object.hasOwn(rules, name) || verdictOf(tool, policy, { [of.slice(0, -1)]: name }).granted) continue
      const at = `/tools/${of}${pointerStep(name)}`
      return deniedIn(at, rules[name]?.deny, tool) ?? at
    }
  return profile === undefined ? "/tools" : "/tools/profile"
}

function deniedIn(at: string, deny: readonly string[] | undefined, tool: NamedTool): string | undefined {
  const pattern = matchIn(deny, tool)
  return pattern === undefined ? undefined : `${at}/deny/${deny?.indexOf(pattern) ?? 0}`
}
