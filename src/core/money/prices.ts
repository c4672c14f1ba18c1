// Prices of well-known models [B3]: the providers' public list prices of March 2026 for requests of up to 200,000 tokens, in US dollars
// per million tokens. They apply to providers that a tenant names `anthropic` and `openai`. They are defaults, not a bill: a tenant's own
// table takes precedence, list prices may have changed, and a model in neither table has no price.

import { tidy, type Price } from "./amount.ts"
import type { Usage } from "../run/event.ts"

/** Anthropic: a cache read costs a tenth of the input price, a cache write (5 minutes) a quarter more than the input price. */
const claude = (input: number, output: number): Price => ({ input, output, cacheRead: tidy(input / 10), cacheWrite: tidy(input * 1.25) })
const gpt = (input: number, output: number, cacheRead: number): Price => ({ input, output, cacheRead })

export const DEFAULT_PRICES: Readonly<Record<string, Price>> = {
  "anthropic/claude-opus-4-6": claude(5, 25),
  "anthropic/claude-opus-4-5": claude(5, 25),
  "anthropic/claude-opus-4-5-20251101": claude(5, 25),
  "anthropic/claude-opus-4-1": claude(15, 75),
  "anthropic/claude-opus-4-1-20250805": claude(15, 75),
  "anthropic/claude-opus-4-0": claude(15, 75),
  "anthropic/claude-opus-4-20250514": claude(15, 75),
  "anthropic/claude-sonnet-4-6": claude(3, 15),
  "anthropic/claude-sonnet-4-5": claude(3, 15),
  "anthropic/claude-sonnet-4-5-20250929": claude(3, 15),
  "anthropic/claude-sonnet-4-0": claude(3, 15),
  "anthropic/claude-sonnet-4-20250514": claude(3, 15),
  "anthropic/claude-haiku-4-5": claude(1, 5),
  "anthropic/claude-haiku-4-5-20251001": claude(1, 5),
  "anthropic/claude-3-5-haiku-latest": claude(0.8, 4),
  "anthropic/claude-3-5-haiku-20241022": claude(0.8, 4),
  "openai/gpt-5": gpt(1.25, 10, 0.125),
  "openai/gpt-5-mini": gpt(0.25, 2, 0.025),
  "openai/gpt-5-nano": gpt(0.05, 0.4, 0.005),
  "openai/gpt-4.1": gpt(2, 8, 0.5),
  "openai/gpt-4.1-mini": gpt(0.4, 1.6, 0.1),
  "openai/gpt-4.1-nano": gpt(0.1, 0.4, 0.025),
  "openai/gpt-4o": gpt(2.5, 10, 1.25),
  "openai/gpt-4o-mini": gpt(0.15, 0.6, 0.075),
  "openai/o3": gpt(2, 8, 0.5),
  "openai/o4-mini": gpt(1.1, 4.4, 0.275),
}

/** `provider/model` of a pinned model, without its thinking level [F52]. */
export const bareModel = (model: string): string => model.replace(/:(off|minimal|low|medium|high|xhigh|max)$/, "")

/** The built-in model costs nothing and needs no price [M3]. */
export const isFree = (model: string): boolean => model.startsWith("rehearsal/")

export function priceOf(prices: Readonly<Record<string, Price>>, model: string): Price | undefined {
  const name = bareModel(model)
  return Object.hasOwn(prices, name) ? prices[name] : undefined
}

/** The prices of those models that have one: the only part of a table that a run, or the call that starts it, needs. */
export function pricesOf(prices: Readonly<Record<string, Price>>, models: Iterable<string>): Record<string, Price> {
  return Object.fromEntries(
    [...new Set([...models].map(bareModel))].flatMap((model) => {
      const price = priceOf(prices, model)
      return price ? [[model, price]] : []
    }),
  )
}

/** The cost of a call. `input` counts every token of the request, including tokens read from or written to the provider's cache. */
export function costOf(price: Price, { input, output, cacheRead = 0, cacheWrite = 0 }: Usage): number {
  const fresh = Math.max(0, input - cacheRead - cacheWrite)
  const cached = cacheRead * (price.cacheRead ?? price.input) + cacheWrite * (price.cacheWrite ?? price.input)
  return tidy((fresh * price.input + cached + output * price.output) / 1_000_000)
}

/** The highest price at which a token of a request can be billed. */
export const dearestInput = (price: Price): number => Math.max(price.input, price.cacheRead ?? 0, price.cacheWrite ?? 0)
