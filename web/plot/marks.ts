// Places the flags of moments over a plot.

import type { PlotMark, PlotSlice } from "./plot.ts"

/** Where a moment is, as a share of the plot's width; undefined: outside. Slices may differ in length: a day with a changed clock. */
export function placeOf(slices: readonly PlotSlice[], at: number): number | undefined {
  const i = slices.findIndex(({ from, to }) => at >= from && at < to)
  const slice = slices[i]
  return slice && (i + (at - slice.from) / (slice.to - slice.from)) / slices.length
}

export interface PlacedMark extends PlotMark {
  readonly place: number
  /** The flag is left of its line. */
  readonly isLeft: boolean
  readonly row: number
}

/** Flags go left where they would leave the plot, and down a row where two meet. */
export function placedMarks(slices: readonly PlotSlice[], marks: readonly PlotMark[], width: number): PlacedMark[] {
  const ends: number[] = []
  return marks
    .toSorted((a, b) => a.at - b.at)
    .flatMap((mark) => {
      const place = placeOf(slices, mark.at)
      if (place === undefined) return []
      const [x, length] = [place * width, mark.label.length * LETTER + PADDING]
      const isLeft = x + length > width
      const from = isLeft ? x - length : x
      let row = ends.findIndex((end) => end <= from)
      if (row < 0) row = ends.length
      ends[row] = from + length
      return [{ ...mark, place, isLeft, row }]
    })
}
/** Pixels of a flag's text. */
const LETTER = 6.5
const PADDING = 12
