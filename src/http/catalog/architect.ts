// Serves the architect [F75]: a request starts a run of flow-architect, whose files are staged. A person reads the diff and accepts it,
// sends it back with notes, or discards it. A session has the id of its first run.

import { isFlowId } from "../../core/text/names.ts"
import { pause } from "../../ports/timers.ts"
import type { ArchitectWish, SessionView } from "../../ports/tenant/authoring/architect.ts"
import { startable, type Ready } from "../../engine/catalog/pin/startable.ts"
import { startOf } from "../../engine/run/begin/start.ts"
import type { PinResult } from "../../ports/tenant/catalog.ts"
import { NOT_READY, noFlow, notOpened, over, rowOf, shown, TAKEN, UNPROVEN, urlsOf, WORKING } from "./architect-view.ts"
import { seenBy, toldProof } from "./proof-view.ts"
import { isPlaced, addressOf } from "../middleware/address.ts"
import { writing } from "./past-gate.ts"
import { json } from "../middleware/body.ts"
import { refused } from "./bundle.ts"
import { isRunId, param, routes, type Call } from "../middleware/call.ts"
import { ifMatch, stale } from "../middleware/conditions.ts"
import { lacks } from "../middleware/door.ts"
import { keyOf } from "../middleware/idempotency.ts"
import { invalid, NOT_FOUND, refuse, type Fault, type Refusal } from "../middleware/problem.ts"
import { whole } from "../middleware/query.ts"
import { NoBody } from "../../api/route/route.ts"
import { unstartable } from "../runs/start-refusal.ts"
import { whyNot } from "../runs/begin-run.ts"
import { waitOf } from "../runs/start-run.ts"
import { architect, OpenBody, ReviseBody } from "../../api/architect.ts"
import { defined } from "../../core/defined.ts"

export const ARCHITECT = "flow-architect"
export async function openSession(c: Call): Promise<Response> {
  const body = json(c, OpenBody)
  if (!body.ok) return refuse(c, body.error)
  const { task, flow, change, thread } = body.value
  const wish = task ?? change
  if (wish === undefined || (task === undefined) === (flow === undefined) || (flow === undefined) !== (change === undefined)) {
    const message = "send either `task`, or `flow` and `change`"
    return refuse(c, invalid([{ pointer: "", message }]))
  }
  if (flow !== undefined && !isFlowId(flow)) return refuse(c, noFlow(flow))
  const tenant = c.get("tenant")
  const id = await tenant.runId(keyOf(c))
  const pinned = await tenant.catalog.pin({ agent: ARCHITECT }, { rehearse: false, autonomous: true, start: { run: id, kind: "api" } })
  if (!pinned.ok) return refuse(c, whyNot(pinned))
  const ready = startable(pinned)
  if (!ready.ok) return refuseStart(c, id, unstartable(pinned, ready.error))
  if (await isAnotherRun(c, id, (await tenant.architect.look(id)) !== undefined)) return refuseStart(c, id, TAKEN)
  const opened = await tenant.architect.open({ id, task: wish, ...defined({ flow }) } satisfies ArchitectWish)
  if (!opened.ok) return refuseStart(c, id, notOpened(opened.code, flow ?? ""))
  await begin(c, { id, run: id, task: opened.task, thread, pinned, ready: ready.value })
  return answer(c, { id, run: id, iteration: 1 })
}

export async function listSessions(c: Call): Promise<Response> {
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: 200, otherwise: 50 })
  if (!limit.ok) return refuse(c, limit.error)
  const cursor = c.req.query("cursor")
  const found = await c.get("tenant").architect.list({ limit: limit.value, ...defined({ cursor }) })
  if ("badCursor" in found)
    return refuse(c, invalid([{ pointer: "?cursor", message: "is not a cursor of this list; send the `next_cursor` of the page before" }]))
  return c.json({ data: found.data.map(rowOf), next_cursor: found.next_cursor })
}

