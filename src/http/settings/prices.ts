// Checks the body of PUT /v1/settings/prices [B3]: US dollars per million tokens, by `provider/model`. Each entry is checked separately, so
// that a fault points to its model.

import { isObject } from "../../core/json.ts"
import { Price } from "../../core/money/amount.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { bodyFaults } from "../../core/schema/body-faults.ts"
import { pointerStep } from "../../core/text/pointer.ts"
import { parseJson } from "../middleware/body.ts"
import type { Call } from "../middleware/call.ts"
import { invalid, MAX_FAULTS, type Fault, type Refusal } from "../middleware/problem.ts"

const MAX_PRICES = 1_000 // limit: models with a price → 422

export function pricesOf(c: Call): Result<Record<string, Price>, Refusal> {
  const body = parseJson(c)
  if (!body.ok) return body
  if (!isObject(body.value)) return err(invalid([{ pointer: "", message: "must be an object: provider/model → {input, output}" }]))
  const prices: Record<string, Price> = {}
  const faults: Fault[] = []
  for (const [model, given] of Object.entries(body.value)) {
    const price = Price.safeParse(given)
    const pointer = pointerStep(model)
    if (!/^[^/\s]+\/\S+$/.test(model) || model.length > 200) faults.push({ pointer, message: "must be provider/model" })
    if (price.success) prices[model] = price.data
    else faults.push(...bodyFaults(Price, given, price.error.issues, MAX_FAULTS, pointer))
  }
  if (Object.keys(body.value).length > MAX_PRICES) faults.push({ pointer: "", message: `must have at most ${MAX_PRICES} models` })
  return faults.length > 0 ? err(invalid(faults)) : ok(prices)
}
