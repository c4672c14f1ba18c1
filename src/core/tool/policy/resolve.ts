// Resolves which tools a caller gets, and which rule decides [T30, T33]: profile + allow − deny, then the agent's override, the provider's
// override and the manifests of the agent's skills, each of which can only remove tools [D14]. Guard and explanation use the same wording.
//
// The guard checks when a step opens and again at each call, when newer rules can only remove tools [G1].

import type { Policy, ToolRules } from "./policy.ts"
import { permitsTool, type PermittedSkill } from "./skill-permissions.ts"
import { inProfile, isByNameOnly, matchIn, type NamedTool, outsidePolicy } from "./tool-names.ts"

export interface GrantVerdict {
  readonly granted: boolean
  /** `profile minimal`, `allow write`, `deny bash`, `tools.agents: reviewer: deny write`, … */
  readonly rule: string
}

/** The user of a tool. Without agent and provider: a caller outside a run. */
export interface Holder {
  readonly agent?: string
  /** The part of the model reference before the slash. */
  readonly provider?: string
  readonly skills?: readonly PermittedSkill[]
}

export function verdictOf(tool: NamedTool, policy: Policy, holder: Holder = {}): GrantVerdict {
  if (outsidePolicy(tool.name)) return { granted: true, rule: "outside policy" }
  const base = baseVerdict(tool, policy.tools)
  if (!base.granted) return base
  const narrowed =
    narrow(tool, "tools.agents", policy.tools.agents, holder.agent) ??
    narrow(tool, "tools.providers", policy.tools.providers, holder.provider)
  if (narrowed !== undefined) return { granted: false, rule: narrowed }
  for (const { name, permissions } of holder.skills ?? [])
    if (permissions && !permitsTool(permissions, tool)) return { granted: false, rule: `skill ${name}: its manifest does not grant it` }
  return base
}

/** `openai/gpt-5:high` → `openai`; a reference without a slash has no provider. */
export const providerOf = (model: string | undefined): string | undefined => {
  const slash = model?.indexOf("/") ?? -1
  return slash > 0 ? model?.slice(0, slash) : undefined
}

/** The tenant's own rules; the default profile is `full`. */
function baseVerdict(tool: NamedTool, rules: ToolRules): GrantVerdict {
  const denied = matchIn(rules.deny, tool)
  if (denied !== undefined) return { granted: false, rule: `deny ${denied}` }
  if (isByNameOnly(tool)) {
    const allowed = rules.allow?.includes(tool.name) === true
    return { granted: allowed, rule: allowed ? `allow ${tool.name}` : "off unless listed in allow" }
  }
  const profile = rules.profile ?? "full"
  if (inProfile(profile, tool)) return { granted: true, rule: `profile ${profile}` }
  const allowed = matchIn(rules.allow, tool)
  if (allowed !== undefined) return { granted: true, rule: `allow ${allowed}` }
  return { granted: false, rule: `not in profile ${profile}` }
}

/** The rule that removes the tool; undefined: none does. */
function narrow(tool: NamedTool, where: string, all: Readonly<Record<string, ToolRules>>, name: string | undefined): string | undefined {
  const rules = name !== undefined && Object.hasOwn(all, name) ? all[name] : undefined
  if (rules === undefined) return undefined
  const denied = matchIn(rules.deny, tool)
  if (denied !== undefined) return `${where}: ${name}: deny ${denied}`
  if (rules.profile === undefined && rules.allow === undefined) return undefined
  if (rules.profile !== undefined && inProfile(rules.profile, tool)) return undefined
  if (matchIn(rules.allow, tool) !== undefined) return undefined
  const only = rules.profile === undefined ? `allow ${(rules.allow ?? []).join(", ") || "nothing"}` : `profile ${rules.profile}`
  return `${where}: ${name}: not in ${only}`
}
