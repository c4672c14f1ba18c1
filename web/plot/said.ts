// Says in words what a plot shows of a slice.

import { sliceTitle } from "./axis.ts"
import type { Plot } from "./plot.ts"

/** What is said of a slice: its name, and each series that has something. */
export function saidOf({ slices, each, series, words }: Plot, at: number, only?: number): string {
  const slice = slices[at]
  if (!slice) return "no data"
  const told = series.flatMap(({ label, values }, i) => {
    const value = values[at] ?? null
    if (only !== undefined ? i !== only : value === 0 && series.length > 1) return []
    return [value === null ? `no ${label.toLowerCase()}` : `${label.toLowerCase()} ${words(value)}`]
  })
  const isNothing = series.every(({ values }) => (values[at] ?? null) === null)
  const what = isNothing ? "no runs" : told.length === 0 ? "nothing" : told.join(", ")
  return `${sliceTitle(slice, each)}: ${what}${slice.isPartial ? ", not over yet" : ""}`
}
