// Reads and writes scorers, and lists them with their versions.

import type * as shapes from "../api/doc/quality.doc.ts"
import type { ProbeShown, ScorerRow, ScorerTrust } from "../api/doc/quality.doc.ts"
import type { ProbeWish } from "../api/quality/judges.ts"
import type { scorers } from "../api/quality/scorers.ts"
import type { Paged } from "./transport/paged.ts"
import { Part } from "./transport/part.ts"
import { part } from "./transport/transport.ts"

export class Scorers extends Part<typeof scorers, typeof shapes> {
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
