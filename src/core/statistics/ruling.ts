// Decides by the differences of one scorer whether a write keeps what it must [V41].

import { leastRows } from "./least-rows.ts"
import type { Pieces } from "../pieces.ts"
import { lowest, highest, orderedMeans, resampled } from "./resample.ts"
import { meanOf, unitsOf, type Valued } from "./units.ts"

export interface Ruling {
  readonly decision: "passed" | "worse" | "undecided"
  readonly difference: number
  /** The percentile that must be above -margin: of the resamples with one more unit that lost everything. */
  readonly lower: number
  /** Rows with which a write that loses nothing would pass nine times in ten. */
  readonly needs: number
}

const SHARE = 0.05

/** `tries`: experiments that asked the same, this one included. With many tries one would pass by chance [V42]. */
export function* rulingOf(values: readonly Valued[], margin: number, tries: number, seed: string): Pieces<Ruling> {
  const needs = needed(values, margin)
  if (values.length === 0) return { decision: "undecided", difference: 0, lower: -1, needs }
  const units = unitsOf(values)
  const guarded = yield* resampled(units, seed, true)
  const lower = lowest(orderedMeans(guarded, units, -1), SHARE / tries)
  const difference = meanOf(units)
  if (lower > -margin) return { decision: "passed", difference, lower, needs }
  const plain = yield* resampled(units, seed, false)
  const upper = highest(orderedMeans(plain, units, 0), SHARE)
  return { decision: upper < 0 ? "worse" : "undecided", difference, lower, needs }
}

/** (1.645 + 1.282)²: what separates one in twenty from nine in ten, in deviations. */
const POWER = 8.57

/** By the deviation of what was seen, and never fewer than could show that rare losses are rare. */
export function needed(values: readonly Valued[], margin: number): number {
  const least = Math.ceil(leastRows(margin))
  if (values.length < 2) return least
  const mean = values.reduce((sum, { value }) => sum + value, 0) / values.length
  const variance = values.reduce((sum, { value }) => sum + (value - mean) ** 2, 0) / (values.length - 1)
  return Math.max(Math.ceil((POWER * variance) / margin ** 2 - 1e-9), least)
}
