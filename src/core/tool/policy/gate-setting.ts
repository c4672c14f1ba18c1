// Defines a tenant's gate [K24]: the flows that no write may break.

import { z } from "zod"
import { later } from "../../schema/later.ts"

/** Limit: rules of the gate → 422 at the member. */
export const MAX_GATES = 100

const MAX_RECORDED = 50 // limit: recorded runs that a write is tried on → 422 at the member

/** The causes of a difference between a recorded run and a changed flow [K23]. */
export const WHYS = ["prompt", "tools", "model", "guard", "route", "schema", "code", "calls"] as const

export const GateBody = later(() =>
  z.strictObject({
    flows: z
      .array(
        z.strictObject({
          match: z.string().min(1).max(300),
          tests: z.boolean().exactOptional(),
          backtest: z
            .strictObject({ last: z.int().min(1).max(MAX_RECORDED), allow: z.array(z.enum(WHYS)).max(WHYS.length).exactOptional() })
            .exactOptional(),
        }),
      )
      .max(MAX_GATES, `must have at most ${MAX_GATES} rules`)
      .exactOptional(),
  }),
)
/** `match`: a glob of flow ids. `tests`: absent means true. `allow`: the causes of accepted differences from a recorded run. */
export type GateSetting = z.output<typeof GateBody>
