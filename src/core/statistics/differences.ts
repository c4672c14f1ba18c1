// Says how sure a mean is [V37]: with an interval of 95 %, from resampled units.

import type { Pieces } from "../pieces.ts"
import { highest, lowest, orderedMeans, resampled, RESAMPLES } from "./resample.ts"
import { meanOf, unitsOf, type Units, type Valued } from "./units.ts"

export type Interval = readonly [number, number]

export interface Mean {
  /** Rows. */
  readonly n: number
  readonly mean: number | null
  readonly interval: Interval | null
}

export interface Difference {
  readonly n: number
  readonly difference: number | null
  readonly interval: Interval | null
  /** Rows. */
  readonly better: number
  readonly worse: number
}

/** Below so many units an interval would say nothing. */
export const LEAST_UNITS = 10
/** Outside of the interval, at either end. */
const SHARE = 0.025
/** What sums of numbers such as 0.1 are off by. */
const NOTHING = 1e-9

/** What a score may be, or a difference between two: the values of the one more unit. */
const OF_SCORE: Interval = [0, 1]
const OF_DIFFERENCE: Interval = [-1, 1]

export const scoreMean = (values: readonly Valued[], seed: string): Pieces<Mean> => mean(values, seed, OF_SCORE)

/** Of scores. `share`: outside of the interval at either end. */
export const differences = (values: readonly Valued[], seed: string, share = SHARE): Pieces<Difference> =>
  difference(values, 1, mean(values, seed, OF_DIFFERENCE, share))

/** Of money, tokens or time, where less is better and nothing bounds a row: plain percentiles. */
export const costDifferences = (values: readonly Valued[], seed: string): Pieces<Difference> => difference(values, -1, mean(values, seed))

function* difference(values: readonly Valued[], good: 1 | -1, pieces: Pieces<Mean>): Pieces<Difference> {
  const { n, mean: difference, interval } = yield* pieces
  const better = values.filter(({ value }) => value * good > NOTHING).length
  const worse = values.filter(({ value }) => value * good < -NOTHING).length
  return { n, difference, interval, better, worse }
}

function* mean(values: readonly Valued[], seed: string, ends?: Interval, share = SHARE): Pieces<Mean> {
  if (values.length === 0) return { n: 0, mean: null, interval: null }
  const units = unitsOf(values)
  const interval = units.sums.length < LEAST_UNITS ? null : yield* intervalOf(units, seed, ends, share)
  return { n: values.length, mean: meanOf(units), interval }
}

function* intervalOf(units: Units, seed: string, ends: Interval | undefined, share: number): Pieces<Interval> {
  const all = yield* resampled(units, seed, ends !== undefined)
  const [low, high] = ends ?? [0, 0]
  const lower = orderedMeans(all, units, low)
  yield RESAMPLES
  return [lowest(lower, share), highest(low === high ? lower : orderedMeans(all, units, high), share)]
}