export async function getSession(c: Call): Promise<Response> {
  const session = await sessionOf(c)
  if (!session) return refuse(c, NOT_FOUND)
  // A repair shows what the failed run and its forks did.
  const forbidden = session.repair === undefined ? undefined : lacks(c, "runs:read")
  if (forbidden) return forbidden
  const seen = await seenBy(c, session, await c.get("tenant").run(session.run).view())
  return c.json(shown(c, seen), 200, { etag: `"${session.tag}"` })
}

/** Cancels an active run. Accepted files can only be rolled back. */
export async function discardSession(c: Call): Promise<Response> {
  const session = await sessionOf(c)
  if (!session) return refuse(c, NOT_FOUND)
  const tenant = c.get("tenant")
  const done = await tenant.architect.discard(session.id)
  if (done === "not_found") return refuse(c, NOT_FOUND)
  if (done === "accepted") return refuse(c, over("accepted"))
  await tenant.run(session.run).cancel(c.get("caller").name)
  return c.body(null, 204)
}

/** Writes one revision of the catalog, or nothing. `If-Match` with the ETag of GET accepts only what the caller saw. */
export async function acceptWork(c: Call): Promise<Response> {
  const session = await sessionOf(c)
  if (!session) return refuse(c, NOT_FOUND)
  const body = json(c, NoBody)
  if (!body.ok) return refuse(c, body.error)
  const condition = ifMatch(c)
  if (!condition.ok) return refuse(c, condition.error)
  const tenant = c.get("tenant")
  const { status, proof } = await seenBy(c, session, await tenant.run(session.run).view())
  if (status === "working") return refuse(c, proof ? UNPROVEN : WORKING)
  if (status === "failed") return refuse(c, NOT_READY)
  const ports = writing(c)
  if (!ports.ok) return ports.error
  const result = await ports.value.architect.accept(session.id, { run: session.run, ...defined({ ifMatch: condition.value }) })
  if (result.ok) return c.json({ id: session.id, status: "accepted", revision: result.revision, paths: result.paths })
  switch (result.code) {
    case "not_found":
      return refuse(c, NOT_FOUND)
    case "discarded":
      return refuse(c, over("discarded"))
    case "other_run":
      return refuse(c, WORKING)
    case "nothing":
      return refuse(c, NOT_READY)
    case "stale":
      return stale(c, result.tag)
    case "moved":
      return refuse(c, {
        code: "catalog_moved",
        detail: `These files have changed in the catalog since the architect read them: ${result.moved.map((m) => m.path).join(", ")}. Send the session back (revise) so that the architect sees them.`,
        errors: result.moved.map(({ path, current }): Fault => ({
          pointer: "",
          message: current === null ? `${path} was removed from the catalog` : `${path} has changed in the catalog`,
        })),
        more: { changed: result.moved },
      })
    case "invalid":
      return refused(c, result.diagnostics, false)
  }
}

/** `fresh` discards the files written so far. */
export async function reviseWork(c: Call): Promise<Response> {
  const session = await sessionOf(c)
  if (!session) return refuse(c, NOT_FOUND)
  const body = json(c, ReviseBody)
  if (!body.ok) return refuse(c, body.error)
  const tenant = c.get("tenant")
  const next = await tenant.runId(keyOf(c))
  if (await isAnotherRun(c, next, session.run === next)) return refuse(c, TAKEN)
  const before = await tenant.run(session.run).view()
  if (before && before.ended === undefined && session.run !== next && session.state === "open") return refuse(c, WORKING)
  const pinned = await tenant.catalog.pin({ agent: ARCHITECT }, { rehearse: false, autonomous: true, start: { run: next, kind: "api" } })
  if (!pinned.ok) return refuse(c, whyNot(pinned))
  const ready = startable(pinned)
  if (!ready.ok) return refuseStart(c, next, unstartable(pinned, ready.error))
  const { notes, fresh = false } = body.value
  const { proof } = await seenBy(c, session, before)
  const back = { run: session.run, next, notes, fresh, ...defined({ proof: proof && toldProof(proof) }) }
  const revised = await tenant.architect.revise(session.id, back)
  if (!revised.ok) {
    if (revised.code === "not_found") return refuseStart(c, next, NOT_FOUND)
    return refuseStart(c, next, revised.code === "other_run" ? WORKING : over(revised.code))
  }
  const thread = before?.thread === before?.id ? undefined : before?.thread
  // A repair's story is in the task of every round.
  const marks = { tainted: before?.tainted === true, private: session.repair !== undefined }
  await begin(c, { id: session.id, run: next, task: revised.task, thread, pinned, ready: ready.value, ...marks })
  return answer(c, { id: session.id, run: next, iteration: revised.iteration })
}

