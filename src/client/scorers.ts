// Reads and writes scorers, and lists them with their versions.

import type * as shapes from "../api/doc/quality.doc.ts"
import type { ProbeShown, ScorerRow, ScorerTrust } from "../api/doc/quality.doc.ts"
import type { ScorerUsage } from "../api/doc/insight.doc.ts"
import type { ProbeWish } from "../api/quality/judges.ts"
import type { scorers } from "../api/quality/scorers.ts"
import type { Paged } from "./transport/paged.ts"
import { Part } from "./transport/part.ts"
import { part } from "./transport/transport.ts"

interface ScoredDays {
  /** Days in UTC, as in `2026-11-01`. */
  readonly from?: string
  readonly to?: string
  readonly each?: "day"
}

export class Scorers extends Part<typeof scorers, typeof shapes> {
  /** [V17] How many scores, and their mean, by flow and scorer. */
  sums(days: ScoredDays = {}): Promise<ScorerUsage> {
    return this.json("GET", "/v1/usage", { query: { by: "scorer", ...days } })
  }
  readonly list: () => Paged<ScorerRow> = this.paged("/v1/scorers")
  /** [V10] */
  probe(scorer: string, wish: ProbeWish): Promise<ProbeShown> {
    return this.json("POST", `/v1/scorers/${part(scorer)}/probe`, { body: wish })
  }
  /** [V22] */
  trust(scorer: string): Promise<ScorerTrust> {
    return this.json("GET", `/v1/scorers/${part(scorer)}/trust`)
  }
}
