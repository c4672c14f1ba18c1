// A tenant's rules, which every model reply that calls tools is checked against [G1]. A run that has seen newer rules asks again at once.

import type { Rules } from "../../core/policy/policy.ts"
import { MOMENT_MS, RecentAnswers } from "./recent-answers.ts"

const rules = new RecentAnswers<Rules>(MOMENT_MS, 500)

export const forgetRules = (tenant: string): void => rules.forget((key) => key === tenant)

/** `seen`: the version that the run used last. Rejects if the tenant's object does not answer. */
export const currentRules = (tenant: string, seen: number, ask: () => Promise<Rules>, now: () => number): Promise<Rules> =>
  rules.get(tenant, { now, ask, isGood: ({ version }) => version >= seen })
