// Reads the scorers that a run has pinned [V27].

import { builtInScorer } from "../../../core/score/built-in.ts"
import { parseScorer } from "../../../core/score/parse-scorer.ts"
import type { Scorer } from "../../../core/flow/scorer.ts"
import type { Pins } from "../../../core/run/event-parts.ts"

/** `text`: the body of a hash, or it throws. A scorer that is no longer built in, or does not parse, is left out: its step fails and says so. */
export async function readScorers(
  pinned: NonNullable<Pins["scorers"]>,
  text: (what: string, hash: string) => Promise<string>,
): Promise<Readonly<Record<string, Scorer>>> {
  const read: [string, Scorer][] = []
  for (const [name, { hash }] of Object.entries(pinned)) {
    const scorer = hash === undefined ? builtInScorer(name) : parseScorer(await text(`the scorer "${name}"`, hash), { file: name }).scorer
    if (scorer) read.push([name, scorer])
  }
  return Object.fromEntries(read)
}
