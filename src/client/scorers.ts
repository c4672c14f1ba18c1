// Reads and writes scorers, and lists them with their versions.

import type * as shapes from "../api/doc/quality.doc.ts"
import type { ScorerRow } from "../api/doc/quality.doc.ts"
import type { scorers } from "../api/quality/scorers.ts"
import type { Paged } from "./transport/paged.ts"
import { Part } from "./transport/part.ts"

export class Scorers extends Part<typeof scorers, typeof shapes> {
  readonly list: () => Paged<ScorerRow> = this.paged("/v1/scorers")
}
