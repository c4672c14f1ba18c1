// Finds calls that a changed policy would refuse: calls of recorded runs that the saved policy allowed, judged again by the guard's own
// tool rules and denylist [T30].

import { defined } from "../../src/core/defined.ts"
import type { JsonObject } from "../../src/core/json.ts"
import { denied } from "../../src/core/tool/policy/denylist.ts"
import type { Policy } from "../../src/core/tool/policy/policy.ts"
import { providerOf, verdictOf, type Holder } from "../../src/core/tool/policy/resolve.ts"
import type { RunEvent } from "../../src/core/run/event.ts"
import type { ToolSpec } from "../../src/core/tool/tool-spec.ts"

export interface PastCall {
  readonly run: string
  readonly tool: string
  readonly args: JsonObject
  readonly holder: Holder
}

/** Looks up a tool's spec by its name. */
export type SpecOf = (tool: string) => ToolSpec

/** The spec of an unknown tool: it was deleted, or this session may not see its rules. */
export const bareSpec = (name: string): ToolSpec => ({ name, description: "", parameters: {}, effect: "none", contexts: [] })

export interface RefusedCalls {
  readonly tool: string
  readonly agent: string | undefined
  readonly rule: string
  readonly calls: number
  readonly runs: number
  /** The first run of the list in which it happened. */
  readonly run: string
}

/** The calls of a run that were begun, completed or not. */
export function callsIn(run: string, events: readonly RunEvent[]): PastCall[] {
  const holders = new Map<string, Holder>()
  const calls: PastCall[] = []
  for (const e of events) {
    if (e.type === "step.opened") {
      const provider = providerOf(e.model)
      holders.set(e.step, defined({ agent: e.agent, provider }))
    }
    if (e.type === "tool.called") calls.push({ run, tool: e.tool, args: e.args, holder: holders.get(e.step) ?? {} })
  }
  return calls
}

/** Sorted by number of calls, highest first. */
export const newlyRefused = (calls: readonly PastCall[], before: Policy, after: Policy, specOf: SpecOf = bareSpec): RefusedCalls[] =>
  grouped(calls, (call) => {
    const rule = ruleAgainst(call, after, specOf)
    return rule === undefined || ruleAgainst(call, before, specOf) !== undefined
      ? undefined
      : { tool: call.tool, agent: call.holder.agent, rule }
  })

/** Groups calls with the same finding, with their count. */
export function grouped(
  calls: readonly PastCall[],
  finding: (call: PastCall) => Pick<RefusedCalls, "tool" | "agent" | "rule"> | undefined,
): RefusedCalls[] {
  const groups = new Map<string, { readonly found: RefusedCalls; readonly of: Set<string> }>()
  for (const call of calls) {
    const about = finding(call)
    if (about === undefined) continue
    const key = JSON.stringify([about.tool, about.agent, about.rule])
    const known = groups.get(key)
    const of = (known?.of ?? new Set<string>()).add(call.run)
    groups.set(key, { found: { ...about, calls: (known?.found.calls ?? 0) + 1, runs: of.size, run: known?.found.run ?? call.run }, of })
  }
  return [...groups.values()].map(({ found }) => found).sort((a, b) => b.calls - a.calls)
}

/** The rule against a call; undefined: the call may run. */
export function ruleAgainst({ tool, args, holder }: PastCall, policy: Policy, specOf: SpecOf): string | undefined {
  const spec = specOf(tool)
  const verdict = verdictOf(spec, policy, holder)
  if (!verdict.granted) return verdict.rule
  try {
    return denied(policy.denylist, spec, args)
  } catch {
    // The guard refuses what it cannot judge [G10].
    return "a pattern of the denylist is too costly for its arguments"
  }
}
