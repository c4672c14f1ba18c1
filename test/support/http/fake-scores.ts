// Scorers and scores of a tenant without an object: none.

import type { ScoresPort } from "../../../src/ports/tenant/quality/scores.ts"

export class FakeScores implements ScoresPort {
  async scorers() {
    return []
  }
}
