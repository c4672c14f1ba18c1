// GET /v1/models [P26]: lists the flows that a tenant is offered, as models.

import { hasErrors } from "../../core/diagnostic.ts"
import { offeredFlows } from "../../engine/catalog/offered-flows.ts"
import { param, type Call } from "../../http/middleware/call.ts"
import { NOT_FOUND, refuse } from "../../http/middleware/problem.ts"
import { flowAt } from "../../http/runs/begin-run.ts"
import { isKnownFlow } from "../../http/runs/known-flow.ts"

/** Flows have no creation time of their own: the day of the API's first release. */
const CREATED = 1_764_547_200

const modelOf = (id: string) => ({ id, object: "model" as const, created: CREATED, owned_by: "sluice" })

export async function listModels(c: Call): Promise<Response> {
  const { data } = await c.get("tenant").catalog.files("flow")
  const ids = [...new Set(offeredFlows(data).map(({ id }) => id))].sort()
  return c.json({ object: "list", data: ids.map(modelOf) })
}

/** Finds a model by any name that a request may give as `model` [P25]. */
export async function getModel(c: Call): Promise<Response> {
  const id = param(c, "flow")
  return (await isModel(c, id))
    ? c.json(modelOf(id))
    : refuse(c, { ...NOT_FOUND, detail: "There is no flow of this name that this key can see.", more: { as: "model_not_found" } })
}

async function isModel(c: Call, id: string): Promise<boolean> {
  const { catalog } = c.get("tenant")
  const target = flowAt(id)
  if (!target) return false
  if (target.draft !== undefined) return isKnownFlow(c, target)
  const file = await catalog.read("flow", target.flow, target.revision)
  return file !== undefined && !hasErrors(file.diagnostics)
}
