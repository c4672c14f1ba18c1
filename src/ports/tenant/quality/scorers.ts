// The scorers of a tenant as they are now [V1]. The tenant's object finds them, because only it has the catalog.

import type { Scorer } from "../../../core/flow/scorer.ts"
import type { Tier } from "../catalog.ts"

export interface KnownScorer {
  readonly scorer: Scorer
  /** [V3] 12 hex digits. */
  readonly version: string
  readonly tier: Tier
  /** The handler, types stripped; absent: there is none. */
  readonly code?: string
  /** The judge's model, with others that answer in its place after commas; absent: none is set up. */
  readonly model?: string
}