/** Releases the admission that `pin` took [H6]. */
export async function refuseStart(c: Call, run: string, why: Refusal): Promise<Response> {
  await c.get("tenant").account.giveBack(run)
  return refuse(c, why)
}

type Pinned = Extract<PinResult, { ok: true }>

interface Beginning {
  readonly id: string
  readonly run: string
  readonly task: string
  /** [P1] Each round of a session is in the thread that opened it. */
  readonly thread: string | undefined
  readonly pinned: Pinned
  readonly ready: Ready
  /** [G11] Of what the task holds. */
  readonly tainted?: boolean
  readonly private?: boolean
}

export async function begin(c: Call, { id, run, task, thread, pinned, ready, ...marks }: Beginning): Promise<void> {
  const { tenant, name } = c.get("caller")
  await c
    .get("tenant")
    .run(run)
    .start(
      startOf(pinned, {
        tenant,
        run,
        task,
        autonomous: true,
        ...ready,
        trigger: { kind: "api", key: name },
        thread,
        ...marks,
        staging: id,
        ...(isPlaced(c) ? addressOf(c) : {}),
        trace: c.get("trace"),
      }),
    )
}

/** A run outlives its key's record [H4]: the key then names an old run, which must not become part of a session. */
export async function isAnotherRun(c: Call, run: string, known: boolean): Promise<boolean> {
  return keyOf(c) !== undefined && !known && (await c.get("tenant").run(run).view()) !== undefined
}

/** 202 at once; 200 with the session when `Prefer: wait=N` saw its run end [H9]. */
export async function answer(c: Call, { id, run, iteration }: { id: string; run: string; iteration: number }): Promise<Response> {
  const accepted = { id, status: "working", iteration, run, urls: urlsOf(c, id, run) }
  const headers = { location: accepted.urls.self, "content-type": "application/json" }
  c.set("standIn", { status: 202, headers, body: JSON.stringify(accepted) })
  const seconds = waitOf(c.req.header("prefer"))
  if (seconds === undefined) return c.json(accepted, 202, headers)
  const applied = { ...headers, "preference-applied": `wait=${seconds}` }
  const tenant = c.get("tenant")
  const until = Date.now() + seconds * 1000
  const view = await tenant.run(run).wait(seconds * 1000)
  for (;;) {
    const session = view?.ended === undefined ? undefined : await tenant.architect.look(id)
    if (!session) return c.json(accepted, 202, applied)
    const seen = await seenBy(c, session, view)
    if (seen.status !== "working") return c.json(shown(c, seen), 200, { ...applied, etag: `"${session.tag}"` })
    // Only the proof of a repair is left.
    const left = until - Date.now()
    if (left <= 0) return c.json(accepted, 202, applied)
    await pause(Math.min(left, LOOK_MS))
  }
}

/** How often a wait looks whether a proof is there. */
const LOOK_MS = 250

/** A malformed id names nothing, so no object is asked about it [H2]. */
async function sessionOf(c: Call): Promise<SessionView | undefined> {
  const id = param(c, "session")
  return isRunId(id) ? c.get("tenant").architect.look(id) : undefined
}

export const ARCHITECT_ROUTES = routes(architect, {
  openArchitect: openSession,
  listArchitect: listSessions,
  getArchitect: getSession,
  discardArchitect: discardSession,
  acceptArchitect: acceptWork,
  reviseArchitect: reviseWork,
})
