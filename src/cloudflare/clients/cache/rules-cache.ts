// Caches a tenant's rules, against which every model reply with tool calls is checked [G1]. For a run that has seen newer rules they are
// read again at once.

import type { Rules } from "../../../core/tool/policy/policy.ts"
import type { TenantNamespace } from "../../platform/stubs.ts"
import { deskFor, deskOr } from "../../desks/known-desks.ts"
import { portOf } from "../../platform/port-of.ts"
import { MOMENT_MS, RecentAnswers } from "../../platform/recent-answers.ts"
import { perIsolate } from "../../../ports/isolate.ts"

const cached = perIsolate(() => new RecentAnswers<Rules>(MOMENT_MS, 500))

export const forgetRules = (tenant: string): void => cached().forget((key) => key === tenant)

/** `seen`: the version that the run used last. Rejects if the tenant's object does not answer. */
export const currentRules = (tenant: string, seen: number, ask: () => Promise<Rules>, now: () => number): Promise<Rules> =>
  cached().get(tenant, { now, ask, isGood: ({ version }) => version >= seen })

/** Reads the rules from a desk of the tenant, or from its object. */
export const askedRules = (env: TenantNamespace, tenant: string, now: () => number): (() => Promise<Rules>) => {
  const { rules } = portOf(env, tenant, "settings")
  return () => deskOr(deskFor(env, tenant, tenant, now()), (desk) => desk.rules(), rules)
}
