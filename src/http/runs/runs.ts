// Serves runs: list, read, cancel, pause, resume, delete; steer a step, list its tools, read its conversation.

import { MAX_STEERS } from "../../core/run/session/admit-session.ts"
import { bareRun } from "../../core/run/views/bare-run.ts"
import type { RunView } from "../../core/run/views/view.ts"
import type { RunPort } from "../../ports/run.ts"
import { json } from "../middleware/body.ts"
import { isRunId, param, routes, type Call, type Handler } from "../middleware/call.ts"
import { lost, NOT_FOUND, refuse, type Refusal } from "../middleware/problem.ts"
import { BAD_CURSOR, page } from "../middleware/page.ts"
import { oneWord, whole } from "../middleware/query.ts"
import { MAX_PAGE, NoBody } from "../../api/route/route.ts"
import { COUNTED_BY, RUN_SORTS, runs, SteerBody } from "../../api/run/runs.ts"
import { defined } from "../../core/defined.ts"
import { filterOf } from "./run-filter.ts"
import { noMoment, seqOf } from "./moment.ts"
import { shownRun } from "./public-run.ts"

/** The run of the path; undefined for a malformed id, so that no object is asked about it [H2]. */
export const runOf = (c: Call): RunPort | undefined => {
  const id = param(c, "run")
  return isRunId(id) ? c.get("tenant").run(id) : undefined
}

/** [H10] Refuses a request, or returns 404 first if its run does not exist. */
export async function refuseIf(c: Call, exists: unknown, refusal: Refusal): Promise<Response> {
  return refuse(c, (await exists) ? refusal : NOT_FOUND)
}

export async function listRuns(c: Call): Promise<Response> {
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: 200, otherwise: 50 })
  if (!limit.ok) return refuse(c, limit.error)
  const filter = filterOf((name) => c.req.query(name))
  if (!filter.ok) return refuse(c, filter.error)
  const sort = oneWord("sort", c.req.query("sort"), RUN_SORTS)
  if (!sort.ok) return refuse(c, sort.error)
  const cursor = c.req.query("cursor")
  const found = await c.get("tenant").runList.list({ limit: limit.value, ...defined({ cursor, sort: sort.value }), ...filter.value })
  if ("badCursor" in found) return refuse(c, BAD_CURSOR)
  return c.json(found)
}

export async function countRuns(c: Call): Promise<Response> {
  const by = oneWord("by", c.req.query("by"), COUNTED_BY)
  if (!by.ok) return refuse(c, by.error)
  const first = by.value ?? "status"
  const filter = filterOf((name) => c.req.query(name))
  if (!filter.ok) return refuse(c, filter.error)
  return c.json({ by: first, ...(await c.get("tenant").runList.counts(first, filter.value)) })
}

export async function getRun(c: Call): Promise<Response> {
  const at = seqOf(c)
  if (at === undefined) {
    const view = await runOf(c)?.view()
    return view ? c.json(shownRun(c, view)) : refuse(c, NOT_FOUND)
  }
  const then = await runOf(c)?.viewAt(at)
  return then?.ok ? c.json(shownRun(c, then.value)) : refuse(c, noMoment(then))
}

/** A command to the whole run; answers the run. An ended run does not change [F34], and repeating a command has no effect. */
const command =
  (act: (run: RunPort, by: string) => Promise<RunView | undefined>): Handler =>
  async (c) => {
    const run = runOf(c)
    const body = json(c, NoBody)
    if (!body.ok) return refuseIf(c, run?.view(), body.error)
    const view = run && (await act(run, c.get("caller").name))
    return view ? c.json(told(c, view)) : refuse(c, NOT_FOUND)
  }

/** [H1] Who may not read runs gets no run's content by commanding it. */
const told = (c: Call, view: RunView): RunView => (c.get("caller").scopes.includes("runs:read") ? view : bareRun(view))

export const cancelRun = command((run, by) => run.cancel(by))
/** No action starts; those in progress finish and are recorded. */
export const pauseRun = command((run) => run.pause("operator"))
export const resumeRun = command((run) => run.resume("operator"))

/** [H5] Seconds after which the shared, cached and replayed data of a deleted run or session is gone. */
export const ERASED = { "sluice-erased-within": "86400" }

/** A live run is canceled first. Afterwards its address is 404. */
export async function deleteRun(c: Call): Promise<Response> {
  return (await runOf(c)?.remove()) === true ? c.body(null, 204, ERASED) : refuse(c, NOT_FOUND)
}

/** [J21] The conversation of a step's latest pass. */
export async function stepMessages(c: Call): Promise<Response> {
  const run = runOf(c)
  const step = param(c, "step")
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: MAX_PAGE, otherwise: 0 })
  if (!limit.ok) return refuseIf(c, hasStep(run, step), limit.error)
  const [, after, skip] = /^(\d{1,15})(?:\.(\d{1,6}))?$/.exec(c.req.query("cursor") ?? "0") ?? []
  if (after === undefined) return refuseIf(c, hasStep(run, step), BAD_CURSOR)
  const page = { ...(skip === undefined ? {} : { skip: Number(skip) }), ...(limit.value === 0 ? {} : { limit: limit.value }) }
  const found = await run?.messages(step, Number(after), page)
  if (!found) return refuse(c, NOT_FOUND)
  const next = found.next === null ? null : `${found.next}${found.skip === undefined ? "" : `.${found.skip}`}`
  return c.json({ data: found.data, next_cursor: next })
}

/** [J24] Sends a message to the agent of a running step. */
export async function steerStep(c: Call): Promise<Response> {
  const run = runOf(c)
  const step = param(c, "step")
  const body = json(c, SteerBody)
  if (!body.ok) return refuseIf(c, hasStep(run, step), body.error)
  const queued = await run?.steer(step, body.value.message, c.get("caller").name, c.get("act"))
  if (queued?.ok) return c.json({ id: queued.id, step, status: "queued" }, 202)
  if (queued?.code === "definitions_lost") return refuse(c, lost(queued.why))
  if (queued?.code === "too_many") {
    const detail = `${MAX_STEERS} messages already wait for the step "${step}"; they are delivered with its next model call.`
    return refuse(c, { code: "too_many_steers", detail, headers: { "retry-after": "5" } })
  }
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

export const RUN_ROUTES = routes(runs, {
  listRuns,
  countRuns,
  getRun,
  deleteRun,
  cancelRun,
  pauseRun,
  resumeRun,
  steerStep,
  listStepTools: stepTools,
  listStepMessages: stepMessages,
})
