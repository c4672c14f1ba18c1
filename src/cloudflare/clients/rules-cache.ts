// A tenant's rules, kept in the isolate for a moment: they are looked up at each model reply that calls tools [G1], and a call to the
// tenant's object is the largest cost of a turn (bench/README.md). A change counts after 5 s at the latest, and at once for a run that
// has seen it: rules older than those of the run are asked for again.

import type { Rules } from "../../core/policy/policy.ts"
import { PROVIDER_TTL_MS } from "./provider-cache.ts"

const MOST = 500

const kept = new Map<string, { readonly at: number; readonly rules: Rules }>()
let forgotten = 0

export function forgetRules(tenant: string): void {
  forgotten++
  kept.delete(tenant)
}

/** `seen`: the version that the run judged by last. Rejects when the tenant's object does not answer. */
export async function currentRules(tenant: string, seen: number, ask: () => Promise<Rules>, now: () => number): Promise<Rules> {
  const held = kept.get(tenant)
  // An answer is as old as its question: nobody knows when in between it was read.
  const at = now()
  if (held && at - held.at < PROVIDER_TTL_MS && held.rules.version >= seen) return held.rules
  const before = forgotten
  const rules = await ask()
  if (kept.size >= MOST) kept.clear()
  // What was changed while it was asked about must not come back.
  if (before === forgotten) kept.set(tenant, { at, rules })
  return rules
}
