// W3C Trace Context [H8]: what a caller says it is part of, read and written. A header that is not exactly right is not there.
//
// A caller that did not sample its own trace wants none of ours either: its runs are not exported [N9].

import { z } from "zod"

/** `parent`: the caller's span. Absent `sampled`: it is sampled. */
export const Trace = z.object({ id: z.string(), parent: z.string(), sampled: z.literal(false).optional() })
export type Trace = z.infer<typeof Trace>

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const SAMPLED = 1

export function readTraceparent(header: string | undefined): Trace | undefined {
  const [, version = "ff", id = "", parent = "", flags = "", more] = FORM.exec(header ?? "") ?? []
  // A later version may say more after the flags; this one may not.
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined
  if (/^0+$/.test(id) || /^0+$/.test(parent)) return undefined
  return { id, parent, ...((Number.parseInt(flags, 16) & SAMPLED) === 0 ? { sampled: false } : {}) }
}

/** As version 00, for the span `parent`. */
export const traceparent = ({ id, parent, sampled }: Trace): string => `00-${id}-${parent}-${sampled === false ? "00" : "01"}`
