// What a policy would have refused: calls of recorded runs that the saved policy let through, judged again by a changed one with the guard's own
// rules of tools and its denylist [T30]. What asks a person, and to which hosts a session may send, is not told: it depends on the run.

import { canonical } from "../../src/core/json.ts"
import { denied } from "../../src/core/policy/denylist.ts"
import type { Policy } from "../../src/core/policy/policy.ts"
import { providerOf, verdictOf, type Holder } from "../../src/core/policy/resolve.ts"
import type { RunEvent } from "../../src/core/run/event.ts"

export interface PastCall {
  readonly run: string
  readonly tool: string
  /** Canonical JSON, as the denylist reads it. */
  readonly args: string
  readonly holder: Holder
}

export interface Refused {
  readonly tool: string
  readonly agent: string | undefined
  readonly rule: string
  readonly calls: number
  readonly runs: number
  /** The first run of the list in which it happened. */
  readonly run: string
}

/** Calls that were carried out or begun. */
export function callsIn(run: string, events: readonly RunEvent[]): PastCall[] {
  const holders = new Map<string, Holder>()
  const calls: PastCall[] = []
  for (const e of events) {
    if (e.type === "step.opened") {
      const provider = providerOf(e.model)
      holders.set(e.step, { ...(e.agent === undefined ? {} : { agent: e.agent }), ...(provider === undefined ? {} : { provider }) })
    }
    if (e.type === "tool.called") calls.push({ run, tool: e.tool, args: canonical(e.args), holder: holders.get(e.step) ?? {} })
  }
  return calls
}

/** Those with the most calls first. */
export function newlyRefused(calls: readonly PastCall[], before: Policy, after: Policy): Refused[] {
  const found = new Map<string, { readonly refused: Refused; readonly of: Set<string> }>()
  for (const call of calls) {
    const rule = ruleAgainst(call, after)
    if (rule === undefined || ruleAgainst(call, before) !== undefined) continue
    const { agent } = call.holder
    const key = JSON.stringify([call.tool, agent, rule])
    const known = found.get(key)
    const of = (known?.of ?? new Set<string>()).add(call.run)
    const [count, run] = [(known?.refused.calls ?? 0) + 1, known?.refused.run ?? call.run]
    found.set(key, { refused: { tool: call.tool, agent, rule, calls: count, runs: of.size, run }, of })
  }
  return [...found.values()].map(({ refused }) => refused).sort((a, b) => b.calls - a.calls)
}

/** undefined: it may run. */
function ruleAgainst({ tool, args, holder }: PastCall, policy: Policy): string | undefined {
  const verdict = verdictOf({ name: tool }, policy, holder)
  if (!verdict.granted) return verdict.rule
  try {
    return denied(policy.denylist, { name: tool }, args)
  } catch {
    // The guard refuses what it cannot judge [G10].
    return "a pattern of the denylist is too costly for its arguments"
  }
}
