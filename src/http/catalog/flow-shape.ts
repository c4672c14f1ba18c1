// Serves what tools need to show and edit a flow: its graph for drawing, the first text of a handler, and the JSON Schemas that editors use
// for completion.

import { readFlow } from "../../engine/catalog/check/language.ts"
import { SCHEMA_NAMES } from "../../engine/catalog/config/file-schemas.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { revisionOf } from "./catalog.ts"
import { notFoundNear } from "../middleware/near.ts"
import { drawn } from "./drawn-flow.ts"
import { matches } from "../middleware/download.ts"
import { faultOf, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { catalog } from "../../api/catalog.ts"

/** Drawn from the flow's own text, so missing agents do not matter. `?revision=N`: as it was. */
export async function getGraph(c: Call): Promise<Response> {
  const id = param(c, "flow")
  const port = c.get("tenant").catalog
  const revision = revisionOf(c)
  if (!revision.ok) return refuse(c, (await port.read("flow", id)) ? revision.error : NOT_FOUND)
  const found = await port.read("flow", id, revision.value)
  if (!found) return notFoundNear(c, "flow", id)
  const etag = `"${found.hash}"`
  if (matches(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers: { etag } })
  const { graph, diagnostics } = await drawn(found.content, id)
  if (graph) return c.json(graph, 200, { etag })
  const errors = diagnostics.filter((d) => d.severity === "error").map((d) => ({ ...faultOf(d), code: d.code }))
  return refuse(c, { code: "invalid_flow", detail: "A flow that does not load has no graph.", errors, more: { diagnostics } })
}

/** Facts that can be proven before a run: reachability, an end, values that may be missing, the range of model calls. */
export async function getCheck(c: Call): Promise<Response> {
  const id = param(c, "flow")
  const found = await c.get("tenant").catalog.check(id)
  return found ? c.json(found) : notFoundNear(c, "flow", id)
}

/** [F24] The first text of a handler, with its inputs and outputs as types. It is generated and never stored. */
export async function getScaffold(c: Call): Promise<Response> {
  const id = param(c, "flow")
  const found = await c.get("tenant").catalog.read("flow", id)
  const flow = found && readFlow(found.content, id).value
  const step = flow?.steps.find((s) => s.id === param(c, "step"))
  if (!flow || (step?.type !== "code" && step?.type !== "code-decision")) return refuse(c, NOT_FOUND)
  const { codeScaffold } = await import("../../engine/code/code-scaffold.ts")
  const text = codeScaffold(
    id,
    step,
    flow.steps.map((s) => s.id),
  )
  return c.body(text, 200, { "content-type": "text/typescript; charset=utf-8" })
}

/** Serves an editor schema such as `flow.json` or `agent.json`. */
export async function getSchema(c: Call): Promise<Response> {
  const name = SCHEMA_NAMES.find((known) => `${known}.json` === param(c, "schema"))
  if (name === undefined) return refuse(c, NOT_FOUND)
  const { describedSchema } = await import("../openapi/file-schemas.ts")
  return c.body(JSON.stringify(describedSchema(name)), 200, { "content-type": "application/schema+json" })
}

export const FLOW_SHAPE_ROUTES = routes(catalog, {
  getFlowGraph: getGraph,
  checkFlow: getCheck,
  getHandlerScaffold: getScaffold,
  getSchema,
})
