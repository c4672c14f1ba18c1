// What a budget counts [B1]: US dollars, tokens, tool calls, steps. A missing unit has no limit; in events too [B2].

import { z } from "zod"

export const Amount = z.strictObject({
  usd: z.number().nonnegative().exactOptional(),
  tokens: z.number().int().nonnegative().exactOptional(),
  tool_calls: z.number().int().nonnegative().exactOptional(),
  steps: z.number().int().nonnegative().exactOptional(),
})
export type Amount = Readonly<z.infer<typeof Amount>>

export const UNITS = ["usd", "tokens", "tool_calls", "steps"] as const
export type Unit = (typeof UNITS)[number]

/** US dollars for a million tokens [B3]. */
export const Price = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cacheRead: z.number().nonnegative().exactOptional(),
  cacheWrite: z.number().nonnegative().exactOptional(),
})
export type Price = Readonly<z.infer<typeof Price>>
