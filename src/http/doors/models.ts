// GET /v1/models [P26]: the tenant's flows as models. A flow that does not load is none.

import { hasErrors } from "../../core/diagnostic.ts"
import { param, type Call } from "../middleware/call.ts"
import { NOT_FOUND, refuse } from "../middleware/problem.ts"

/** Flows have no creation time of their own: the day of the API's first release. */
const CREATED = 1_764_547_200

const modelOf = (id: string) => ({ id, object: "model" as const, created: CREATED, owned_by: "sluice" })

export async function listModels(c: Call): Promise<Response> {
  const { data } = await c.get("tenant").catalog.files("flow")
  const ids = [...new Set(data.filter((row) => !hasErrors(row.diagnostics)).map(({ id }) => id))].sort()
  return c.json({ object: "list", data: ids.map(modelOf) })
}

export async function getModel(c: Call): Promise<Response> {
  const id = param(c, "flow")
  const { data } = await c.get("tenant").catalog.files("flow")
  const found = data.find((row) => row.id === id && !hasErrors(row.diagnostics))
  return found
    ? c.json(modelOf(id))
    : refuse(c, { ...NOT_FOUND, detail: "There is no flow of this name that this key can see.", more: { as: "model_not_found" } })
}

export const MODEL_HANDLERS = { listModels, getModel }
