// A tenant's gate [K24]: which flows no write may break.

import { z } from "zod"

/** Rules of a gate. */
export const MAX_GATES = 100

export const GateBody = z.strictObject({
  flows: z
    .array(z.strictObject({ match: z.string().min(1).max(300), tests: z.boolean().exactOptional() }))
    .max(MAX_GATES, `must have at most ${MAX_GATES} rules`)
    .exactOptional(),
})
/** `match`: a glob of flow ids. `tests`: absent means true. */
export type GateSetting = z.output<typeof GateBody>
