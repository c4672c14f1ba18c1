// Implements RunPort over the run's object, named `tenant/run`: its rooms, and the calls outside the rooms. Each call takes a fresh stub
// and is never repeated.

import { withOverrides } from "../../engine/with-overrides.ts"
import type { RunRooms } from "../../ports/objects.ts"
import { RUN_ID, type RunPort } from "../../ports/run.ts"
import type { IdempotencyPort } from "../../ports/tenant/idempotency.ts"
import { clock } from "../platform/clock.ts"
import { members, roomsOver } from "../platform/rooms.ts"
import { runStub, type RunNamespace } from "../platform/stubs.ts"
import { carriedSecrets } from "../platform/secret-cache.ts"
import { relayed } from "./socket-relay.ts"

export function runPort(env: RunNamespace, tenant: string, id: string): RunPort {
  if (!RUN_ID.test(id)) return NO_RUN
  const { reading, signals, files, effects, proof, moments, turns, notes, quality } = runRooms(env, tenant, id)
  const { cancel, pause, resume, answer, answerAll, steer, signal } = signals
  return withOverrides(reading, {
    cancel,
    pause,
    resume,
    answer,
    answerAll,
    note: notes.note,
    score: quality.score,
    feedback: quality.feedback,
    said: quality.said,
    account: quality.account,
    planRow: quality.planRow,
    noted: notes.noted,
    steer,
    signal,
    effects: effects.effects,
    resolveEffect: effects.resolveEffect,
    undo: effects.undo,
    files: files.files,
    file: files.file,
    putFile: files.putFile,
    replay: proof.replay,
    receipt: proof.receipt,
    journal: proof.journal,
    compared: proof.compared,
    passes: proof.passes,
    heads: proof.heads,
    texts: proof.texts,
    viewAt: moments.viewAt,
    filesAt: moments.filesAt,
    fileAt: moments.fileAt,
    filesBetween: moments.filesBetween,
    turn: turns.turn,
    prompt: moments.prompt,
    // Carries the vault that this isolate has cached, so that the run's object need not ask for it.
    start: (request) => runStub(env, tenant, id).start(request, carriedSecrets(tenant, clock.now)),
    join: (request) => runStub(env, tenant, id).join(request),
    // [J14] The start succeeds even if its object goes away during the wait: a run that has begun is durable, and one of which nothing was stored
    // begins again.
    startAndWait: (request, ms) =>
      runStub(env, tenant, id)
        .start(request, carriedSecrets(tenant, clock.now), ms)
        .catch(async (e: unknown) => {
          const begun = await reading.view().catch(() => undefined)
          // One more call would only add to the load.
          if (begun === undefined && e instanceof Error && "overloaded" in e && e.overloaded === true) throw e
          return begun ?? runStub(env, tenant, id).start(request, carriedSecrets(tenant, clock.now))
        }),
    fork: (request) => runStub(env, tenant, id).fork(request, carriedSecrets(tenant, clock.now)),
    remove: () => runStub(env, tenant, id).remove(),
    async stream(after, { snapshot, format = "" }) {
      const address = `https://run/events?after=${after}&format=${format}${snapshot ? "&snapshot=1" : ""}`
      const response = await runStub(env, tenant, id).fetch(new Request(address))
      return response.status === 404 ? undefined : response
    },
    async socket(after, { format = "", key = "", acks = false }) {
      const query = new URLSearchParams({ after: String(after), format, key, ...(acks ? { ack: "1" } : {}) })
      const request = new Request(`https://run/events?${query.toString()}`, { headers: { upgrade: "websocket" } })
      const response = await runStub(env, tenant, id).fetch(request)
      return response.status === 404 ? undefined : relayed(response)
    },
  } satisfies Partial<RunPort>)
}

export const idempotencyPort = (env: RunNamespace, tenant: string, id: string): IdempotencyPort => ({
  begin: (digest) => runStub(env, tenant, id).begin(digest),
  end: (digest, answer) => runStub(env, tenant, id).end(digest, answer),
})

export const runRooms = (env: RunNamespace, tenant: string, id: string): RunRooms =>
  roomsOver((room, method, args) => runStub(env, tenant, id).ask(room, method, args))

/** [H2] The run for a malformed or unknown id: most methods answer undefined. */
export const NO_RUN: RunPort = withOverrides(
  members<RunPort>(() => async () => undefined),
  {
    start: () => Promise.reject(new Error("no run can have this id")),
    startAndWait: () => Promise.reject(new Error("no run can have this id")),
    fork: async () => ({ ok: false, code: "not_found" }),
    remove: async () => false,
    answer: async () => ({ ok: false, code: "not_found" }),
    steer: async () => ({ ok: false, code: "not_found" }),
    signal: async () => "not_found",
    putFile: async () => ({ ok: false, code: "not_found" }),
    score: async () => ({ state: "gone" }),
    feedback: async () => ({ ok: false, code: "not_found" }),
  } satisfies Partial<RunPort>,
)
