// The digests of a turn [J20]. A hash costs 5 to 7 µs in workerd, so each is made once, and that of a call only if something asks for it.

import type { Plan } from "../../../core/run/plan.ts"

/** A plan is shared by the runs of a flow in an isolate. The turns of a session have one prompt, and so do sessions of one agent that differ by
 *  their task alone; a step whose request does not depend on its run asks the same in each. */
const KEPT_PROMPTS = 8
const KEPT_REQUESTS = 32
/** A longer request is hashed each time. */
const MAX_KEPT_CHARS = 8_000

interface Known {
  readonly prompts: Map<string, string>
  readonly requests: Map<string, string>
}
const known = new WeakMap<Plan, Known>()

const knownOf = (plan: Plan): Known => {
  const before = known.get(plan)
  if (before) return before
  const made = { prompts: new Map<string, string>(), requests: new Map<string, string>() }
  known.set(plan, made)
  return made
}

export const promptDigest = (plan: Plan, prompt: string, hash: (text: string) => string): string =>
  kept(knownOf(plan).prompts, KEPT_PROMPTS, prompt, hash)

/** `request` in canonical form. */
export const requestDigest = (plan: Plan, request: string, hash: (text: string) => string): string =>
  request.length > MAX_KEPT_CHARS ? hash(request) : kept(knownOf(plan).requests, KEPT_REQUESTS, request, hash)

function kept(digests: Map<string, string>, most: number, text: string, hash: (text: string) => string): string {
  const before = digests.get(text)
  if (before !== undefined) return before
  if (digests.size >= most) digests.clear()
  const digest = hash(text)
  digests.set(text, digest)
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
