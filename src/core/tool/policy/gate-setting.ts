// Defines a tenant's gate [K24]: the flows that no write may break.

import { z } from "zod"
import { Amount } from "../../money/amount.ts"
import { later } from "../../schema/later.ts"

/** Limit: rules of the gate → 422 at the member. */
export const MAX_GATES = 100

const MAX_RECORDED = 50 // limit: recorded runs that a write is tried on → 422 at the member

/** The causes of a difference between a recorded run and a changed flow [K23]. */
export const WHYS = ["prompt", "tools", "model", "guard", "route", "schema", "code", "calls"] as const

const LEAST_MARGIN = 0.01 // limit: the least margin of a scorer in a rule of the gate → 422 at the member
const MOST_MARGIN = 0.5 // limit: the greatest margin of a scorer in a rule of the gate → 422 at the member
const MAX_SCORERS = 10 // limit: scorers of a rule of the gate → 422 at the member
const MAX_REPEATS = 10 // limit: repeats of a row in an experiment of the gate → 422 at the member

/** [V40] `scorers`: by name, what a write may lose at most. */
export const GateScoreBody = later(() =>
  z.strictObject({
    dataset: z.string().min(1).max(100),
    scorers: z
      .record(z.string().min(1).max(100), z.number().min(LEAST_MARGIN).max(MOST_MARGIN))
      .refine((all) => Object.keys(all).length > 0, "must have a scorer")
      .refine((all) => Object.keys(all).length <= MAX_SCORERS, `must have at most ${MAX_SCORERS} scorers`)
      .meta({ maxProperties: MAX_SCORERS }),
    repeats: z.int().min(1).max(MAX_REPEATS).exactOptional(),
    budget: Amount.pick({ usd: true, tokens: true }).exactOptional(),
  }),
)
export type GateScore = z.output<typeof GateScoreBody>

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
          score: GateScoreBody.exactOptional(),
        }),
      )
      .max(MAX_GATES, `must have at most ${MAX_GATES} rules`)
      .exactOptional(),
  }),
)
/** `match`: a glob of flow ids. `tests`: absent means true. `allow`: the causes of accepted differences from a recorded run. */
export type GateSetting = z.output<typeof GateBody>
