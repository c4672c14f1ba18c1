// A tenant's scorers and scores [V1–V22].

import type { ScorerRow } from "../../../api/doc/quality.doc.ts"

export interface ScoresPort {
  /** [V1] All scorers that load, by name. */
  scorers(): Promise<readonly ScorerRow[]>
}
