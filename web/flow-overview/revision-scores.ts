// Says how good the runs of each revision of a flow were [V44]: means of what scorers and people said, of the runs at hand.

import { ownRevisions } from "./own-revisions.ts"

interface Scored {
  readonly revision?: number
  readonly scores?: Readonly<Record<string, number | null>>
  readonly feedback?: { readonly up: number; readonly down: number }
}

export interface MeanScore {
  readonly scorer: string
  readonly mean: number
  /** Of how many runs. */
  readonly n: number
}

/** `own`: revisions that changed the flow. By revision; undefined: all that are older. A scorer that does not apply to a run says nothing of it. */
export function revisionScores(runs: readonly Scored[], own: readonly number[]): ReadonlyMap<number | undefined, readonly MeanScore[]> {
  const pinned = runs.flatMap((run) => (run.revision === undefined ? [] : [{ ...run, revision: run.revision }]))
  return new Map(ownRevisions(pinned, own).map(({ revision, rows }) => [revision, meansOf(rows)]))
}

function meansOf(runs: readonly Scored[]): readonly MeanScore[] {
  const by = new Map<string, number[]>()
  for (const { scores = {}, feedback } of runs) {
    const people = feedback && feedback.up + feedback.down > 0 ? { feedback: feedback.up / (feedback.up + feedback.down) } : {}
    for (const [scorer, score] of Object.entries({ ...scores, ...people }))
      if (score !== null) by.set(scorer, [...(by.get(scorer) ?? []), score])
  }
  return [...by]
    .map(([scorer, all]) => ({ scorer, mean: all.reduce((sum, one) => sum + one, 0) / all.length, n: all.length }))
    .toSorted((a, b) => a.scorer.localeCompare(b.scorer))
}
