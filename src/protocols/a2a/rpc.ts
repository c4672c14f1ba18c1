// Serves A2A over JSON-RPC [P18]: the same operations, each with its result or its error in an envelope. A stream's lines are envelopes too.

import { isObject, type JsonObject } from "../../core/json.ts"
import { err, type Result } from "../../core/result.ts"
import { a2aFault, faultOfRefusal, rpcError, rpcStatus, type A2aFault } from "./fault.ts"
import { parseJson } from "../../http/middleware/body.ts"
import { param, type Call } from "../../http/middleware/call.ts"
import { SILENCE } from "../../engine/run/run-frames.ts"
import { eventStream } from "../../http/middleware/sse.ts"
import { agentAt } from "./agent.ts"
import { cancel, get, list, send, stream, subscribe, type Items } from "./operations.ts"
import { createPush, deletePush, getPush, listPush } from "./push.ts"
import { NO_CARD, versionFault } from "./version.ts"

type Params = Readonly<Record<string, unknown>>
type Method = (c: Call, flow: string, params: Params) => Promise<Result<JsonObject, A2aFault>>

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["SendMessage", send],
  ["GetTask", get],
  ["ListTasks", list],
  ["CancelTask", (c, flow, { id }) => cancel(c, flow, id)],
  ["CreateTaskPushNotificationConfig", (c, flow, params) => createPush(c, flow, params["taskId"], params)],
  ["GetTaskPushNotificationConfig", getPush],
  ["ListTaskPushNotificationConfigs", (c, flow, { taskId }) => listPush(c, flow, taskId)],
  ["DeleteTaskPushNotificationConfig", deletePush],
  [
    "GetExtendedAgentCard",
    async (c, flow) => {
      const agent = await agentAt(c, flow)
      return err(agent.ok ? NO_CARD : agent.error)
    },
  ],
])

const STREAMS: ReadonlyMap<string, (c: Call, flow: string, params: Params) => Promise<Result<Items, A2aFault>>> = new Map([
  ["SendStreamingMessage", stream],
  ["SubscribeToTask", async (c: Call, flow: string, { id }: Params) => subscribe(c, flow, id)],
])

type Id = string | number | null

export async function callA2a(c: Call): Promise<Response> {
  const parsed = parseJson(c)
  if (!parsed.ok) return failed(null, faultOfRefusal(parsed.error))
  const body: unknown = parsed.value
  if (!isObject(body))
    return failed(null, a2aFault("INVALID_REQUEST", "Send one JSON-RPC request as an object; batches are not supported."))
  const { jsonrpc, id: given, method, params = {} } = body
  const id = typeof given === "string" || typeof given === "number" ? given : null
  if (jsonrpc !== "2.0" || typeof method !== "string" || (given !== undefined && given !== id))
    return failed(id, a2aFault("INVALID_REQUEST", 'A request has `jsonrpc: "2.0"`, an `id`, a `method` and `params`.'))
  const version = versionFault(c)
  if (version) return failed(id, version)
  const [plain, streams] = [METHODS.get(method), STREAMS.get(method)]
  if (!plain && !streams) return failed(id, a2aFault("METHOD_NOT_FOUND", `There is no such method; there are ${NAMES}.`))
  if (!isObject(params)) return failed(id, a2aFault("INVALID_PARAMS", "`params` must be an object."))
  const flow = param(c, "flow")
  if (streams) return streamed(c, id, await streams(c, flow, params))
  const result = await plain?.(c, flow, params)
  return result?.ok === true ? answer(id, { result: result.value }) : failed(id, result?.error ?? version ?? NO_CARD)
}

const NAMES = [...METHODS.keys(), ...STREAMS.keys()].join(", ")

const answer = (id: Id, more: object, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify({ jsonrpc: "2.0", id, ...more }), { status, headers: { ...headers, "content-type": "application/json" } })

const failed = (id: Id, fault: A2aFault): Response => answer(id, { error: rpcError(fault) }, rpcStatus(fault), fault.headers)

function streamed(c: Call, id: Id, items: Result<Items, A2aFault>): Response {
  if (!items.ok) return failed(id, items.error)
  return eventStream(c, async function* (signal) {
    for await (const item of items.value(signal)) yield item === SILENCE ? SILENCE : { data: { jsonrpc: "2.0", id, result: item } }
  })
}
