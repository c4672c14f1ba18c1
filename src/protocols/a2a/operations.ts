// Performs the operations of an A2A agent [P14–P16], the same over HTTP and JSON-RPC: each operation returns a result or a fault, and both
// bindings write them.

import { defined } from "../../core/defined.ts"
import { isObject, type JsonObject } from "../../core/json.ts"
import { isoTime, parseIsoTime } from "../../core/text/iso-time.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { TASK_STATES, taskState, taskStatus, type TaskState } from "./run-task.ts"
import type { RunStatus } from "../../core/run/event-parts.ts"
import type { RunView } from "../../core/run/views/view.ts"
import { pause } from "../../ports/timers.ts"
import type { RunListPort } from "../../ports/tenant/run-list.ts"
import type { RunPort } from "../../ports/run.ts"
import { a2aFault, badField, faultOfRefusal, TASK_NOT_FOUND, type A2aFault } from "./fault.ts"
import type { Call } from "../../http/middleware/call.ts"
import type { FlowTarget } from "../../http/runs/begin-run.ts"
import { NOT_FOUND } from "../../http/middleware/problem.ts"
import { framesOf, SILENCE } from "../../engine/run/run-frames.ts"
import { takeMessage } from "../shared/take-message.ts"
import { takeOnce, type Taken } from "../shared/take-once.ts"
import { agentAt, findTask, may } from "./agent.ts"
import { answerTask } from "./answer.ts"
import { readLength, readSending, type A2aMessage, type Sending } from "./message.ts"
import { judgedPush, keepPush, type PushConfig } from "./push.ts"
import { fileOf, isAsking, taskOf } from "./task.ts"

/** A task is waited for so long; a stream has no such limit. */
const WAIT_MS = 15 * 60_000
const ONE_WAIT_MS = 60_000
/** An answered run needs a moment to go on. */
const SETTLE_LOOKS = 6
const SETTLE_PAUSE = 50
/** Tasks of a page that are read from their runs at once. */
const READ_AT_ONCE = 8

type Params = Readonly<Record<string, unknown>>
type Outcome<T = JsonObject> = Promise<Result<T, A2aFault>>
export type Items = (signal: AbortSignal) => AsyncGenerator<JsonObject | typeof SILENCE, void>

/** Starts a run, or answers one. */
async function take(c: Call, flow: string, body: unknown): Promise<Result<{ readonly taken: Taken; readonly sending: Sending }, A2aFault>> {
  const lacking = may(c, "runs:write")
  if (lacking) return err(lacking)
  const target = await agentAt(c, flow)
  if (!target.ok) return target
  const sending = readSending(body)
  const named = taskIn(body)
  if (named !== undefined) {
    const answering = may(c, "interactions:answer")
    if (answering) return err(answering)
    const found = await findTask(c, flow, named, "message.taskId")
    if (!found.ok) return found
    if (!sending.ok) return sending
    const refused = await judgedPush(c, sending.value.push)
    if (!refused.ok) return refused
    const { port, view } = found.value
    const { message } = sending.value
    const once = { flow: view.flow, thread: view.thread, clientId: message.id }
    const push = refused.value
    const taken = await takeOnce<A2aFault>(c, once, async () => {
      const unkept = push && (await keepPush(c, view.id, push))
      return unkept ? err(faultOfRefusal(unkept)) : answerTask(c, port, message)
    })
    if (taken.ok) return ok({ taken: taken.value, sending: sending.value })
    return err("code" in taken.error ? faultOfRefusal(taken.error) : taken.error)
  }
  if (!sending.ok) return sending
  const refused = await judgedPush(c, sending.value.push)
  if (!refused.ok) return refused
  const taken = await start(c, target.value, sending.value.message, refused.value)
  return taken.ok ? ok({ taken: taken.value, sending: sending.value }) : taken
}

function taskIn(body: unknown): unknown {
  const message = isObject(body) ? body["message"] : undefined
  const id = isObject(message) ? message["taskId"] : undefined
  return id === "" || id === null ? undefined : id
}

async function start(c: Call, target: FlowTarget, message: A2aMessage, push: PushConfig | undefined): Promise<Result<Taken, A2aFault>> {
  const { text, attached, data, context } = message
  if (text.trim() === "" && attached.lines.length === 0) return err(badField("message.parts", "must have a text"))
  const { thread, inputs, ...rest } = message.sluice
  const given = data.length === 0 && inputs === undefined ? {} : { inputs: Object.assign({}, isObject(inputs) ? inputs : {}, ...data) }
  const taken = await takeMessage(c, {
    target,
    thread: context ?? (typeof thread === "string" ? thread : undefined),
    clientId: message.id,
    isOwn: true,
    ...(push === undefined ? {} : { prepare: (run: string) => keepPush(c, run, push) }),
    text,
    attached,
    before: [],
    start: rest,
    more: given,
    pointer: "/message/metadata/sluice",
  })
  return taken.ok ? taken : err(faultOfRefusal(taken.error === "no_flow" ? NOT_FOUND : taken.error))
}

