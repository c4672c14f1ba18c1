// Runs as rows and as wholes: list, look, cancel; steering a step and what tools it has.

import { z } from "zod"
import { RunStatus } from "../core/run/event.ts"
import type { RunPort } from "../ports/run.ts"
import { json } from "./body.ts"
import { isRunId, param, type Call } from "./call.ts"
import { invalid, NOT_FOUND, refuse, unsupported, type Refusal } from "./problem.ts"
import { page, whole, words } from "./query.ts"

/** The run of the path, or undefined for an id that cannot be one: nobody is asked about it [H2]. */
export const runOf = (c: Call): RunPort | undefined => {
  const id = param(c, "run")
  return isRunId(id) ? c.get("tenant").run(id) : undefined
}

/** [H10] What is wrong with a request matters only when its run exists. */
export async function refuseIf(c: Call, exists: unknown, refusal: Refusal): Promise<Response> {
  return refuse(c, (await exists) ? refusal : NOT_FOUND)
}

export async function listRuns(c: Call): Promise<Response> {
  const later = ["tag", "trigger", "created_after", "created_before"].find((name) => c.req.query(name) !== undefined)
  if (later !== undefined) return refuse(c, unsupported(`the filter ${later}`, `?${later}`))
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: 200, otherwise: 50 })
  if (!limit.ok) return refuse(c, limit.error)
  const status = words("status", c.req.query("status"), RunStatus.options)
  if (!status.ok) return refuse(c, status.error)
  const cursor = c.req.query("cursor")
  const flow = c.req.query("flow")
  const found = await c.get("tenant").tenant.listRuns({
    limit: limit.value,
    ...(cursor === undefined ? {} : { cursor }),
    ...(flow === undefined ? {} : { flow }),
    ...(status.value === undefined ? {} : { status: status.value }),
  })
  if ("badCursor" in found)
    return refuse(c, invalid([{ pointer: "?cursor", message: "is no cursor of this list; take `next_cursor` of the page before" }]))
  return c.json(found)
}

export async function getRun(c: Call): Promise<Response> {
  const view = await runOf(c)?.view()
  return view ? c.json(view) : refuse(c, NOT_FOUND)
}

/** [F34] An ended run is returned unchanged. */
export async function cancelRun(c: Call): Promise<Response> {
  const run = runOf(c)
  const body = json(c, z.strictObject({}))
  if (!body.ok) return refuseIf(c, run?.view(), body.error)
  const view = await run?.cancel(c.get("caller").name)
  return view ? c.json(view) : refuse(c, NOT_FOUND)
}

const SteerBody = z.strictObject({ message: z.string().trim().min(1, "must say something").max(65_536) })

/** [J24] */
export async function steerStep(c: Call): Promise<Response> {
  const run = runOf(c)
  const step = param(c, "step")
  const body = json(c, SteerBody)
  if (!body.ok) return refuseIf(c, hasStep(run, step), body.error)
  const queued = await run?.steer(step, body.value.message, c.get("caller").name)
  if (queued?.ok) return c.json({ id: queued.id, step, status: "queued" }, 202)
  if (queued?.code !== "not_running") return refuse(c, NOT_FOUND)
  return refuse(c, { code: "not_running", detail: `The step "${step}" is not running: only a running step can be steered.` })
}

async function hasStep(run: RunPort | undefined, step: string): Promise<boolean> {
  const view = await run?.view()
  return view !== undefined && Object.hasOwn(view.steps, step)
}

/** [G1] Each tool of a step's session, whether it is granted and by which rule. */
export async function stepTools(c: Call): Promise<Response> {
  const tools = await runOf(c)?.stepTools(param(c, "step"))
  return tools ? page(c, tools) : refuse(c, NOT_FOUND)
}
