// The pictures of a run's tokens: how the context grows from turn to turn, and what each step has cost.

import type { Pass, RunOutline } from "../../src/core/run/views/outline.ts"

export interface ContextBar {
  readonly turn: number
  /** Tokens of the request: from the provider's cache, and read anew. */
  readonly cached: number
  readonly anew: number
  /** Tokens that were written. */
  readonly written: number
  /** Since the turn before, earlier turns were shortened. */
  readonly isShortened: boolean
}

/** Of the turns that have a reply. */
export function contextOf({ turns, compactions }: Pick<Pass, "turns" | "compactions">): ContextBar[] {
  let before = -1
  return turns
    .filter(({ endSeq }) => endSeq !== undefined)
    .map(({ turn, seq, tokens, output, cached }) => {
      const read = Math.max(0, tokens - output)
      const bar = {
        turn,
        cached: Math.min(read, cached),
        anew: Math.max(0, read - cached),
        written: output,
        isShortened: compactions.some((at) => at > before && at < seq),
      }
      before = seq
      return bar
    })
}

/** What stands out, in a sentence for who does not see the picture. */
export function contextWords(bars: readonly ContextBar[]): string {
  const sizes = bars.map(({ cached, anew }) => cached + anew)
  const most = Math.max(0, ...sizes)
  const cached = bars.reduce((sum, bar) => sum + bar.cached, 0)
  const read = sizes.reduce((sum, size) => sum + size, 0)
  const shortened = bars.filter(({ isShortened }) => isShortened).length
  const parts = [
    `Context of ${bars.length} ${bars.length === 1 ? "turn" : "turns"}: at most ${most.toLocaleString("en")} tokens`,
    `${read === 0 ? 0 : Math.round((100 * cached) / read)}% from cache`,
    ...(shortened === 0 ? [] : [`shortened ${shortened === 1 ? "once" : `${shortened} times`}`]),
  ]
  return parts.join(", ")
}

export interface StepCost {
  /** undefined: all others. */
  readonly step: string | undefined
  readonly amount: number
  /** Of all, from 0 to 1. */
  readonly share: number
}

/** Steps that are told apart. */
export const MOST_STEPS = 6

/** In US dollars, or in tokens where no model has a price; the dearest first. */
export function stepCosts({ steps }: Pick<RunOutline, "steps">): { readonly unit: "usd" | "tokens"; readonly parts: readonly StepCost[] } {
  const passesOf = [...steps.values()].map(({ id, passes }) => ({ id, passes }))
  const unit = passesOf.some(({ passes }) => passes.some(({ usd }) => (usd ?? 0) > 0)) ? "usd" : "tokens"
  const amounts = passesOf
    .map(({ id, passes }) => ({ step: id, amount: passes.reduce((sum, pass) => sum + (pass[unit] ?? 0), 0) }))
    .filter(({ amount }) => amount > 0)
    .toSorted((a, b) => b.amount - a.amount)
  const all = amounts.reduce((sum, { amount }) => sum + amount, 0)
  const rest = amounts.slice(MOST_STEPS).reduce((sum, { amount }) => sum + amount, 0)
  const told: { readonly step: string | undefined; readonly amount: number }[] = amounts.slice(0, MOST_STEPS)
  return {
    unit,
    parts: [...told, ...(rest > 0 ? [{ step: undefined, amount: rest }] : [])].map((one) => ({ ...one, share: one.amount / all })),
  }
}
