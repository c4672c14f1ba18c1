// Serves OpenAI Responses [P27, P28]: a message starts a run or answers its question, answers continue a run, and a response can be read
// again by its id.

import { isObject, type JsonObject } from "../../core/json.ts"
import { Thread } from "../../core/run/thread.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { parseJson } from "../../http/middleware/body.ts"
import { param, type Call } from "../../http/middleware/call.ts"
import { keyOf } from "../../http/middleware/idempotency.ts"
import { invalid, NOT_FOUND, refuse, type Refusal } from "../../http/middleware/problem.ts"
import { whole } from "../../http/middleware/query.ts"
import { flowAt, type FlowTarget } from "../../http/runs/begin-run.ts"
import { isKnownFlow } from "../../http/runs/known-flow.ts"
import { framesOf, SILENCE } from "../../engine/run/run-frames.ts"
import { eventStream } from "../../http/middleware/sse.ts"
import { takeMessage } from "../shared/take-message.ts"
import { giveAnswers, type Goes, type Previous } from "./response-answers.ts"
import { readResponse, type ResponseBody } from "./response-body.ts"
import { findResponse, runOfResponse, type FoundResponse, type ResponseObject } from "./response-reader.ts"
import { deadline } from "../../ports/timers.ts"

/** An answer that is not streamed is waited for so long. */
const WAIT_MS = 15 * 60_000
const NO_MODEL: Refusal = { ...NOT_FOUND, detail: "There is no flow of this name that this key can see.", more: { as: "model_not_found" } }

export async function createResponse(c: Call): Promise<Response> {
  const parsed = parseJson(c)
  if (!parsed.ok) return refuse(c, parsed.error)
  const body = readResponse(parsed.value)
  const named = isObject(parsed.value) && typeof parsed.value["model"] === "string" ? parsed.value["model"] : undefined
  const target = named === undefined ? undefined : flowAt(named)
  // [H10] A flow that does not exist is 404, no matter what the rest of the body says.
  if (named !== undefined && (!target || !(await isKnownFlow(c, target)))) return refuse(c, NO_MODEL)
  if (!body.ok || !target) return refuse(c, invalid(body.ok ? [] : body.error))
  const goes = await go(c, target, body.value, parsed.value)
  if (!goes.ok) return refuse(c, goes.error)
  const { run, wanted } = goes.value
  const found = await findResponse(c.get("tenant").run(run), run, wanted)
  if (!found) return refuse(c, NOT_FOUND)
  const { stream, background, echo } = body.value
  // What is asked again was the answer to another request.
  if (wanted !== "ended")
    await c
      .get("tenant")
      .run(run)
      .note(noteOf(found), echo as JsonObject)
  if (stream) return streamed(c, found, echo)
  return background ? c.json({ ...(await later(c, found)), ...echo }) : await waited(c, found, echo)
}

async function go(c: Call, target: FlowTarget, body: ResponseBody, request: unknown): Promise<Result<Goes, Refusal>> {
  const { message, before, answers, sluice } = body
  const { thread: own, ...start } = sluice
  const previous = body.previous === undefined ? undefined : await previousOf(c, target.flow, body.previous)
  if (previous && !previous.ok) return previous
  if (answers.length > 0) return giveAnswers(c, target.flow, answers, previous?.value)
  const said = previous?.value.thread ?? body.conversation ?? own
  const thread = said === undefined ? undefined : Thread.safeParse(said)
  if (thread && !thread.success) {
    const pointer = body.conversation === undefined ? "/sluice/thread" : "/conversation"
    return err(invalid([{ pointer, message: "must have 1 to 256 printable ASCII characters" }]))
  }
  if (!message) return err(invalid([{ pointer: "/input", message: "must have a message of the user" }]))
  const { text, attached } = message
  const clientId = keyOf(c)
  const taken = await takeMessage(c, { target, thread: thread?.data, clientId, request, text, attached, before, start, pointer: "/sluice" })
  if (!taken.ok) return err(taken.error === "no_flow" ? NO_MODEL : taken.error)
  const { run, after, asksAgain } = taken.value
  return ok({ run, wanted: asksAgain === true ? "ended" : { at: after + 1 } })
}

/** The response that this one follows; its thread goes on. */
async function previousOf(c: Call, flow: string, id: string): Promise<Result<Previous & { thread: string }, Refusal>> {
  const place = runOfResponse(id)
  const port = place && c.get("tenant").run(place.run)
  const view = await port?.view()
  const exists = place && port && view && (place.number === 1 || (await findResponse(port, place.run, { number: place.number })))
  if (exists && view.flow === flow) return ok({ ...place, thread: view.thread ?? place.run })
  const message = exists ? `is a response of the flow "${view.flow}"` : "is not a response that this key can see"
  return err({ ...invalid([{ pointer: "/previous_response_id", message }]), more: { as: "previous_response_not_found" } })
}

