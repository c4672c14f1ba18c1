// Reads the scores in what was said of a run, newest first [V12].

import type { RunEvent } from "../event.ts"

type ScoredEvent = Extract<RunEvent, { type: "run.scored" }>
type Said = readonly Pick<RunEvent, "type">[]

const isScored = (e: Pick<RunEvent, "type">): e is ScoredEvent => e.type === "run.scored"

/** By scorer: the versions that have scored the run. */
export function versionsIn(said: Said): Readonly<Record<string, readonly string[]>> {
  const versions: Record<string, string[]> = {}
  for (const e of said.filter(isScored)) (versions[e.scorer] ??= []).push(e.version)
  return versions
}

/** The newest of each scorer, errors included. */
export function newestIn(said: Said): readonly ScoredEvent[] {
  const newest = new Map<string, ScoredEvent>()
  for (const e of said.filter(isScored)) if (!newest.has(e.scorer)) newest.set(e.scorer, e)
  return [...newest.values()]
}

type Counted = ScoredEvent & { readonly score: number }
const isNumber = (e: ScoredEvent): e is Counted => e.score !== null && e.error === undefined

/** [V18] The lowest of the newest scores below `low`; with `scorer`, that scorer's. */
export function lowestIn(said: Said, low: number, scorer?: string): Counted | undefined {
  const all = newestIn(said)
    .filter(isNumber)
    .filter((e) => e.score < low && (scorer === undefined || e.scorer === scorer))
  return all.toSorted((a, b) => a.score - b.score)[0]
}
