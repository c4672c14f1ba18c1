// Filters [W1]: `PATH OP LITERAL` joined by `&&`, over the body. A missing path is unequal and has no order.

import type { Json } from "../json.ts"
import { parseCondition, passes } from "../policy/condition.ts"

const FORM = { or: false } as const

/** What is wrong with it; undefined: it can be used. */
export function filterFault(filter: string): string | undefined {
  const read = parseCondition(filter, FORM)
  return read.ok ? undefined : `is no filter, at character ${read.error.at + 1}: ${read.error.message}`
}

/** One that cannot be read lets nothing through: it was checked when the hook was written. */
export function letsThrough(filter: string | undefined, body: Json): boolean {
  if (filter === undefined) return true
  const read = parseCondition(filter, FORM)
  return read.ok && passes(read.value, body)
}
