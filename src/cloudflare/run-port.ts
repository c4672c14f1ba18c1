// RunPort and IdempotencyPort over the run's Durable Object, named `tenant/run`. A fresh stub per call: one from before a reset is dead.

import type { IdempotencyPort, RunPort } from "../ports/run.ts"
import { relayed } from "./socket-relay.ts"
import { runStub, type RunDoor } from "./stubs.ts"

const RUN_ID = /^run_[0-9a-z]{26}$/

/** What RPC makes of recursive JSON types is not what they are; the object implements these very interfaces. */
type RunStub = Omit<RunPort, "stream" | "socket"> & IdempotencyPort & { fetch(request: Request): Promise<Response> }

export function runPort(env: RunDoor, tenant: string, id: string): RunPort {
  if (!RUN_ID.test(id)) return NO_RUN
  const object = (): RunStub => stub(env, tenant, id)
  return {
    start: (request) => object().start(request),
    view: () => object().view(),
    wait: (ms) => object().wait(ms),
    report: (ms) => object().report(ms),
    events: (after, limit) => object().events(after, limit),
    async stream(after, { snapshot, format = "" }) {
      const response = await object().fetch(
        new Request(`https://run/events?after=${after}&format=${format}${snapshot ? "&snapshot=1" : ""}`),
      )
      return response.status === 404 ? undefined : response
    },
    async socket(after, { format = "", key = "", acks = false }) {
      const query = new URLSearchParams({ after: String(after), format, key, ...(acks ? { ack: "1" } : {}) })
      const response = await object().fetch(new Request(`https://run/events?${query.toString()}`, { headers: { upgrade: "websocket" } }))
      return response.status === 404 ? undefined : relayed(response)
    },
    frames: (after, limit, format) => object().frames(after, limit, format),
    cancel: (by) => object().cancel(by),
    pause: (reason) => object().pause(reason),
    resume: (reason) => object().resume(reason),
    remove: () => object().remove(),
    interactions: (status) => object().interactions(status),
    interaction: (iid) => object().interaction(iid),
    answer: (iid, body, by) => object().answer(iid, body, by),
    steer: (step, message, by, act) => object().steer(step, message, by, act),
    signal: (name, payload, by, act) => object().signal(name, payload, by, act),
    files: () => object().files(),
    file: (path) => object().file(path),
    output: (handle) => object().output(handle),
    messages: (step, after) => object().messages(step, after),
    stepTools: (step) => object().stepTools(step),
  }
}

export const idempotencyPort = (env: RunDoor, tenant: string, id: string): IdempotencyPort => ({
  begin: (digest) => stub(env, tenant, id).begin(digest),
  end: (digest, answer) => stub(env, tenant, id).end(digest, answer),
})

const stub = (env: RunDoor, tenant: string, id: string): RunStub => runStub(env, tenant, id) as unknown as RunStub

/** [H2] A malformed id is nobody's run. */
const NO_RUN: RunPort = {
  start: () => Promise.reject(new Error("no run can have this id")),
  view: async () => undefined,
  wait: async () => undefined,
  report: async () => undefined,
  events: async () => undefined,
  stream: async () => undefined,
  socket: async () => undefined,
  frames: async () => undefined,
  cancel: async () => undefined,
  pause: async () => undefined,
  resume: async () => undefined,
  remove: async () => false,
  interactions: async () => undefined,
  interaction: async () => undefined,
  answer: async () => ({ ok: false, code: "not_found" }),
  steer: async () => ({ ok: false, code: "not_found" }),
  signal: async () => "not_found",
  files: async () => undefined,
  file: async () => undefined,
  output: async () => undefined,
  messages: async () => undefined,
  stepTools: async () => undefined,
}
