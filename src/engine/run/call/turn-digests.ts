// Computes the digests of a turn [J20]. A hash costs 5 to 7 µs in workerd, so each is computed once, and a call's only if needed.

import type { Plan } from "../../../core/run/plan.ts"

/** A plan is shared by the runs of a flow in an isolate. The turns of a session have one prompt, and so do sessions of one agent that differ by
 *  their task alone; a step whose request does not depend on its run asks the same in each. */
const KEPT_PROMPTS = 8
/** A fan of 100 has as many requests; with room for fewer, each of its runs would drop what the next one asks for. */
const KEPT_REQUESTS = 256
/** Characters of the texts that are kept together, and of one: a longer request is hashed each time. */
const MAX_CHARS = 512 * 1024
const MAX_KEPT_CHARS = 8_000

class Digests {
  readonly #most: number
  readonly #known = new Map<string, string>()
  #chars = 0

  constructor(most: number) {
    this.#most = most
  }

  of(text: string, hash: (text: string) => string): string {
    const before = this.#known.get(text)
    if (before !== undefined) return before
    if (this.#known.size >= this.#most || this.#chars + text.length > MAX_CHARS) {
      this.#known.clear()
      this.#chars = 0
    }
    const digest = hash(text)
    this.#known.set(text, digest)
    this.#chars += text.length
    return digest
  }
}

interface Known {
  readonly prompts: Digests
  readonly requests: Digests
}
const known = new WeakMap<Plan, Known>()

const knownOf = (plan: Plan): Known => {
  const before = known.get(plan)
  if (before) return before
  const made = { prompts: new Digests(KEPT_PROMPTS), requests: new Digests(KEPT_REQUESTS) }
  known.set(plan, made)
  return made
}

export const promptDigest = (plan: Plan, prompt: string, hash: (text: string) => string): string => knownOf(plan).prompts.of(prompt, hash)

/** `request` in canonical form. */
export const requestDigest = (plan: Plan, request: string, hash: (text: string) => string): string =>
  request.length > MAX_KEPT_CHARS ? hash(request) : knownOf(plan).requests.of(request, hash)

/** [S9] The digest to which an approval is bound, by call. It is computed only for calls that wait for a person. */
export function callDigests<Call extends { readonly id: string }>(
  calls: readonly Call[],
  digestOf: (call: Call) => string,
): Readonly<Record<string, string>> {
  const digests: Record<string, string> = {}
  for (const call of calls) Object.defineProperty(digests, call.id, { enumerable: true, configurable: true, get: () => digestOf(call) })
  return digests
}
