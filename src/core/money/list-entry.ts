// Defines the shipped list of prices [B3], which scripts/prices.ts writes.

/** US dollars per million tokens. `window`: the tokens of a request up to which the price holds. */
export interface ListEntry {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly window?: number
}

/** A table for each API that serves only its maker's models, and one for all other models. Each maps the model's id to its entry. */
export type ListPrices = Readonly<Record<"anthropic" | "openai" | "workers-ai" | "others", Readonly<Record<string, ListEntry>>>>
