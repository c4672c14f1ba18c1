// Money at a start [B1, B3]: the limits of the body and the flow, or the models that lack a price although dollars are limited.

import type { Amount } from "../../core/money/amount.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { noPrice, startMoney, type Money } from "../../engine/catalog/pin/start-money.ts"
import type { PinResult } from "../../ports/tenant/catalog.ts"
import type { Refusal } from "../middleware/problem.ts"

export function moneyOf(pinned: Extract<PinResult, { ok: true }>, given?: Amount): Result<Money, Refusal> {
  const money = startMoney(pinned, given)
  if (money.ok) return ok(money.value)
  const pointer = given?.usd === undefined ? "" : "/budget/usd"
  return err({ code: "no_price", detail: noPrice(money.error), errors: [{ pointer, message: `no price: ${money.error.join(", ")}` }] })
}
