// Serves kinds of plans [C30, T41], for administrators because a dispatcher acts with the tenant's rights, and the plans of a run.

import { readPlanSpec, type PlanSpec } from "../../core/plans/plan-spec.ts"
import { err, type Result } from "../../core/result.ts"
import { judgeCallback } from "../../engine/net/callback-address.ts"
import { outward } from "../middleware/outward.ts"
import { isRunId, param, routes, type Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, refuse, type Refusal } from "../middleware/problem.ts"
import { page } from "../middleware/page.ts"
import { references } from "../../api/references.ts"

/** The stored kind of plan. */
export function planOf(c: Call, name: string, body: unknown): Result<PlanSpec, Refusal> {
  const spec = readPlanSpec(name, body)
  if (!spec.ok) return err(invalid(spec.error))
  const { dispatcher } = spec.value
  const address = "url" in dispatcher ? judgeCallback(dispatcher.url, outward(c)) : undefined
  return address?.ok === false ? err(invalid([{ pointer: "/dispatcher/url", message: address.error }])) : spec
}

/** The plans that the run and its child runs have stored, oldest first. A child run has none of its own. */
export async function listRunPlans(c: Call): Promise<Response> {
  const id = param(c, "run")
  const tenant = c.get("tenant")
  const run = isRunId(id) ? await tenant.run(id).view() : undefined
  return run ? page(c, await tenant.plans.ofRun(id)) : refuse(c, NOT_FOUND)
}

export const PLAN_ROUTES = routes(references, { listRunPlans })
