// Kinds of plans over HTTP [C30, T41]: for administrators, because a dispatcher acts with the tenant's rights. And the plans of a run.

import { readPlanSpec } from "../../core/plans/plan-spec.ts"
import { isName } from "../../core/flow/path-id.ts"
import { judgeCallback } from "../../engine/net/callback-address.ts"
import { MOST_SPECS } from "../../ports/plans.ts"
import { json } from "../middleware/body.ts"
import { isRunId, param, routes, type Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { page } from "../middleware/page.ts"
import { PlanBody, references } from "../../api/references.ts"

export const listPlanSpecs = async (c: Call): Promise<Response> => page(c, await c.get("tenant").plans.specs())

export async function getPlanSpec(c: Call): Promise<Response> {
  const found = (await c.get("tenant").plans.specs()).find(({ name }) => name === param(c, "plan"))
  return found ? c.json(found) : refuse(c, NOT_FOUND)
}

export async function putPlanSpec(c: Call): Promise<Response> {
  const name = param(c, "plan")
  if (!isName(name))
    return refuse(c, invalid([{ pointer: "", message: 'the name of a plan must have 1 to 100 letters, digits, "-" or "_"' }]))
  const body = json(c, PlanBody)
  if (!body.ok) return refuse(c, body.error)
  const spec = readPlanSpec(name, body.value)
  if (!spec.ok) return refuse(c, invalid(spec.error))
  const { dispatcher } = spec.value
  const address = "url" in dispatcher ? judgeCallback(dispatcher.url, c.get("house").privateHosts ?? []) : undefined
  if (address?.ok === false) return refuse(c, invalid([{ pointer: "/dispatcher/url", message: address.error }]))
  const done = await c.get("tenant").plans.putSpec(spec.value)
  if (done === "full") return refuse(c, { code: "too_many_kinds", detail: `A tenant has at most ${MOST_SPECS} kinds of plans.` })
  return c.json(spec.value, done === "created" ? 201 : 200)
}

export async function deletePlanSpec(c: Call): Promise<Response> {
  return (await c.get("tenant").plans.removeSpec(param(c, "plan"))) ? c.body(null, 204) : refuse(c, NOT_FOUND)
}

/** The plans that the run and its child runs have stored, oldest first. A child run has none of its own. */
export async function listRunPlans(c: Call): Promise<Response> {
  const id = param(c, "run")
  const house = c.get("tenant")
  const run = isRunId(id) ? await house.run(id).view() : undefined
  return run ? page(c, await house.plans.ofRun(id)) : refuse(c, NOT_FOUND)
}

export const PLAN_ROUTES = routes(references, {
  listPlans: listPlanSpecs,
  getPlan: getPlanSpec,
  putPlan: putPlanSpec,
  deletePlan: deletePlanSpec,
  listRunPlans,
})
