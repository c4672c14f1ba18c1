// Says what is usual [H16]: how a number was in the same hours of the weeks before. With fewer than four such weeks nothing is usual, and nothing
// unusual.

export const WEEKS = 8 // limit: weeks before that say what is usual → older ones say nothing
const FEWEST = 4 // limit: weeks before in which there were runs → with fewer, no range is said to be usual

/** The lowest and the highest value that is usual. */
export type Range = readonly [lowest: number, highest: number]

/** What a number counts: how far it strays without a reason. */
export type Kind = "count" | "share" | "amount"

/** Chance alone moves a count by its root, twice in 95 of 100 cases. */
const strayed = (n: number): number => 2 * Math.sqrt(n + 1)
/** Costs and times are as they were within a quarter. */
const AMOUNT = 0.25

/** `before`: the values of the weeks before; null: a week has none. `n`: of how many runs a share is now. */
export function usualOf(kind: Kind, before: readonly (number | null)[], n = 1): Range | null {
  const values = before.filter((value) => value !== null)
  if (values.length < FEWEST) return null
  const [lowest, highest] = [Math.min(...values), Math.max(...values)]
  if (kind === "count") return [Math.max(0, Math.floor(lowest - strayed(lowest))), Math.ceil(highest + strayed(highest))]
  if (kind === "amount") return [lowest * (1 - AMOUNT), highest * (1 + AMOUNT)]
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const slack = 2 * Math.sqrt((mean * (1 - mean)) / Math.max(1, n)) + 1 / Math.max(1, n)
  return [Math.max(0, lowest - slack), 1]
}

export interface Judged {
  readonly value: number | null
  readonly usual: Range | null
  /** null: there is no value, or nothing is usual. */
  readonly unusual: boolean | null
}

export function judged(value: number | null, usual: Range | null): Judged {
  return { value, usual, unusual: value === null || usual === null ? null : value < usual[0] || value > usual[1] }
}