export async function send(c: Call, flow: string, body: unknown): Outcome {
  const begun = await take(c, flow, body)
  if (!begun.ok) return begun
  const { taken, sending } = begun.value
  const port = c.get("tenant").run(taken.run)
  const view = sending.isImmediate ? await port.view() : await finished(c, port, taken)
  return view ? ok({ task: await taskOf(c, port, view, { historyLength: sending.historyLength }) }) : err(TASK_NOT_FOUND)
}

/** [P5] The run when it has ended or asks. */
async function finished(c: Call, port: RunPort, { after }: Taken): Promise<RunView | undefined> {
  const until = Date.now() + WAIT_MS
  const { signal } = c.req.raw
  if (after > 0) await settled(port)
  for (;;) {
    const view = await port.wait(Math.min(ONE_WAIT_MS, Math.max(0, until - Date.now())))
    if (!view || view.ended !== undefined || isAsking(view) || signal.aborted || Date.now() >= until) return view
    // Answered, and about to go on.
    if (view.status === "waiting") await pause(SETTLE_PAUSE, signal)
  }
}

async function settled(port: RunPort): Promise<RunView | undefined> {
  for (let n = 0; ; n++) {
    const view = await port.view()
    if (!view || !isAsking(view) || n === SETTLE_LOOKS) return view
    await pause(SETTLE_PAUSE)
  }
}

export async function stream(c: Call, flow: string, body: unknown): Outcome<Items> {
  const begun = await take(c, flow, body)
  if (!begun.ok) return begun
  const { taken, sending } = begun.value
  const port = c.get("tenant").run(taken.run)
  if (taken.after === 0) return ok((signal) => following(c, port, 0, signal))
  const { historyLength } = sending
  return ok(async function* (signal) {
    const view = await settled(port)
    if (!view) return
    yield { task: await taskOf(c, port, view, { historyLength }) }
    if (!isAsking(view) && view.ended === undefined) yield* following(c, port, taken.after, signal)
  })
}

