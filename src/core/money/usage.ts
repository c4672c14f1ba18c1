// Reads a provider's report of the tokens that a call used [B3]: numbers from outside, which may be missing, null, text, or impossible.

import { z } from "zod"
import { defined } from "../defined.ts"
import { later } from "../schema/later.ts"

export const Usage = later(() =>
  z.object({
    input: z.number(),
    output: z.number(),
    cacheRead: z.number().optional(),
    cacheWrite: z.number().optional(),
    /** Output tokens that the model thought with. */ reasoning: z.number().optional(),
    /** [B3] The provider reported nothing that can be true: this is the most that the call could use. */
    estimated: z.literal(true).optional(),
  }),
)
export type Usage = z.infer<typeof Usage>

type Reported = { readonly [Member in keyof Usage]?: unknown }

/** Whole, not negative, and small enough to be exact. */
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** The report as usage; undefined: a part is missing or impossible, so none of it can be trusted. */
export function readUsage(reported: Reported | null | undefined): Usage | undefined {
  // The kernel's own estimate is no report: a history that is judged again estimates again.
  if (!reported || reported.estimated !== undefined) return undefined
  const { input, output } = reported
  const [cacheRead, cacheWrite] = [reported.cacheRead ?? undefined, reported.cacheWrite ?? undefined]
  if (!isCount(input) || !isCount(output)) return undefined
  // A part of the output that costs no more than the rest: a figure that cannot be true is left out.
  const { reasoning } = reported
  const thought = isCount(reasoning) && reasoning > 0 && reasoning <= output ? { reasoning } : {}
  if (cacheRead !== undefined && !isCount(cacheRead)) return undefined
  if (cacheWrite !== undefined && !isCount(cacheWrite)) return undefined
  // The cached tokens are a part of the input.
  if ((cacheRead ?? 0) + (cacheWrite ?? 0) > input) return undefined
  const cached = defined({ cacheRead, cacheWrite })
  return { input, output, ...cached, ...thought }
}
