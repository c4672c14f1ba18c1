// POST /v1/flows/:flow/runs: pins the definitions, checks task and inputs, starts, answers. After the answer the run is durable [J14].
//
// Answers 202 with `Location` at once, 200 if the run ends or asks within `Prefer: wait=N` [H9], or a stream of events. The run continues
// even if the caller disconnects.

import { asksPeople, type RunView } from "../../core/run/views/view.ts"
import { pathAt } from "../middleware/address.ts"
import { BODY_LIMIT, json, tooLarge } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { callbackFaults } from "./callback-faults.ts"
import { asksForStream, live } from "./events.ts"
import { defined } from "../../core/defined.ts"
import { keyOf } from "../middleware/idempotency.ts"
import { notFoundNear } from "../middleware/near.ts"
import { invalid, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { runs, StartBody } from "../../api/run/runs.ts"
import { beginRun, flowAt } from "./begin-run.ts"
import { isKnownFlow } from "./known-flow.ts"

const WAIT_LIMIT = 90 // limit: seconds of `Prefer: wait` → counts as 90

export async function startRun(c: Call): Promise<Response> {
  const target = flowAt(param(c, "flow"))
  if (!target) return refuse(c, NOT_FOUND)
  const body = json(c, StartBody)
  if (c.get("body").byteLength > BODY_LIMIT && !(body.ok && body.value.files)) return refuse(c, tooLarge(BODY_LIMIT))
  const faults = body.ok && body.value.callback ? await callbackFaults(c, body.value.callback, "/callback") : []
  if (!body.ok || faults.length > 0) {
    // [H10] A flow that does not exist is 404, no matter what the body says.
    return (await isKnownFlow(c, target)) ? refuse(c, body.ok ? invalid(faults) : body.error) : notFoundNear(c, "flow", target.flow)
  }
  const key = keyOf(c)
  const seconds = asksForStream(c) ? undefined : waitOf(c.req.header("prefer"))
  const begun = await beginRun(c, {
    target,
    body: body.value,
    id: await c.get("tenant").runId(key),
    isDerived: key !== undefined,
    isStreamed: asksForStream(c),
    wait: seconds === undefined ? undefined : seconds * 1000,
  })
  if (!begun.ok) return begun.error === "no_flow" ? notFoundNear(c, "flow", target.flow) : refuse(c, begun.error)
  const { view, hasWaited, merged } = begun.value
  return answer(c, view, hasWaited, merged)
}

/** The response to a start without a wait. */
export function accepted(c: Call, view: RunView): Response {
  const { body, headers } = begunAt(c, view)
  return c.json(body, 202, headers)
}

function begunAt(c: Call, { id, flow, status, rehearsed, waiting }: RunView, merged?: true) {
  const self = pathAt(c, `/v1/runs/${id}`)
  const urls = { self, events: `${self}/events`, cancel: `${self}/cancel` }
  return {
    self,
    body: {
      id,
      flow,
      status,
      ...(rehearsed ? { rehearsed: true } : {}),
      ...defined({ merged }),
      ...(status === "queued" ? defined({ waiting }) : {}),
      urls,
    },
    headers: { location: self, "content-type": "application/json" },
  }
}

/** The response to every start. `hasWaited`: the view was read after the wait. */
export async function answer(c: Call, view: RunView, hasWaited = false, merged?: true): Promise<Response> {
  const { self, body, headers } = begunAt(c, view, merged)
  c.set("standIn", { status: 202, headers, body: JSON.stringify(body) })

  const port = c.get("tenant").run(view.id)
  if (asksForStream(c)) return live(c, await port.stream(0, { snapshot: c.req.query("snapshot") === "1" }), { location: self })

  const seconds = waitOf(c.req.header("prefer"))
  if (seconds === undefined) return c.json(body, 202, headers)
  const applied = { ...headers, "preference-applied": `wait=${seconds}` }
  // The run is durable, so the start succeeds even if its object goes away during the wait [J14].
  const seen = hasWaited ? view : await port.wait(seconds * 1000).catch(() => undefined)
  if (seen && settled(seen)) return c.json(seen, 200, applied)
  return c.json({ ...body, status: seen?.status ?? view.status }, 202, applied)
}

/** The run has ended, or nothing continues until a person answers. */
const settled = (view: RunView): boolean => view.ended !== undefined || asksPeople(view)

/** The wait in the request. RFC 7240: an unknown preference is not an error; a wait above the limit is reduced to it. */
export function waitOf(prefer: string | undefined): number | undefined {
  const seconds = /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:[;,]|$)/i.exec(prefer ?? "")?.[1]
  return seconds === undefined ? undefined : Math.min(Number(seconds), WAIT_LIMIT)
}

export const START_ROUTES = routes(runs, { startRun })
