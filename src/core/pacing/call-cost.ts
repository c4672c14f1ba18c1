// Says what a call of a model counts [R26]: an estimate before it leaves, and what its usage corrects.

import type { Usage } from "../money/usage.ts"
import type { Amounts } from "./gauge.ts"

const BYTES_A_TOKEN = 4
/** Replies whose mean estimates the next one. */
const LAST = 20
/** Before a model has replied. */
const FIRST_GUESS = 500

export interface AskedCall {
  /** Of the request. */
  readonly bytes: number
  readonly maxOutput: number
}

/** The mean length of a model's last replies, in tokens. */
export class ReplyLengths {
  readonly #last: number[] = []

  take(output: number): void {
    this.#last.push(output)
    if (this.#last.length > LAST) this.#last.shift()
  }

  get mean(): number {
    return this.#last.length === 0 ? FIRST_GUESS : this.#last.reduce((sum, n) => sum + n, 0) / this.#last.length
  }
}

/** A provider that counts both kinds together counts the most that the reply may have. */
export function estimated({ bytes, maxOutput }: AskedCall, replies: Pick<ReplyLengths, "mean">): Amounts {
  const input = Math.ceil(bytes / BYTES_A_TOKEN)
  return { requests: 1, input, output: Math.min(maxOutput, Math.ceil(replies.mean)), tokens: input + maxOutput }
}

/** `freeCache`: the provider does not count tokens that it reads from its cache, as Anthropic does not. */
export function counted({ input, output, cacheRead = 0 }: Usage, freeCache: boolean): Amounts {
  const read = freeCache ? Math.max(0, input - cacheRead) : input
  return { requests: 1, input: read, output, tokens: read + output }
}
