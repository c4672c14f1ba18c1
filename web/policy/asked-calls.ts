// Finds calls that a changed policy would ask a person about: calls of recorded runs that the saved policy allowed, judged again by the
// guard's own rules [T30, Q4, Q5]; and hosts that the policy no longer lists, which a tainted session must ask to reach [G11]. An agent's
// and a flow's own rules also apply, but are not in a journal.

import { askFor } from "../../src/core/tool/policy/approval.ts"
import type { AskReason, Policy } from "../../src/core/tool/policy/policy.ts"
import { matchesGlob } from "../../src/core/tool/policy/tool-names.ts"
import { goingOut } from "../../src/core/tool/reach.ts"
import { grouped, ruleAgainst, type RefusedCalls, type PastCall, type SpecOf } from "./refused-calls.ts"

const WHY: Readonly<Record<Exclude<AskReason, "tainted">, string>> = {
  policy: "an approval rule asks",
  hook: "hooks.confirm names it",
  autonomy: "autonomy is conservative, and the call changes something",
}

/** Sorted by number of calls, highest first. */
export const newlyAsked = (calls: readonly PastCall[], before: Policy, after: Policy, specOf: SpecOf): RefusedCalls[] =>
  grouped(calls, (call) => {
    if (ruleAgainst(call, after, specOf) !== undefined) return undefined
    const why = reasonOf(call, after, specOf)
    return why === undefined || reasonOf(call, before, specOf) !== undefined
      ? undefined
      : { tool: call.tool, agent: call.holder.agent, rule: why }
  })

/** Calls by host; `tool` holds the host's name. */
export const newlyUnlisted = (calls: readonly PastCall[], before: Policy, after: Policy, specOf: SpecOf): RefusedCalls[] =>
  grouped(calls, (call) => {
    const host = goingOut(specOf(call.tool), call.args)?.host
    if (host === undefined || ruleAgainst(call, after, specOf) !== undefined) return undefined
    return isListed(host, before) && !isListed(host, after) ? { tool: host, agent: undefined, rule: "network.allow" } : undefined
  })

const isListed = (host: string, { network }: Policy): boolean => network.allow.some((glob) => matchesGlob(glob, host))

export interface Verdicts {
  readonly asked: number
  readonly refused: number
}

/** How many of these calls a policy refuses, and about how many it asks. */
export function verdictsOf(calls: readonly PastCall[], policy: Policy, specOf: SpecOf): Verdicts {
  let [asked, refused] = [0, 0]
  for (const call of calls)
    if (ruleAgainst(call, policy, specOf) !== undefined) refused += 1
    else if (reasonOf(call, policy, specOf) !== undefined) asked += 1
  return { asked, refused }
}

function reasonOf(call: PastCall, policy: Policy, specOf: SpecOf): string | undefined {
  const asked = askFor({ policy, tool: specOf(call.tool), args: call.args })
  return asked === undefined || !("ask" in asked) || asked.ask === "tainted" ? undefined : WHY[asked.ask]
}