export async function subscribe(c: Call, flow: string, id: unknown): Outcome<Items> {
  const lacking = may(c, "runs:read")
  if (lacking) return err(lacking)
  const found = await findTask(c, flow, id, "id")
  if (!found.ok) return found
  const { port, view } = found.value
  if (view.ended !== undefined) return err(a2aFault("UNSUPPORTED_OPERATION", "The task has ended; read it with GetTask."))
  return ok(async function* (signal) {
    yield { task: await taskOf(c, port, view) }
    if (!isAsking(view)) yield* following(c, port, view.seq, signal)
  })
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const LAST: ReadonlySet<unknown> = new Set(["INPUT_REQUIRED", "COMPLETED", "FAILED", "CANCELED"].map((state) => `TASK_STATE_${state}`))

/** The frames after this event, until the run ends or asks; small files come with their bytes. */
async function* following(c: Call, port: RunPort, after: number, signal: AbortSignal): AsyncGenerator<JsonObject | typeof SILENCE, void> {
  for await (const frame of framesOf(port, after, "a2a", signal)) {
    if (frame === SILENCE) {
      yield SILENCE
      continue
    }
    const item = frame.data as JsonObject
    const update = item["artifactUpdate"]
    const artifact = isObject(update) ? update["artifact"] : undefined
    const [path, run] = isObject(artifact) && isObject(update) ? [textOf(artifact["artifactId"]), textOf(update["taskId"])] : ["", ""]
    yield path.startsWith("file:") && isObject(update)
      ? { artifactUpdate: { ...update, artifact: await fileOf(c, port, { run, path: path.slice("file:".length) }) } as JsonObject }
      : item
    const status = isObject(item["statusUpdate"]) ? item["statusUpdate"]["status"] : undefined
    if (isObject(status) && LAST.has(status["state"])) return
  }
}

export async function get(c: Call, flow: string, { id, historyLength }: Params): Outcome {
  const lacking = may(c, "runs:read")
  if (lacking) return err(lacking)
  const found = await findTask(c, flow, id, "id")
  if (!found.ok) return found
  const length = readLength(historyLength, "historyLength")
  if (!length.ok) return length
  return ok(await taskOf(c, found.value.port, found.value.view, { historyLength: length.value }))
}

export async function cancel(c: Call, flow: string, id: unknown): Outcome {
  const lacking = may(c, "runs:write")
  if (lacking) return err(lacking)
  const found = await findTask(c, flow, id, "id")
  if (!found.ok) return found
  const { port, view } = found.value
  if (view.ended !== undefined) return err(a2aFault("TASK_NOT_CANCELABLE", `The task has ended: its run is ${view.status}.`))
  const now = await port.cancel(c.get("caller").name)
  // [H1] Canceling reads nothing of the run.
  const unread = may(c, "runs:read") === undefined ? {} : { historyLength: 0, artifacts: false }
  return now ? ok(await taskOf(c, port, now, unread)) : err(TASK_NOT_FOUND)
}

const STATES: Readonly<Record<TaskState, NonNullable<Parameters<RunListPort["tasks"]>[0]["state"]>>> = {
  SUBMITTED: "queued",
  WORKING: "working",
  INPUT_REQUIRED: "asking",
  COMPLETED: "succeeded",
  FAILED: "failed",
  CANCELED: "canceled",
}
/** States of the protocol that no run has. */
const NEVER = ["TASK_STATE_REJECTED", "TASK_STATE_AUTH_REQUIRED"]
const [MAX_PAGE, PAGE] = [100, 50]

export async function list(c: Call, flow: string, params: Params): Outcome {
  const lacking = may(c, "runs:read")
  if (lacking) return err(lacking)
  const target = await agentAt(c, flow)
  if (!target.ok) return target
  const size = readLength(params["pageSize"], "pageSize")
  const length = readLength(params["historyLength"], "historyLength")
  if (!size.ok) return size
  if (!length.ok) return length
  const pageSize = size.value ?? PAGE
  if (pageSize < 1 || pageSize > MAX_PAGE) return err(badField("pageSize", `must be from 1 to ${MAX_PAGE}`))
  const [context, status, token, after] = ["contextId", "status", "pageToken", "statusTimestampAfter"].map((name) => wordOf(params[name]))
  const wanted =
    status === undefined || status === "TASK_STATE_UNSPECIFIED" ? undefined : TASK_STATES.find((s) => `TASK_STATE_${s}` === status)
  const isNever = status !== undefined && NEVER.includes(status)
  if (status !== undefined && status !== "TASK_STATE_UNSPECIFIED" && wanted === undefined && !isNever)
    return err(badField("status", "must be a TaskState such as TASK_STATE_COMPLETED"))
  const since = after === undefined ? undefined : parseIsoTime(after)
  if (after !== undefined && since === undefined)
    return err(badField("statusTimestampAfter", "must be a time such as 2026-12-24T18:00:00Z"))
  const found = isNever
    ? { data: [], total: 0, next_cursor: null }
    : await c.get("tenant").runList.tasks({
        flow: target.value.flow,
        limit: pageSize,
        ...defined({ thread: context, state: wanted === undefined ? undefined : STATES[wanted], cursor: token, since: isoTime(since) }),
      })
  if ("badCursor" in found) return err(badField("pageToken", "is not a token of this list; send the nextPageToken of the page before"))
  const wish = { historyLength: length.value ?? 0, artifacts: isTrue(params["includeArtifacts"]) }
  const tasks: JsonObject[] = []
  for (let at = 0; at < found.data.length; at += READ_AT_ONCE)
    tasks.push(...(await Promise.all(found.data.slice(at, at + READ_AT_ONCE).map((row) => itemOf(c, row, wish)))))
  return ok({ tasks, nextPageToken: found.next_cursor ?? "", pageSize, totalSize: found.total })
}

const wordOf = (value: unknown): string | undefined =>
  value === undefined || value === null || value === "" ? undefined : typeof value === "string" ? value : JSON.stringify(value)
const isTrue = (value: unknown): boolean => value === true || value === "true" || value === "1"

/** What the row does not have is read from the run. */
async function itemOf(
  c: Call,
  row: JsonObject,
  wish: { readonly historyLength: number; readonly artifacts: boolean },
): Promise<JsonObject> {
  const [run, thread, flow] = [textOf(row["id"]), textOf(row["thread"] ?? row["id"]), textOf(row["flow"])]
  const isOpen = isAsking(row as unknown as Pick<RunView, "status" | "pending" | "waiting">)
  if (wish.artifacts || wish.historyLength > 0 || isOpen) {
    const port = c.get("tenant").run(run)
    const view = await port.view()
    if (view) return taskOf(c, port, view, wish)
  }
  const status = row["status"] as RunStatus
  const at = Date.parse(textOf(row["since"] ?? row["ended"] ?? row["created"]))
  return {
    id: run,
    contextId: thread,
    status: taskStatus(taskState(status, isOpen), at),
    metadata: { sluice: { run, flow, status, usage: row["usage"] ?? null } },
  }
}
