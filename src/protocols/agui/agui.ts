// POST /v1/flows/{flow}/agui [P19–P21]: serves a flow as an AG-UI agent. A message starts a run, `resume` answers the questions of the
// thread's run, and the response is the run's events until it ends or waits for a person.

import { defined } from "../../core/defined.ts"
import { isObject, type JsonObject } from "../../core/json.ts"
import { err } from "../../core/result.ts"
import type { RunView } from "../../core/run/views/view.ts"
import { parseJson } from "../../http/middleware/body.ts"
import type { Call } from "../../http/middleware/call.ts"
import { invalid, NOT_FOUND, refuse, type Refusal } from "../../http/middleware/problem.ts"
import { flowAt } from "../../http/runs/begin-run.ts"
import { isKnownFlow } from "../../http/runs/known-flow.ts"
import { framesOf, SILENCE } from "../../engine/run/run-frames.ts"
import { eventStream, type SseLine } from "../../http/middleware/sse.ts"
import { shownRefusal, strangeThread } from "../shared/chat-bounds.ts"
import { takeMessage } from "../shared/take-message.ts"
import type { Taken } from "../shared/take-once.ts"
import { readAgui, type AguiBody } from "./body.ts"
import { resumed } from "./resume.ts"
import { Spans } from "./spans.ts"

/** What is wrong with a message, and not with the request: events, which clients show [P21]. */
const RUN_ERRORS: ReadonlySet<Refusal["code"]> = new Set<Refusal["code"]>(["thread_busy", "idempotency_busy", "definitions_lost"])

async function runAgui(c: Call): Promise<Response> {
  const parsed = parseJson(c)
  if (!parsed.ok) return refuse(c, parsed.error)
  const target = flowAt(c.req.param("flow") ?? "")
  // [H10] A flow that does not exist is 404, no matter what the body says.
  if (!target || !(await isKnownFlow(c, target))) return refuse(c, NOT_FOUND)
  const body = readAgui(parsed.value)
  if (!body.ok) return refuse(c, invalid(body.error))
  const { thread, run, text, attached, before, unsaid, resume, sluice } = body.value
  const { thread: own, ...start } = sluice
  // [P9] The thread is the request's; whoever holds a token for it names no other.
  const strange = own === undefined ? undefined : strangeThread(c, typeof own === "string" ? own : undefined)
  if (strange) return refuse(c, strange)
  const taken = await takeMessage(c, {
    target,
    thread,
    clientId: run,
    text,
    attached,
    before,
    start,
    pointer: "/forwardedProps/sluice",
    own: async (newest) => (await resumed(c, resume, newest)) ?? (unsaid && err(invalid(unsaid))),
  })
  if (taken.ok) return eventStream(c, (signal) => tell(c, body.value, taken.value, signal))
  if (taken.error === "no_flow") return refuse(c, NOT_FOUND)
  const { code, detail, more } = taken.error
  const as = typeof more?.["as"] === "string" ? more["as"] : undefined
  if (as === undefined && !RUN_ERRORS.has(code)) return refuse(c, shownRefusal(c, taken.error))
  return eventStream(c, async function* () {
    yield {
      data: {
        type: "RUN_ERROR",
        message: detail,
        code: as ?? code,
        ...(more?.["run"] === undefined ? {} : { metadata: { sluice: more } }),
      },
    }
  })
}

/** The events of this AG-UI run, under the client's own ids. */
async function* tell(c: Call, body: AguiBody, taken: Taken, signal: AbortSignal): AsyncGenerator<SseLine | typeof SILENCE, void> {
  const port = c.get("tenant").run(taken.run)
  const ids = { threadId: body.thread, runId: body.run }
  const answered = new Set(taken.answered)
  const spans = new Spans()
  let begun = false
  for await (const frame of framesOf(port, taken.after, "agui", signal)) {
    if (frame === SILENCE) {
      yield SILENCE
      continue
    }
    const { type } = frame.data
    // [P9] What happens inside a run is for its owner.
    if (type === "CUSTOM" && c.get("caller").chat !== undefined) continue
    const data = spans.next(frame.data)
    if (data === undefined) continue
    if (type === "RUN_STARTED") {
      if (!begun) yield { data: { ...data, ...ids } }
      begun = true
      continue
    }
    // Something else than the answer has woken the run, so what opens its next AG-UI run was told before.
    if (!begun) for (const opening of await opens(c, taken)) yield { data: "runId" in opening ? { ...opening, ...ids } : opening }
    begun = true
    if (type !== "RUN_FINISHED" && type !== "RUN_ERROR") {
      yield { data }
      continue
    }
    // Between two answers of one `resume` the run may have waited for the second.
    if (type === "RUN_FINISHED" && isWithin(frame.data["outcome"], answered)) continue
    return yield { data: type === "RUN_FINISHED" ? { ...data, ...ids } : data }
  }
  if (!signal.aborted) yield { data: { type: "RUN_ERROR", message: `The run ${taken.run} is gone.`, code: "not_found" } }
}

function isWithin(outcome: unknown, answered: ReadonlySet<unknown>): boolean {
  if (!isObject(outcome) || !Array.isArray(outcome["interrupts"])) return false
  return outcome["interrupts"].every((one: unknown) => isObject(one) && answered.has(one["id"]))
}

/** How an AG-UI run begins at a place where the journal's has begun already. */
async function opens(c: Call, { run, after }: Taken): Promise<JsonObject[]> {
  const port = c.get("tenant").run(run)
  const then = await port.viewAt(after)
  const view = then?.ok === true ? then.value : await port.view()
  if (!view) return []
  const { id, flow, status, steps } = view
  return [
    { type: "RUN_STARTED", runId: id, protocolVersion: "1.0", metadata: { sluice: { run: id } } },
    { type: "STATE_SNAPSHOT", snapshot: { run: id, flow, status, steps: stepsOf(view) } },
    ...Object.entries(steps).flatMap(([step, now]) =>
      now.status === "running" || now.status === "waiting" ? [{ type: "STEP_STARTED", stepName: step }] : [],
    ),
  ]
}

const stepsOf = ({ steps }: RunView): JsonObject =>
  Object.fromEntries(Object.entries(steps).map(([id, { status, summary }]) => [id, { status, ...defined({ summary }) }]))

export const AGUI_HANDLERS = { runAgui }
