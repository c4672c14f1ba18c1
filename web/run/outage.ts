// Sums up the failed tries of one turn in one sentence [F33]: a provider that is down for two minutes takes one line, not eight.

import { duration } from "../chat/wording.ts"
import type { StoryTurn } from "../../src/core/run/views/outline.ts"

/** undefined: no try failed. Tries may fail in different ways; the newest message is shown. */
export function outageOf({ faults }: Pick<StoryTurn, "faults">): string | undefined {
  const [first, last] = [faults[0], faults.at(-1)]
  if (!first || !last) return undefined
  if (first === last) return last.message
  const message = /[.!?…]$/.test(last.message) ? last.message : `${last.message}.`
  return `${message} ${faults.length} tries failed in ${duration(last.at - first.at)}.`
}
