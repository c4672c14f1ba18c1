// Checks a scorer's file for the catalog [V1]. Loaded when one is read: most tenants have none.

import { defined } from "../../../core/defined.ts"
import { parseScorer, type ScorerWorld } from "../../../core/score/parse-scorer.ts"
import type { Scorer } from "../../../core/flow/scorer.ts"
import type { Checked } from "./language.ts"

export function checkScorer(text: string, world: ScorerWorld): Checked<Scorer> {
  const { scorer, diagnostics } = parseScorer(text, world)
  return { ...defined({ value: scorer }), diagnostics }
}
