// Draws how long things took: bars of times that grow alike, on one axis for all rows of a table.

export type Spread = readonly (readonly [upTo: number, count: number, ...never[]])[]

export interface SpreadAxis {
  /** The end of the first bar. */
  readonly from: number
  /** The end of the last. */
  readonly to: number
  readonly bars: number
}

export interface SpreadBar {
  /** From the left, as shares of the axis. */
  readonly left: number
  readonly width: number
  /** Of the row's highest. */
  readonly height: number
}

/** Bars in which a time doubles. */
const PER_DOUBLING = 2

/** undefined: nothing took any time. */
export function spreadAxis(rows: readonly Spread[]): SpreadAxis | undefined {
  const ends = rows.flatMap((row) => row.map(([upTo]) => upTo))
  if (ends.length === 0) return undefined
  const [from, to] = [Math.min(...ends), Math.max(...ends)]
  return { from, to, bars: barOf(to, from) + 1 }
}

export function spreadBars(spread: Spread, { from, bars }: SpreadAxis): SpreadBar[] {
  const highest = Math.max(1, ...spread.map(([, count]) => count))
  return spread.map(([upTo, count]) => ({ left: barOf(upTo, from) / bars, width: 1 / bars, height: count / highest }))
}

/** Where a time stands on the axis, from 0 to 1. */
export const placeOf = (ms: number, { from, bars }: SpreadAxis): number =>
  Math.max(0, Math.min(1, (Math.log2(Math.max(1, ms) / from) * PER_DOUBLING + 1) / bars))

/** The same for who hears it: `2 up to 90 ms, 1 up to 128 ms`. */
export const spreadWords = (spread: Spread, time: (ms: number) => string): string =>
  spread.map(([upTo, count]) => `${count.toLocaleString("en-US")} up to ${time(upTo)}`).join(", ")

const barOf = (upTo: number, from: number): number => Math.round(Math.log2(upTo / from) * PER_DOUBLING)
