// RunPort and IdempotencyPort over the run's Durable Object, named `tenant/run`. Each call takes a fresh stub: a stub from before a reset
// of its object is dead.

import type { IdempotencyPort, RunPort } from "../../ports/run.ts"
import { roomsOver, type Asked } from "../platform/rooms.ts"
import type { RunObject, RunRooms } from "../run/run-object.ts"
import { clock } from "../platform/clock.ts"
import { carriedSecrets } from "./secret-cache.ts"
import { relayed } from "./socket-relay.ts"
import { runStub, type RunDoor } from "../platform/stubs.ts"

const RUN_ID = /^run_[0-9a-z]{26}$/

/** RPC's own types cannot express recursive JSON, so the types of the object are used. */
type RunStub = Pick<RunObject, "start" | "remove" | "begin" | "end" | "fetch">

export function runPort(env: RunDoor, tenant: string, id: string): RunPort {
  if (!RUN_ID.test(id)) return NO_RUN
  const object = (): RunStub => stub(env, tenant, id)
  const rooms = runRooms(env, tenant, id)
  return {
    // With the vault that this isolate has cached, so that the object of the run need not ask for it.
    start: (request) => object().start(request, carriedSecrets(tenant, clock.now)),
    view: () => rooms.reading.view(),
    wait: (ms) => rooms.reading.wait(ms),
    report: (ms) => rooms.reading.report(ms),
    events: (after, limit) => rooms.reading.events(after, limit),
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
    frames: (after, limit, format) => rooms.reading.frames(after, limit, format),
    cancel: (by) => rooms.signals.cancel(by),
    pause: (reason) => rooms.signals.pause(reason),
    resume: (reason) => rooms.signals.resume(reason),
    remove: () => object().remove(),
    interactions: (status) => rooms.reading.interactions(status),
    interaction: (iid) => rooms.reading.interaction(iid),
    answer: (iid, body, by) => rooms.signals.answer(iid, body, by),
    steer: (step, message, by, idempotencyToken) => rooms.signals.steer(step, message, by, idempotencyToken),
    signal: (name, payload, by, idempotencyToken) => rooms.signals.signal(name, payload, by, idempotencyToken),
    files: () => rooms.reading.files(),
    file: (path) => rooms.reading.file(path),
    output: (handle) => rooms.reading.output(handle),
    messages: (step, after) => rooms.reading.messages(step, after),
    stepTools: (step) => rooms.reading.stepTools(step),
  }
}

export const idempotencyPort = (env: RunDoor, tenant: string, id: string): IdempotencyPort => ({
  begin: (digest) => stub(env, tenant, id).begin(digest),
  end: (digest, answer) => stub(env, tenant, id).end(digest, answer),
})

/** A fresh stub for every call. */
export const runRooms = (env: RunDoor, tenant: string, id: string): Asked<RunRooms> =>
  roomsOver<RunRooms>((room, method, args) => runStub(env, tenant, id).ask(room, method, args))

const stub = (env: RunDoor, tenant: string, id: string): RunStub => runStub(env, tenant, id) as unknown as RunStub

/** [H2] A malformed id names no run. */
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
