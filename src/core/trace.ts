// Reads and writes the W3C Trace Context [H8] of a caller. A malformed header counts as absent.
//
// When a caller does not sample its own trace, its runs are not exported either [N9].

import { z } from "zod"

/** A trace context. `parent`: the caller's span. `sampled`: true if absent. */
export const Trace = z.object({ id: z.string(), parent: z.string(), sampled: z.literal(false).optional() })
export type Trace = z.infer<typeof Trace>

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const SAMPLED = 1

export function readTraceparent(header: string | undefined): Trace | undefined {
  const [, version = "ff", id = "", parent = "", flags = "", more] = FORM.exec(header ?? "") ?? []
  // Only later versions may add fields after the flags.
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined
  if (/^0+$/.test(id) || /^0+$/.test(parent)) return undefined
  return { id, parent, ...((Number.parseInt(flags, 16) & SAMPLED) === 0 ? { sampled: false } : {}) }
}

/** A version 00 header for the span `parent`. */
export const traceparent = ({ id, parent, sampled }: Trace): string => `00-${id}-${parent}-${sampled === false ? "00" : "01"}`
