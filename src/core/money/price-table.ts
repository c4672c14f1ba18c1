// Defines a tenant's own prices [B3]: the body of `PUT /v1/settings/prices`, and the file `prices.yaml`. Each entry is checked separately, so
// that a fault points to its model.

import { z } from "zod"
import { isObject } from "../json.ts"
import { err, ok, type Result } from "../result.ts"
import { recordOf } from "../schema/bounded.ts"
import { bodyFaults, type BodyFault } from "../schema/body-faults.ts"
import { later } from "../schema/later.ts"
import { pointerStep } from "../text/pointer.ts"
import { Price } from "./amount.ts"

const MAX_PRICES = 1_000 // limit: models with a price → 422
const MOST_FAULTS = 50 // limit: faults told of a table of prices → further ones are not told

/** `provider/model` → US dollars per million tokens. */
export const Prices = later(() => recordOf(Price, MAX_PRICES, z.string().max(200)))

export function readPrices(given: unknown): Result<Readonly<Record<string, Price>>, readonly BodyFault[]> {
  if (!isObject(given)) return err([{ pointer: "", message: "must be an object: provider/model → {input, output}" }])
  const prices: Record<string, Price> = {}
  const faults: BodyFault[] = []
  for (const [model, one] of Object.entries(given)) {
    const price = Price.safeParse(one)
    const pointer = pointerStep(model)
    if (!/^[^/\s]+\/\S+$/.test(model) || model.length > 200) faults.push({ pointer, message: "must be provider/model" })
    if (price.success) prices[model] = price.data
    else faults.push(...bodyFaults(Price, one, price.error.issues, MOST_FAULTS, pointer))
  }
  if (Object.keys(given).length > MAX_PRICES) faults.push({ pointer: "", message: `must have at most ${MAX_PRICES} models` })
  return faults.length > 0 ? err(faults.slice(0, MOST_FAULTS)) : ok(prices)
}
