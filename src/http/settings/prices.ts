// Reads the body of PUT /v1/settings/prices [B3].

import type { Price } from "../../core/money/amount.ts"
import { readPrices } from "../../core/money/price-table.ts"
import { err, type Result } from "../../core/result.ts"
import { parseJson } from "../middleware/body.ts"
import type { Call } from "../middleware/call.ts"
import { invalid, type Refusal } from "../middleware/problem.ts"

export function pricesOf(c: Call): Result<Readonly<Record<string, Price>>, Refusal> {
  const body = parseJson(c)
  if (!body.ok) return body
  const read = readPrices(body.value)
  return read.ok ? read : err(invalid(read.error))
}
