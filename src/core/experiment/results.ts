// Sums an experiment up [V37]: each variant by itself, and each but the first compared with it, row by row, with intervals and with flags for
// what makes the figures say less than they seem to.

import type { Pieces } from "../pieces.ts"
import { costDifferences, differences, scoreMean, type Difference, type Mean } from "../statistics/differences.ts"
import { unitsOf, type Valued } from "../statistics/units.ts"
import { figureDifference, meanOf, scoreDifference, trialsOf, type Figure, type RowDone, type RowValue } from "./counted-row.ts"

export interface Experimented {
  /** The first is what the others are compared with. */
  readonly variants: readonly string[]
  readonly scorers: readonly string[]
  readonly repeats: number
  /** In any order. */
  readonly rows: readonly RowDone[]
  /** SHA-256 of the experiment's id, in hexadecimal. */
  readonly seed: string
  /** One of its judges is flagged [V22]. */
  readonly isJudgeFlagged?: boolean
  /** Its rows were chosen by how their runs ended, and those runs are a variant. */
  readonly isSelected?: boolean
}

export interface VariantResult {
  readonly name: string
  readonly trials: number
  readonly failed: number
  readonly stopped: number
  readonly reads: { readonly recorded: number; readonly live: number }
  readonly scores: Readonly<Record<string, Mean>>
  /** Sums; `usd` is null if a model without a price was asked. */
  readonly usd: number | null
  readonly tokens: number
  readonly ms: number
}

export interface Compared {
  readonly variant: string
  readonly with: string
  readonly scores: Readonly<Record<string, Difference>>
  readonly usd: Difference
  readonly tokens: Difference
  readonly ms: Difference
}

export type ResultFlag = "few_rows" | "incomplete" | "uneven" | "judge_flagged" | "selected"

export interface Results {
  readonly same: number
  readonly left_out: readonly { readonly row: string; readonly why: string }[]
  readonly variants: readonly VariantResult[]
  readonly compared: readonly Compared[]
  readonly flags: readonly ResultFlag[]
  readonly seed: string
}

const FEW_UNITS = 30
const MOST_LEFT_OUT = 0.1
const MOST_UNEVEN = 0.02
const FIGURES = ["usd", "tokens", "ms"] as const satisfies readonly Figure[]

export function* resultsOf(done: Experimented): Pieces<Results> {
  const [first = "", ...others] = done.variants
  const variants: VariantResult[] = []
  for (const name of done.variants) variants.push(yield* variantOf(done, name))
  const compared: Compared[] = []
  const leftOut = new Map<string, string>()
  for (const other of others) compared.push(yield* comparedOf(done, [first, other], leftOut))
  return {
    same: done.rows.filter(({ same }) => same).length,
    left_out: [...leftOut].map(([row, why]) => ({ row, why })).sort((a, b) => (a.row < b.row ? -1 : 1)),
    variants,
    compared,
    flags: flagsOf(done, leftOut.size),
    seed: done.seed,
  }
}

function* variantOf({ rows, scorers, seed }: Experimented, name: string): Pieces<VariantResult> {
  const trials = rows.flatMap((row) => trialsOf(row, name))
  const scores: Record<string, Mean> = {}
  for (const scorer of scorers) {
    const values = rows.flatMap((row): Valued[] => {
      const found = trialsOf(row, name).flatMap(({ state, scores: all }) => {
        const score = state === "stopped" ? null : all[scorer]
        return typeof score === "number" ? [score] : []
      })
      return found.length === 0 ? [] : [{ id: row.row, thread: row.thread, value: meanOf(found) }]
    })
    scores[scorer] = yield* scoreMean(values, seed)
  }
  const count = (state: string): number => trials.filter((trial) => trial.state === state).length
  const sum = (of: (trial: (typeof trials)[number]) => number): number => trials.reduce((all, trial) => all + of(trial), 0)
  return {
    name,
    trials: trials.length,
    failed: count("failed"),
    stopped: count("stopped"),
    reads: { recorded: sum(({ reads }) => reads?.recorded ?? 0), live: sum(({ reads }) => reads?.live ?? 0) },
    scores,
    usd: trials.some(({ usd }) => usd === null) ? null : sum(({ usd }) => usd ?? 0),
    tokens: sum(({ tokens }) => tokens),
    ms: sum(({ ms }) => ms),
  }
}

function* comparedOf(done: Experimented, pair: readonly [string, string], leftOut: Map<string, string>): Pieces<Compared> {
  const { rows, scorers, repeats, seed } = done
  const valued = (value: (row: RowDone) => RowValue): Valued[] =>
    rows.flatMap((row) => {
      const found = value(row)
      if ("left_out" in found) leftOut.set(row.row, leftOut.get(row.row) ?? found.left_out)
      return "value" in found ? [{ id: row.row, thread: row.thread, value: found.value }] : []
    })
  const scores: Record<string, Difference> = {}
  for (const scorer of scorers)
    scores[scorer] = yield* differences(
      valued((row) => scoreDifference(row, pair, scorer, repeats)),
      seed,
    )
  const [usd, tokens, ms] = yield* each(FIGURES, (figure) =>
    costDifferences(
      valued((row) => figureDifference(row, pair, figure, repeats)),
      seed,
    ),
  )
  if (!usd || !tokens || !ms) throw new Error("a figure has no difference")
  return { variant: pair[1], with: pair[0], scores, usd, tokens, ms }
}

function* each<T, R>(items: readonly T[], work: (item: T) => Pieces<R>): Pieces<R[]> {
  const all: R[] = []
  for (const item of items) all.push(yield* work(item))
  return all
}

function flagsOf({ rows, variants, isJudgeFlagged, isSelected }: Experimented, leftOut: number): ResultFlag[] {
  const units = unitsOf(rows.map(({ row, thread }) => ({ id: row, thread, value: 0 }))).sums.length
  const stopped = variants.map((name) => rows.filter((row) => trialsOf(row, name).some(({ state }) => state === "stopped")).length)
  const flags: Readonly<Record<ResultFlag, boolean>> = {
    few_rows: units < FEW_UNITS,
    incomplete: leftOut > rows.length * MOST_LEFT_OUT,
    uneven: Math.max(0, ...stopped) - Math.min(...stopped) > rows.length * MOST_UNEVEN,
    judge_flagged: isJudgeFlagged === true,
    selected: isSelected === true,
  }
  return (Object.keys(flags) as ResultFlag[]).filter((flag) => flags[flag])
}
