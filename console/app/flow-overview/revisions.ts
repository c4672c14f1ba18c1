// The revisions of a flow with their runs, and their marks on its plots.

import { together, type Together } from "../../../web/overview/changes.ts"
import { revisionScores, type MeanScore } from "../../../web/flow-overview/revision-scores.ts"
import { ownRevisions } from "../../../web/flow-overview/own-revisions.ts"
import type { PlotMark } from "../../../web/plot/plot.ts"
import { addressOf } from "../shell/place.ts"
import { changeWords } from "../overview/what-changed.tsx"
import type { FlowSeen } from "./use-flow-overview.ts"

/** A revision of the flow with its runs; undefined: all that are older. */
export interface RevisionSeen extends Together {
  readonly revision: number | undefined
  readonly at: string | undefined
  readonly what: string
  readonly href: string
  readonly scores: readonly MeanScore[]
}

export function revisionsOf(flow: string, { measures, revisions, runs }: FlowSeen): readonly RevisionSeen[] {
  const known = new Map(revisions.map((one) => [one.revision, one]))
  const scores = revisionScores(runs, [...known.keys()])
  return ownRevisions(measures.total.revisions, [...known.keys()]).map(({ revision, rows }) => {
    const row = revision === undefined ? undefined : known.get(revision)
    const number = revision ?? 1
    return {
      ...together(rows),
      revision,
      at: row?.at,
      what: row === undefined ? "older revisions" : changeWords(row),
      scores: scores.get(revision) ?? [],
      href: `${addressOf("flows", flow)}?tab=revisions&from=${number - 1}&to=${number}`,
    }
  })
}

/** Flags that have room below each other. */
const MOST_MARKS = 4

export const marksOf = (revisions: readonly RevisionSeen[]): readonly PlotMark[] =>
  revisions
    .slice(0, MOST_MARKS)
    .flatMap(({ revision, at, what, href }, i) =>
      revision === undefined || at === undefined ? [] : [{ at: Date.parse(at), label: `r${revision}`, href, about: what, isLive: i === 0 }],
    )
