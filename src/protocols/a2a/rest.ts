// Serves A2A over HTTP+JSON [P13]. A task's own calls end in `:cancel` and `:subscribe`; the router gives them as part of the task's name.

import type { JsonObject } from "../../core/json.ts"
import type { Result } from "../../core/result.ts"
import type { a2a } from "../../api/a2a.ts"
import { faultOfRefusal, restError, type A2aFault } from "./fault.ts"
import { parseJson } from "../../http/middleware/body.ts"
import { param, type Call, type Handler } from "../../http/middleware/call.ts"
import { SILENCE } from "../../engine/run/run-frames.ts"
import { eventStream } from "../../http/middleware/sse.ts"
import { readCard } from "./card.ts"
import { agentAt } from "./agent.ts"
import { cancel, get, list, send, stream, subscribe, type Items } from "./operations.ts"
import { createPush, deletePush, getPush, listPush } from "./push.ts"
import { callA2a } from "./rpc.ts"
import { NO_CARD, versionFault } from "./version.ts"

const MEDIA = "application/a2a+json"

function faulty(fault: A2aFault): Response {
  return new Response(JSON.stringify(restError(fault)), {
    status: fault.status,
    headers: { ...fault.headers, "content-type": "application/json" },
  })
}

const answered = (result: Result<JsonObject, A2aFault>, status = 200): Response =>
  result.ok
    ? new Response(status === 204 ? null : JSON.stringify(result.value), {
        status,
        headers: status === 204 ? {} : { "content-type": MEDIA },
      })
    : faulty(result.error)

function streamed(c: Call, items: Result<Items, A2aFault>): Response {
  if (!items.ok) return faulty(items.error)
  return eventStream(c, async function* (signal) {
    for await (const item of items.value(signal)) yield item === SILENCE ? SILENCE : { data: item }
  })
}

/** Each call of the protocol names its version. */
const versioned =
  (handler: (c: Call, flow: string) => Promise<Response>): Handler =>
  (c) => {
    const fault = versionFault(c)
    return fault ? faulty(fault) : handler(c, param(c, "flow"))
  }

/** A body that cannot be read is told only of an agent that exists. */
const withBody = (act: (c: Call, flow: string, body: unknown) => Promise<Response>): Handler =>
  versioned(async (c, flow) => {
    const body = parseJson(c)
    if (body.ok) return act(c, flow, body.value)
    const agent = await agentAt(c, flow)
    return faulty(agent.ok ? faultOfRefusal(body.error) : agent.error)
  })

const task = (c: Call): string => param(c, "task").replace(/:[a-z]+$/, "")
const config = (c: Call) => ({ taskId: task(c), id: param(c, "config") })

export const A2A_HANDLERS = {
  readAgentCard: readCard,
  callA2a,
  readExtendedAgentCard: versioned(async (c, flow) => {
    const agent = await agentAt(c, flow)
    return faulty(agent.ok ? NO_CARD : agent.error)
  }),
  sendA2aMessage: withBody(async (c, flow, body) => answered(await send(c, flow, body))),
  streamA2aMessage: withBody(async (c, flow, body) => streamed(c, await stream(c, flow, body))),
  listA2aTasks: versioned(async (c, flow) => answered(await list(c, flow, c.req.query()))),
  cancelA2aTask: versioned(async (c, flow) => answered(await cancel(c, flow, task(c)))),
  followA2aTask: versioned(async (c, flow) => streamed(c, await subscribe(c, flow, task(c)))),
  subscribeA2aTask: versioned(async (c, flow) => streamed(c, await subscribe(c, flow, task(c)))),
  getA2aTask: versioned(async (c, flow) => answered(await get(c, flow, { id: task(c), historyLength: c.req.query("historyLength") }))),
  createA2aPush: withBody(async (c, flow, body) => answered(await createPush(c, flow, task(c), body), 201)),
  listA2aPushes: versioned(async (c, flow) => answered(await listPush(c, flow, task(c)))),
  getA2aPush: versioned(async (c, flow) => answered(await getPush(c, flow, config(c)))),
  deleteA2aPush: versioned(async (c, flow) => answered(await deletePush(c, flow, config(c)), 204)),
} satisfies { readonly [Id in keyof typeof a2a]: Handler }
