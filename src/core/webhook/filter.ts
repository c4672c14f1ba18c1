// Filters [W1]: `PATH OP LITERAL` joined by `&&`, over the body. A missing path equals nothing and has no order.

import type { Json } from "../json.ts"
import { parseCondition, passes } from "../policy/condition.ts"

const FORM = { or: false } as const

/** What is wrong with the filter; undefined: it is valid. */
export function filterFault(filter: string): string | undefined {
  const read = parseCondition(filter, FORM)
  return read.ok ? undefined : `is not a valid filter, at character ${read.error.at + 1}: ${read.error.message}`
}

/** An invalid filter lets nothing through. Filters are checked when a hook is saved. */
export function letsThrough(filter: string | undefined, body: Json): boolean {
  if (filter === undefined) return true
  const read = parseCondition(filter, FORM)
  return read.ok && passes(read.value, body)
}
