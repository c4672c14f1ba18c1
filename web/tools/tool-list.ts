// The tools of a tenant as a page shows them: by where they come from, with what the policy says of each and what has become of their calls.

import type { Policy } from "../../src/core/tool/policy/policy.ts"
import type { ToolSpec } from "../../src/core/tool/tool-spec.ts"
import { verdictOf } from "../../src/core/tool/policy/resolve.ts"
import { toolTokens } from "../../src/core/tool/tool-tokens.ts"
import type { Json } from "../../src/core/json.ts"

export interface GivenTool {
  readonly name: string
  readonly description?: string
  readonly parameters?: Json
  readonly effect?: "none" | "read" | "write"
  readonly judged?: { readonly same?: string; readonly groups?: readonly string[] }
  readonly available: boolean
  readonly reason?: string
  readonly source?: { readonly kind: "http" | "mcp"; readonly name: string }
}

export interface ToolCalls {
  readonly tool: string
  readonly calls: number
  readonly errors: number
  readonly refused: Readonly<Record<string, number>>
}

export interface ToolRow {
  readonly name: string
  readonly description: string
  readonly effect: "none" | "read" | "write"
  readonly tokens: number
  readonly calls: number
  readonly refused: number
  readonly state: ToolState
  readonly given: GivenTool
}

/** Why a tool is off, where it is. `own`: the policy names it, so that it can be switched on again. */
export type ToolState =
  | { readonly is: "on" }
  | { readonly is: "off"; readonly why: "own" }
  | { readonly is: "off"; readonly why: "rule"; readonly rule: string }
  | { readonly is: "missing"; readonly reason: string }

export interface ToolGroup {
  /** `built-in`, `http:HOST`, `mcp:SERVER` */
  readonly key: string
  readonly title: string
  readonly kind: "built-in" | "http" | "mcp"
  readonly tools: readonly ToolRow[]
}

export function toolState({ name, judged, available, reason }: GivenTool, policy: Policy): ToolState {
  if (policy.tools.deny?.includes(name) === true) return { is: "off", why: "own" }
  const verdict = verdictOf({ name, ...(judged as Partial<Pick<ToolSpec, "groups" | "same">> | undefined) }, policy)
  if (!verdict.granted) return { is: "off", why: "rule", rule: verdict.rule }
  // A tool of agents alone can be called by them.
  return !available && reason !== undefined && !/only in an agent|the key lacks/.test(reason) ? { is: "missing", reason } : { is: "on" }
}

export function toolGroups(tools: readonly GivenTool[], policy: Policy, calls: readonly ToolCalls[]): readonly ToolGroup[] {
  const byName = new Map(calls.map((row) => [row.tool, row]))
  const groups = new Map<string, { title: string; kind: ToolGroup["kind"]; tools: ToolRow[] }>()
  for (const given of tools) {
    const { name, source, description = "", parameters, effect = "none" } = given
    const kind = source?.kind ?? "built-in"
    const key = source === undefined ? "built-in" : `${kind}:${source.name}`
    const group = groups.get(key) ?? { title: source?.name ?? "Built in", kind, tools: [] }
    groups.set(key, group)
    const used = byName.get(name)
    group.tools.push({
      name,
      description,
      effect,
      tokens: parameters === undefined ? 0 : toolTokens(name, description, parameters),
      calls: used?.calls ?? 0,
      refused: Object.values(used?.refused ?? {}).reduce((sum, count) => sum + count, 0),
      state: toolState(given, policy),
      given,
    })
  }
  const order = { mcp: 0, http: 0, "built-in": 1 } as const
  return [...groups]
    .map(([key, group]) => ({ key, ...group }))
    .sort((a, b) => order[a.kind] - order[b.kind] || (a.title < b.title ? -1 : 1))
}

export type ToolFilter = "all" | "writes" | "refused" | "unused" | "off"

export function isShown(tool: ToolRow, filter: ToolFilter, words: string, group: string): boolean {
  const fits =
    filter === "all" ||
    (filter === "writes" && tool.effect === "write") ||
    (filter === "refused" && tool.refused > 0) ||
    (filter === "unused" && tool.calls === 0) ||
    (filter === "off" && tool.state.is !== "on")
  return fits && `${tool.name} ${tool.description} ${group}`.toLowerCase().includes(words.trim().toLowerCase())
}

/** The policy with the tool denied, or not. Only the name itself: what a rule denies is the rule's. */
export function switched(policy: Readonly<Record<string, unknown>>, name: string, isOn: boolean): Readonly<Record<string, unknown>> {
  const tools = (policy["tools"] ?? {}) as { readonly deny?: readonly string[] }
  const others = (tools.deny ?? []).filter((one) => one !== name)
  return { ...policy, tools: { ...tools, deny: isOn ? others : [...others, name] } }
}
