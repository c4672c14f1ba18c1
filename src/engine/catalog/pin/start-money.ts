// Computes the budget of a start [B1, B3, B4, B6]: its limits, the prices, and whether the tenant has a daily limit. Every way to start a
// run without a parent goes through here, by `startable`.

import type { InputFault } from "../../../core/flow/flow-inputs.ts"
import { stricter, unitsOf, type Amount } from "../../../core/money/amount.ts"
import type { RunBudget } from "../../../core/money/budget-setting.ts"
import { bareModel, isFree, priceOf, pricesOf } from "../../../core/money/prices.ts"
import { err, ok, type Result } from "../../../core/result.ts"
import type { Pins } from "../../../core/run/event-parts.ts"
import type { PinnedMoney } from "../../../ports/tenant/catalog.ts"
import { defined } from "../../../core/defined.ts"
import type { OwnMoney, StartRequest } from "../../../ports/run.ts"

interface MoneyGround {
  readonly pins: Pins
  readonly money?: PinnedMoney | undefined
}
export type Money = Pick<StartRequest, "budget" | "prices" | "daily">

/** If dollars are limited, the error names the models without a price. */
export function startMoney({ pins, money }: MoneyGround, given: Amount = {}): Result<Money, readonly string[]> {
  const budget = bounded(ownMoney(money, given).budget, money?.run)
  const prices = money?.prices ?? {}
  const daily = money?.daily ?? {}
  const dollars = budget.usd !== undefined || daily.usd !== undefined || money?.dollars === true
  const models = [...new Set(modelsOf(pins).map(bareModel))]
  const unpriced = dollars ? models.filter((m) => !isFree(m) && !priceOf(prices, m)) : []
  if (unpriced.length > 0) return err(unpriced)
  const own = pricesOf((model) => priceOf(prices, model), models)
  return ok({
    ...(unitsOf(budget).length > 0 ? { budget } : {}),
    ...(Object.keys(own).length > 0 ? { prices: own } : {}),
    ...(unitsOf(daily).length > 0 ? { daily: true as const } : {}),
  })
}

/** What of a start's money its caller and its flow say. */
export const ownMoney = (money: PinnedMoney | undefined, given: Amount = {}): OwnMoney => ({
  budget: stricter(given, money?.budget ?? {}),
  dollars: money?.dollars === true,
  ...defined({ mark: money?.mark }),
})

/** [R13] The money of a start that has waited, by what the tenant says now. */
export const moneyNow = (
  pins: Pins,
  { budget, dollars }: OwnMoney,
  { prices, daily, run }: PinnedMoney,
): Result<Money, readonly string[]> => startMoney({ pins, money: { prices, dollars, ...defined({ daily, run }) } }, budget)

/** [B6] Applies the tenant's default to units without a limit, and the tenant's maximum to all. */
export const bounded = (budget: Amount, run: RunBudget = {}): Amount => stricter({ ...run.default, ...budget }, run.most ?? {})

/** Every model that a run may call. */
export const modelsOf = ({ models, fallbacks = {}, scorers = {} }: Pins): string[] => [
  ...Object.values(models),
  ...Object.values(fallbacks).flat(),
  ...Object.values(scorers).flatMap(({ judge }) => (judge ? [judge.model, ...(judge.fallbacks ?? [])] : [])),
]

export const noPrice = (models: readonly string[]): string =>
  `A limit in US dollars needs a price for every model, and there is none for ${models.join(", ")}: ${priceHelp(models)}.`

/** Where a price is written, with the first model as the example. */
export const priceHelp = ([model = "provider/model"]: readonly string[]): string =>
  `write \`${model}: { input: 1, output: 2 }\`, in US dollars per million tokens, in prices.yaml and run \`sluice apply\` (or PUT /v1/settings/prices), or choose other models`

export const unpricedFault = (models: readonly string[], pointer = ""): InputFault => ({
  pointer,
  message: `no price: ${models.join(", ")}`,
  suggestion: priceHelp(models),
})
