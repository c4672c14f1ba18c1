// Serves a tenant's policy and its results: GET and PUT /v1/settings/policy [T30, Q4, Q5], GET /v1/agents/:agent/tools [T33].

import { parsePolicy, policyView } from "../../core/tool/policy/parse-policy.ts"
import { missingNames } from "./rule-names.ts"
import { parseJson } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { short } from "../../core/text/pointer.ts"
import { invalid, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { page } from "../middleware/page.ts"
import { settings } from "../../api/settings.ts"
import { catalog } from "../../api/catalog.ts"

export const getPolicy = async (c: Call): Promise<Response> => c.json(policyView(await c.get("tenant").settings.policy()))

/** Replaces the whole policy; answers the new one with its defaults. */
export async function putPolicy(c: Call): Promise<Response> {
  const body = parseJson(c)
  if (!body.ok) return refuse(c, body.error)
  const policy = parsePolicy(body.value)
  if (!policy.ok) return refuse(c, invalid(policy.error))
  const missing = await missingNames(c, { policy: policy.value })
  if (missing !== undefined) return refuse(c, missing)
  await c.get("tenant").settings.putPolicy(policy.value)
  return c.json(policyView(policy.value))
}

/** Lists every tool: whether this agent would be granted it, and by which rule. */
export async function agentTools(c: Call): Promise<Response> {
  const { flow, step } = c.req.query()
  const { catalog } = c.get("tenant")
  const name = param(c, "agent")
  if ((flow === undefined) !== (step === undefined)) {
    const missing = flow === undefined ? "flow" : "step"
    const fault = invalid([{ pointer: `?${missing}`, message: "is missing: `flow` and `step` name a step together" }])
    return refuse(c, (await catalog.agentTools(name)) ? fault : NOT_FOUND)
  }
  const tools = await catalog.agentTools(name, ...(flow === undefined || step === undefined ? [] : [{ flow, step }]))
  if (tools) return page(c, tools)
  if (flow === undefined || step === undefined || !(await catalog.agentTools(name))) return refuse(c, NOT_FOUND)
  const message = `the agent ${short(name)} does not work in the step ${short(step)} of a flow ${short(flow)} that loads`
  return refuse(c, invalid([{ pointer: "?step", message }]))
}

export const POLICY_ROUTES = [...routes(settings, { getPolicy, putPolicy }), ...routes(catalog, { listAgentTools: agentTools })]
