// Decides by an experiment whether a write keeps the scores of a flow [V41]: each scorer of the rule must pass, and whatever nobody can rely on is
// undecided.

import type { Pieces } from "../pieces.ts"
import { rulingOf, type Ruling } from "../statistics/ruling.ts"
import type { Valued } from "../statistics/units.ts"
import { scoreDifference, type RowDone } from "./counted-row.ts"
import type { ResultFlag } from "./results.ts"

export interface ScorerRuling extends Ruling {
  readonly margin: number
  /** Rows that count. */
  readonly n: number
}

export interface ScoreVerdict {
  readonly decision: Ruling["decision"]
  /** What keeps it from being decided by the figures. */
  readonly why?: string
  readonly dataset: string
  readonly experiment?: string
  readonly rows?: number
  readonly same?: number
  /** Experiments of the last 7 days that began from the flow as it is, on this dataset. */
  readonly tries?: number
  /** Rows with which a write that loses nothing would pass nine times in ten. */
  readonly needs?: number
  readonly scorers?: Readonly<Record<string, ScorerRuling>>
}

export interface JudgedWrite {
  readonly dataset: string
  readonly experiment: string
  readonly rows: readonly RowDone[]
  /** The flow as it is, and as it would be. */
  readonly pair: readonly [string, string]
  /** By name: what the write may lose. */
  readonly margins: Readonly<Record<string, number>>
  readonly repeats: number
  readonly flags: readonly ResultFlag[]
  readonly tries: number
  readonly seed: string
}

export function* verdictOf(judged: JudgedWrite): Pieces<ScoreVerdict> {
  const { dataset, experiment, rows, pair, margins, repeats, flags, tries, seed } = judged
  const same = rows.filter((row) => row.same).length
  const about = { dataset, experiment, rows: rows.length, same, tries }
  if (same === rows.length) return { decision: "passed", ...about }
  const scorers: Record<string, ScorerRuling> = {}
  for (const [name, margin] of Object.entries(margins)) {
    const values = rows.flatMap((row): Valued[] => {
      const found = scoreDifference(row, pair, name, repeats)
      return "value" in found ? [{ id: row.row, thread: row.thread, value: found.value }] : []
    })
    scorers[name] = { ...(yield* rulingOf(values, margin, tries, seed)), margin, n: values.length }
  }
  const all = Object.values(scorers)
  const open = all.filter(({ decision }) => decision !== "passed")
  const figures = { ...about, ...(open.length > 0 ? { needs: Math.max(...open.map(({ needs }) => needs)) } : {}), scorers }
  const unsure = flags.find((flag) => flag === "incomplete" || flag === "uneven")
  if (unsure) return { decision: "undecided", why: WHY[unsure], ...figures }
  if (open.length === 0) return { decision: "passed", ...figures }
  return { decision: open.some(({ decision }) => decision === "worse") ? "worse" : "undecided", ...figures }
}

const WHY = {
  incomplete: "more than a tenth of the rows is left out of the experiment",
  uneven: "the two sides of the experiment differ in trials that were stopped",
} as const

/** Without an experiment. */
export const undecided = (dataset: string, why: string): ScoreVerdict => ({ decision: "undecided", dataset, why })
