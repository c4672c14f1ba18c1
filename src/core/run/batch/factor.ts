// Says what a model call costs in a batch [R35], and which calls go into one [R32].

import type { Price } from "../../money/amount.ts"
import { bareModel, priceOf } from "../../money/prices.ts"
import type { Run } from "../state.ts"

/** The factor of its price for a call that this run hands to a batch; undefined: the model is asked at once. */
export function batchFactor(run: Pick<Run, "batch" | "pins" | "prices">, model: string): number | undefined {
  if (run.batch === undefined) return undefined
  const all = run.pins?.batch ?? {}
  const name = bareModel(model)
  return Object.hasOwn(all, name) ? (priceOf(run.prices, model)?.batch ?? all[name]) : undefined
}

/** The price of a turn's call. A summary is asked at once, at the full price. */
export function turnPrice(run: Run, model: string): Price | undefined {
  const price = priceOf(run.prices, model)
  const factor = price && batchFactor(run, model)
  if (price === undefined || factor === undefined || factor === 1) return price
  const { input, output, cacheRead, cacheWrite } = price
  return {
    input: input * factor,
    output: output * factor,
    ...(cacheRead === undefined ? {} : { cacheRead: cacheRead * factor }),
    ...(cacheWrite === undefined ? {} : { cacheWrite: cacheWrite * factor }),
  }
}