export async function getResponse(c: Call): Promise<Response> {
  const place = runOfResponse(param(c, "id"))
  const found = place && (await findResponse(c.get("tenant").run(place.run), place.run, { number: place.number }))
  if (!found) return refuse(c, NOT_FOUND)
  const echo = await echoOf(c, found)
  if (c.req.query("stream") !== "true") return c.json({ ...(await later(c, found)), ...echo })
  const after = whole("starting_after", c.req.query("starting_after"), { min: 0, max: Number.MAX_SAFE_INTEGER, otherwise: -1 })
  return after.ok ? streamed(c, found, echo, after.value) : refuse(c, after.error)
}

export async function cancelResponse(c: Call): Promise<Response> {
  const place = runOfResponse(param(c, "id"))
  const port = place && c.get("tenant").run(place.run)
  const wanted = port && (await findResponse(port, place.run, { number: place.number }))
  const view = wanted && (await port?.cancel(c.get("caller").name))
  if (!port || !view) return refuse(c, NOT_FOUND)
  // What waited for a person had ended as a response: the cancellation is one of its own.
  const found = await findResponse(port, place.run, view.status === "canceled" ? "last" : { number: place.number })
  if (!found) return refuse(c, NOT_FOUND)
  // [H1] Canceling reads nothing of a run that had ended before.
  const unread = c.get("caller").scopes.includes("runs:read") ? {} : { output: [], error: null }
  return c.json({ ...found.response, ...(await echoOf(c, found)), ...unread })
}

/** [P27] What its request said of itself is repeated whenever it is read. */
const noteOf = ({ response }: FoundResponse): string => `response ${String(response["id"])}`

async function echoOf(c: Call, found: FoundResponse): Promise<object> {
  const echo = await c.get("tenant").run(found.run).noted(noteOf(found))
  return isObject(echo) ? echo : {}
}

export async function deleteResponse(c: Call): Promise<Response> {
  const id = param(c, "id")
  const place = runOfResponse(id)
  const port = place && c.get("tenant").run(place.run)
  const exists = port && (place.number === 1 || (await findResponse(port, place.run, { number: place.number })))
  if (!exists || !(await port.remove())) return refuse(c, NOT_FOUND)
  return c.json({ id, object: "response", deleted: true })
}

/** The response as it is now. */
async function later(c: Call, { run, isOver, response }: FoundResponse): Promise<ResponseObject> {
  const isQueued = !isOver && (await c.get("tenant").run(run).view())?.status === "queued"
  return { ...response, ...(isQueued ? { status: "queued" } : {}) }
}

interface Numbered {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The frames of one response, each number once, also where the run's stream broke. `from`: the number before the first. */
async function* tell(c: Call, found: FoundResponse, from: number, signal: AbortSignal): AsyncGenerator<Numbered | typeof SILENCE, void> {
  const { run } = found
  const { id } = found.response
  let last = from
  for await (const frame of framesOf(c.get("tenant").run(run), found.from, "responses", signal)) {
    if (frame === SILENCE) {
      yield SILENCE
      continue
    }
    const { data } = frame
    const { type, sequence_number: number, response } = data
    if (typeof type !== "string" || typeof number !== "number") continue
    const isEnd = isObject(response) && type !== "response.created" && type !== "response.in_progress"
    if (isObject(response) && response["id"] !== id) return
    if (number > last) {
      last = number
      yield { type, data }
    }
    // A client may have heard of texts that no journal has: its end comes all the same.
    else if (isEnd && number < last) yield { type, data: { ...data, sequence_number: last + 1 } }
    if (isEnd) return
  }
}

const answered = (data: Numbered["data"], echo: object): Numbered["data"] =>
  isObject(data["response"]) ? { ...data, response: { ...data["response"], ...echo } } : data

const streamed = (c: Call, found: FoundResponse, echo: object, after = -1): Response =>
  eventStream(c, async function* (signal) {
    for await (const told of tell(c, found, after, signal))
      yield told === SILENCE ? SILENCE : { event: told.type, data: answered(told.data, echo) }
  })

async function waited(c: Call, found: FoundResponse, echo: object): Promise<Response> {
  const late = deadline(WAIT_MS, "the run goes on")
  let response: ResponseObject | undefined = found.isOver ? found.response : undefined
  try {
    if (!response)
      for await (const told of tell(c, found, -1, AbortSignal.any([late.signal, c.req.raw.signal])))
        if (told !== SILENCE && isObject(told.data["response"])) response = told.data["response"]
  } finally {
    late.end()
  }
  const { status, error } = response ?? found.response
  if (status === "failed" || status === "cancelled") {
    const { message, code } = isObject(error) ? error : {}
    return refuse(c, { code: "run_failed", detail: String(message), more: { run: found.run, as: String(code) } })
  }
  return c.json({ ...(response ?? found.response), ...echo })
}

export const RESPONSE_HANDLERS = { createResponse, getResponse, cancelResponse, deleteResponse }
