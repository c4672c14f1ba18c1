// Shrinks a failing seed to the fewest faults of the platform with which it still fails: delta debugging over the faults that happened.

import type { Code } from "./platform/machines.ts"
import type { Happened } from "./platform/faults.ts"
import { play, type Played } from "./play.ts"

/** Limit: plays of one seed until it is short enough. */
const MOST_PLAYS = 80

export async function shrunk(code: Code, played: Played): Promise<Played> {
  const wanted = new Set(played.findings.map(kindOf))
  let plays = 0
  let best = played
  const fails = async (only: readonly Happened[]): Promise<Played | undefined> => {
    if (plays++ >= MOST_PLAYS) return undefined
    const again = await play({ code, seed: played.seed, only })
    return again.findings.some((it) => wanted.has(kindOf(it))) ? again : undefined
  }
  const none = await fails([])
  if (none) return none
  for (let parts = 2; best.happened.length > 1 && plays < MOST_PLAYS;) {
    const all = best.happened
    const size = Math.ceil(all.length / parts)
    let next: Played | undefined
    for (let from = 0; from < all.length && next === undefined; from += size)
      next = await fails([...all.slice(0, from), ...all.slice(from + size)])
    if (next) {
      best = next
      parts = Math.max(2, parts - 1)
    } else if (size <= 1) break
    else parts = Math.min(all.length, parts * 2)
  }
  return best
}

/** What a finding says, without ids and names. */
export const kindOf = (finding: string): string => finding.replaceAll(/run_[a-z0-9]+|case-[\w-]+|[0-9]+/g, "_").slice(0, 80)
