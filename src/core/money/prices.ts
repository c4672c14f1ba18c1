// Prices models [B3], in US dollars per million tokens: from the tenant's own table, then from the shipped list, which is chosen by the
// kind of the provider. List prices are defaults, not a bill: they may have changed, and a model in neither table has no price.

import type { Price, RunPrice } from "./amount.ts"
import { tidy } from "./tidy.ts"
import { listed } from "./list-lookup.ts"
import type { Usage } from "./usage.ts"

/** The price of a model, given as `provider/model`. */
export type PriceBook = (model: string) => RunPrice | undefined

/** `own`: `provider/model` → price, where `provider/*` is every other model of the provider. `kinds`: provider → its kind. */
export function priceBook(own: Readonly<Record<string, Price>>, kinds: Readonly<Record<string, string>>): PriceBook {
  return (model) => {
    const name = bareModel(model)
    const slash = name.indexOf("/")
    const provider = name.slice(0, slash)
    for (const key of [name, `${provider}/*`]) if (Object.hasOwn(own, key)) return own[key]
    return Object.hasOwn(kinds, provider) ? listPrice(kinds[provider] ?? "", name.slice(slash + 1)) : undefined
  }
}

/** The shipped price of a model that a provider of this kind sells. */
export function listPrice(kind: string, id: string): RunPrice | undefined {
  const found = listed(kind, id)
  if (!found) return undefined
  const { window: _window, ...price } = found
  return price
}

/** `provider/model` of a pinned model, without its thinking level [F52]. */
export const bareModel = (model: string): string => model.replace(/:(off|minimal|low|medium|high|xhigh|max)$/, "")

/** The built-in model costs nothing and needs no price [M3]. */
export const isFree = (model: string): boolean => model.startsWith("rehearsal/")

export function priceOf(prices: Readonly<Record<string, RunPrice>>, model: string): RunPrice | undefined {
  const name = bareModel(model)
  return Object.hasOwn(prices, name) ? prices[name] : undefined
}

/** The prices of those models that have one: the only part of the tables that a run, or the call that starts it, needs. */
export function pricesOf(priceOfModel: PriceBook, models: Iterable<string>): Record<string, RunPrice> {
  return Object.fromEntries(
    [...new Set([...models].map(bareModel))].flatMap((model) => {
      const price = priceOfModel(model)
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
