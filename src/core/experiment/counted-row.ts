// Says what a row of an experiment is worth in a comparison of two variants [V36], or why it is left out.

import type { TrialState } from "./trial-state.ts"

export interface TrialDone {
  readonly variant: string
  readonly repeat: number
  readonly state: TrialState
  /** By scorer; null: it does not apply. Absent: there is none. */
  readonly scores: Readonly<Record<string, number | null>>
  /** From the cut on; null: a model without a price was asked. */
  readonly usd: number | null
  readonly tokens: number
  readonly ms: number
  /** Reads that the recording answered, and that were made. */
  readonly reads?: { readonly recorded: number; readonly live: number }
}

export interface RowDone {
  readonly row: string
  /** Of the row's run, if it was named: rows of one thread are not independent. */
  readonly thread?: string
  /** No variant differs on the recording. */
  readonly same: boolean
  readonly trials: readonly TrialDone[]
}

export type Figure = "usd" | "tokens" | "ms"

/** `apart`: the row does not count, and that is nobody's fault: the scorer does not apply to it. */
export type RowValue = { readonly value: number } | { readonly left_out: string } | { readonly apart: true }

export function scoreDifference(row: RowDone, [first, other]: readonly [string, string], scorer: string, repeats: number): RowValue {
  if (row.same) return { value: 0 }
  const why = incomplete(row, [first, other], repeats)
  if (why !== undefined) return { left_out: why }
  const scores = [first, other].map((name) => trialsOf(row, name).map(({ scores: all }) => all[scorer]))
  if (scores.flat().every((score) => score === null)) return { apart: true }
  const [a, b] = scores.map((list) => meanOf(list.flatMap((score) => (typeof score === "number" ? [score] : []))))
  if (scores.flat().some((score) => typeof score !== "number") || a === undefined || b === undefined)
    return { left_out: `${scorer} gave no score` }
  return { value: b - a }
}

export function figureDifference(row: RowDone, [first, other]: readonly [string, string], figure: Figure, repeats: number): RowValue {
  if (row.same) return { value: 0 }
  const why = incomplete(row, [first, other], repeats)
  if (why !== undefined) return { left_out: why }
  const [a, b] = [first, other].map((name) => trialsOf(row, name).map((trial) => trial[figure]))
  if (!a || !b || [...a, ...b].some((one) => one === null)) return { apart: true }
  return { value: meanOf(b as number[]) - meanOf(a as number[]) }
}

export const trialsOf = ({ trials }: RowDone, variant: string): readonly TrialDone[] => trials.filter((trial) => trial.variant === variant)

export const meanOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length

function incomplete(row: RowDone, variants: readonly string[], repeats: number): string | undefined {
  for (const variant of variants) {
    const trials = trialsOf(row, variant)
    if (trials.some(({ state }) => state === "stopped")) return `a trial of ${variant} was stopped`
    if (trials.length < repeats) return `a trial of ${variant} was not made`
  }
  return undefined
}
