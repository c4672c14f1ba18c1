// Counts the runs that wait for a grade, up to a page of them.

import { ScoresClient } from "../../../src/client/scores.ts"
import { useAsked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"

const MOST = 100

/** In words; undefined: none, or not known. */
export function useGradingCount(api: Api): string | undefined {
  const mayRead = api.who.scopes.includes("runs:read")
  const { value = 0 } = useAsked(["grading", "count"], async () =>
    mayRead ? (await new ScoresClient(api.transport).grading({ limit: MOST, brief: true }).page()).data.length : 0,
  )
  return value === 0 ? undefined : value === MOST ? `${MOST}+` : String(value)
}
