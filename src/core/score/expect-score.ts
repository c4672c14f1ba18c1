// Scores a run by an expectation [V1]: 1 if the run fits, else 0, with the first misfit as the reason.

import { failuresOf } from "../case/tested-run.ts"
import type { Expectation } from "../case/test-case.ts"
import type { JsonObject } from "../json.ts"
import type { Account } from "./account.ts"
import type { Verdict } from "../run/said/score.ts"

export function expectScore(expect: Expectation, account: Account): Verdict {
  const files = new Map(Object.entries(account.files).flatMap(([path, text]) => (text === null ? [] : [[path, text] as const])))
  const [first] = failuresOf(expect, { found: account as unknown as JsonObject, files })
  if (!first) return { score: 1 }
  const reason = `${first.at === "" ? "the run" : first.at}: expected ${JSON.stringify(first.expected)}, found ${JSON.stringify(first.found)}`
  return { score: 0, reason }
}
