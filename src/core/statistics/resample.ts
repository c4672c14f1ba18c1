// Resamples units with replacement [V37]: the bootstrap of Efron (1979), clustered where a thread has several rows. One more unit, whose
// value the caller chooses afterwards, guards against data in which nothing rare happened to be seen: without it, twenty rows that all agree
// would prove that no row ever differs.

import type { Pieces } from "../pieces.ts"
import { Draws } from "./draws.ts"
import type { Units } from "./units.ts"

export const RESAMPLES = 4000
/** Draws of one piece: under 2 ms. */
const PIECE = 200_000

/** Per resample: the sum and size of the units that were drawn, and how often the one more was. */
export interface Resampled {
  readonly sums: Float64Array
  readonly sizes: Float64Array
  readonly more: Float64Array
}

/** `withOneMore`: draws from one unit more than there are, and as many. */
export function* resampled({ sums, sizes }: Units, seed: string, withOneMore: boolean): Pieces<Resampled> {
  const source = new Draws(seed)
  const units = sums.length
  const draws = units + (withOneMore ? 1 : 0)
  const sumOf = Float64Array.from(sums)
  const sizeOf = Float64Array.from(sizes)
  const drawn = new Int32Array(draws)
  const all = { sums: new Float64Array(RESAMPLES), sizes: new Float64Array(RESAMPLES), more: new Float64Array(RESAMPLES) }
  let since = 0
  for (let i = 0; i < RESAMPLES; i++) {
    source.fill(drawn, draws)
    let [sum, size, more] = [0, 0, 0]
    for (const at of drawn)
      if (at === units) more += 1
      else {
        sum += sumOf[at] ?? 0
        size += sizeOf[at] ?? 0
      }
    all.sums[i] = sum
    all.sizes[i] = size
    all.more[i] = more
    since += draws
    if (since >= PIECE) {
      yield since
      since = 0
    }
  }
  return all
}

/** The means of the resamples in order. `value`: of the one more unit, whose size is that of the average unit. */
export function orderedMeans({ sums, sizes, more }: Resampled, { rows, sums: { length } }: Units, value: number): Float64Array {
  const size = rows / length
  const means = sums.map((sum, i) => {
    const count = (more[i] ?? 0) * size
    return (sum + count * value) / ((sizes[i] ?? 0) + count)
  })
  return means.sort()
}

/** The value below which `share` of the values lie. The same number of values is outside of it at either end. */
export const lowest = (ordered: Float64Array, share: number): number => ordered[outside(ordered, share) - 1] ?? NaN
export const highest = (ordered: Float64Array, share: number): number => ordered[ordered.length - outside(ordered, share)] ?? NaN

const outside = ({ length }: Float64Array, share: number): number => Math.max(1, Math.floor(length * share + 1e-9))
