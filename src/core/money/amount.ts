// Defines the units of a budget [B1]: US dollars, tokens, tool calls, steps. A missing unit has no limit, in events too [B2].

import { z } from "zod"
import { tidy } from "./tidy.ts"

/** US dollars; more is a mistake, and a sum of such amounts stays exact to a cent. */
const MAX_USD = 1_000_000_000 // limit: US dollars of an amount or a price → 422 at the member
/** More than the whole price is a gateway's own matter. */
const MAX_FACTOR = 10 // limit: factor of a price for calls in a batch → 422 at the member
const usd = z.number().nonnegative().max(MAX_USD)

export const Amount = z.strictObject({
  usd: usd.exactOptional(),
  tokens: z.number().int().nonnegative().exactOptional(),
  tool_calls: z.number().int().nonnegative().exactOptional(),
  steps: z.number().int().nonnegative().exactOptional(),
})
export type Amount = Readonly<z.infer<typeof Amount>>

export const UNITS = ["usd", "tokens", "tool_calls", "steps"] as const
export type Unit = (typeof UNITS)[number]

/** US dollars per million tokens [B3]. */
export const Price = z.strictObject({
  input: usd,
  output: usd,
  cacheRead: usd.exactOptional(),
  cacheWrite: usd.exactOptional(),
  /** [R35] What all of it is multiplied by for a call in a batch. */
  batch: z.number().nonnegative().max(MAX_FACTOR).exactOptional(),
})
export type Price = Readonly<z.infer<typeof Price>>

/** A price as a run keeps it. `estimated`: no list has this model, and the price is that of the most similar model. */
export const RunPrice = Price.extend({ estimated: z.literal(true).exactOptional() })
export type RunPrice = Readonly<z.infer<typeof RunPrice>>

export const unitsOf = (a: Amount): Unit[] => UNITS.filter((u) => a[u] !== undefined)

function made(units: readonly Unit[], of: (u: Unit) => number): Amount {
  const amount: { -readonly [U in keyof Amount]: Amount[U] } = {}
  for (const u of units) amount[u] = tidy(of(u))
  return amount
}

const both = (a: Amount, b: Amount): Unit[] => UNITS.filter((u) => a[u] !== undefined || b[u] !== undefined)

export const plus = (a: Amount, b: Amount): Amount => made(both(a, b), (u) => (a[u] ?? 0) + (b[u] ?? 0))
/** Never below 0. */
export const minus = (a: Amount, b: Amount): Amount => made(both(a, b), (u) => Math.max(0, (a[u] ?? 0) - (b[u] ?? 0)))
/** The stricter limit of each unit. */
export const stricter = (a: Amount, b: Amount): Amount => made(both(a, b), (u) => Math.min(a[u] ?? Infinity, b[u] ?? Infinity))
/** Exactly these units; a missing unit counts as 0. */
export const only = (a: Amount, units: readonly Unit[]): Amount => made(units, (u) => a[u] ?? 0)
export const isNothing = (a: Amount): boolean => unitsOf(a).every((u) => a[u] === 0)
