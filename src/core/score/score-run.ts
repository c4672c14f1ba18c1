// Scores a run by whatever needs neither a model nor an isolate: an expectation, or a built-in scorer [V1, V3, V8]. undefined: a judge or a
// handler has to say.

import { isObject } from "../json.ts"
import type { RunEvent } from "../run/event.ts"
import type { Account } from "./account.ts"
import { expectScore } from "./expect-score.ts"
import type { Verdict } from "../run/said/score.ts"
import type { Scorer } from "../flow/scorer.ts"
import { toolsWorked, type WorkedSteps } from "./tools-worked.ts"

/** What is scored: the account, and what only the built-in scorers read. */
export interface ScoredRun {
  readonly account: Account
  readonly view: WorkedSteps
  readonly events: readonly RunEvent[]
}

export function scoreRun({ account, view, events }: ScoredRun, scorer: Scorer): Verdict | undefined {
  if (scorer.expect !== undefined) return expectScore(scorer.expect, account)
  if (scorer.judge !== undefined) return withoutJudge(account, scorer)
  if (scorer.kind !== "built-in") return undefined
  switch (scorer.name) {
    case "succeeded":
      return { score: account.status === "succeeded" ? 1 : 0 }
    case "tools-worked":
      return toolsWorked(view, events)
    case "expected":
      return isObject(account.expected) ? expectScore(account.expected, account) : NOT_APPLICABLE
    default:
      return NOT_APPLICABLE
  }
}

const NOT_APPLICABLE: Verdict = { score: null }

/** What a judge is not asked [V3, V8]: a failed run gets 0, and where a row has no criteria, there is nothing to judge. */
function withoutJudge(account: Account, scorer: Scorer): Verdict | undefined {
  if (scorer.kind === "built-in" && account.criteria === null) return NOT_APPLICABLE
  return account.status === "succeeded" ? undefined : { score: 0, reason: "the run failed" }
}
