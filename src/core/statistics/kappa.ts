// Measures how far a judge and people agree beyond chance [V22]: Cohen's kappa (1960), from three levels on weighted by the squared distance
// of the levels (Cohen 1968). With two levels both are the same.

import type { Pieces } from "../pieces.ts"
import { LEAST_UNITS, type Interval } from "./differences.ts"
import { Draws } from "./draws.ts"
import { highest, lowest, RESAMPLES } from "./resample.ts"

/** What the judge and a person said about one run: indexes of levels. */
export interface Pair {
  readonly id: string
  readonly judge: number
  readonly grade: number
}

export interface Agreement {
  readonly pairs: number
  /** The share of the pairs in which both said the same. */
  readonly agreement: number | null
  readonly kappa: number | null
  readonly interval: Interval | null
  /** Pairs by the judge's level, then by the grade's. */
  readonly table: readonly (readonly number[])[]
}

const SHARE = 0.025
/** Of resamples without a kappa; with more there is no interval. */
const MOST_WITHOUT = 0.05
const PIECE = 200_000

/** `levels`: their numbers. `seed`: hex digits. */
export function* kappaOf(pairs: readonly Pair[], levels: readonly number[], seed: string): Pieces<Agreement> {
  const table = tableOf(pairs, levels.length)
  const same = pairs.filter(({ judge, grade }) => judge === grade).length
  return {
    pairs: pairs.length,
    agreement: pairs.length === 0 ? null : same / pairs.length,
    kappa: kappaOfTable(table, levels),
    interval: pairs.length < LEAST_UNITS ? null : yield* intervalOf(pairs, levels, seed),
    table,
  }
}

function* intervalOf(pairs: readonly Pair[], levels: readonly number[], seed: string): Pieces<Interval | null> {
  const source = new Draws(seed)
  const ordered = pairs.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  const drawn = new Int32Array(ordered.length)
  const kappas: number[] = []
  let since = 0
  for (let i = 0; i < RESAMPLES; i++) {
    const table = tableOf([], levels.length)
    source.fill(drawn, drawn.length)
    for (const at of drawn) count(table, ordered[at])
    const kappa = kappaOfTable(table, levels)
    if (kappa !== null) kappas.push(kappa)
    since += ordered.length + levels.length ** 2
    if (since >= PIECE) {
      yield since
      since = 0
    }
  }
  if (kappas.length < RESAMPLES * (1 - MOST_WITHOUT)) return null
  const all = Float64Array.from(kappas).sort()
  return [lowest(all, SHARE), highest(all, SHARE)]
}

function tableOf(pairs: readonly Pair[], levels: number): number[][] {
  const table = Array.from({ length: levels }, () => Array.from({ length: levels }, () => 0))
  for (const pair of pairs) count(table, pair)
  return table
}

function count(table: number[][], pair: Pair | undefined): void {
  const row = pair && table[pair.judge]
  if (row) row[pair.grade] = (row[pair.grade] ?? 0) + 1
}

/** null: chance alone agrees, as both always say the same one level. */
function kappaOfTable(table: readonly (readonly number[])[], levels: readonly number[]): number | null {
  const ofJudge = table.map((row) => row.reduce((sum, one) => sum + one, 0))
  const ofGrades = levels.map((_, j) => table.reduce((sum, row) => sum + (row[j] ?? 0), 0))
  const pairs = ofJudge.reduce((sum, one) => sum + one, 0)
  let [observed, expected] = [0, 0]
  for (const [i, row] of table.entries())
    for (const [j, seen] of row.entries()) {
      const distance = ((levels[i] ?? 0) - (levels[j] ?? 0)) ** 2
      observed += distance * seen
      expected += (distance * (ofJudge[i] ?? 0) * (ofGrades[j] ?? 0)) / pairs
    }
  return expected > 0 ? 1 - observed / expected : null
}
