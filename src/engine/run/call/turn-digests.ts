// The digests of a turn [J20]. A hash costs 5 to 7 µs in workerd, so each is made once, and that of a call only if something asks for it.

import type { Plan } from "../../../core/run/plan.ts"

/** Prompts whose digests are kept. The turns of a session have one prompt, and so do sessions of one agent that differ by their task alone. */
const KEPT_PROMPTS = 8

const known = new WeakMap<Plan, Map<string, string>>()

/** `plan`: of the run, whose object alone has it. */
export function promptDigest(plan: Plan, prompt: string, hash: (text: string) => string): string {
  let digests = known.get(plan)
  if (!digests) known.set(plan, (digests = new Map()))
  const before = digests.get(prompt)
  if (before !== undefined) return before
  if (digests.size >= KEPT_PROMPTS) digests.clear()
  const digest = hash(prompt)
  digests.set(prompt, digest)
  return digest
}

/** [S9] By call: what an approval of it is bound to. Only a call that waits for a person is asked for its digest. */
export function callDigests<Call extends { readonly id: string }>(
  calls: readonly Call[],
  digestOf: (call: Call) => string,
): Readonly<Record<string, string>> {
  const digests: Record<string, string> = {}
  for (const call of calls) Object.defineProperty(digests, call.id, { enumerable: true, configurable: true, get: () => digestOf(call) })
  return digests
}
