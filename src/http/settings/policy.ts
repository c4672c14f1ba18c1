// A tenant's policy and what follows from it: GET and PUT /v1/settings/policy [T30, Q4, Q5], GET /v1/agents/:agent/tools [T33].

import { parsePolicy, policyView } from "../../core/policy/parse-policy.ts"
import { parseJson } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
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
  await c.get("tenant").settings.putPolicy(policy.value)
  return c.json(policyView(policy.value))
}

/** Every tool: whether this agent would be granted it, and by which rule. */
export async function agentTools(c: Call): Promise<Response> {
  const tools = await c.get("tenant").catalog.agentTools(param(c, "agent"))
  return tools ? page(c, tools) : refuse(c, NOT_FOUND)
}

export const POLICY_ROUTES = [...routes(settings, { getPolicy, putPolicy }), ...routes(catalog, { listAgentTools: agentTools })]
