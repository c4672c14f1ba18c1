// Limits the time of calls between our own objects [J12], so that an object that does not answer delays no one forever. The requested work
// may continue, so a repeated request has the same key (the id of a run, of a call, or `act`), which makes it the same work. A call that
// waits for something gets that wait in addition. Longer work is polled: the answer says that it is still in progress, and the caller asks
// again (`effects.carryOut`).

import { inTime } from "../../ports/timers.ts"
import { members } from "./rooms.ts"

/** A message between objects, and a question that rows answer. */
// Limit: ms of a call between own objects, besides what it was asked to wait → the caller hears that it was late, and may ask again.
export const OWN_CALL_MS = 60_000
/** What computes over much that a person sent or a run did, or asks others for it: imports, packages, proofs, forks, deletions. */
// Limit: the same of a call that computes long: imports, proofs, forks, deletions → the caller hears that it was late, and may ask
// again.
export const LONG_CALL_MS = 600_000

const LONG_TENANT_ROOMS = "catalog tools mcp connections architect backtests starts tenancy hooks schedules settings"
const LONG_RUN_ROOMS = "proof moments source turns files"
const LONG_ROOMS: ReadonlySet<unknown> = new Set(`${LONG_TENANT_ROOMS} ${LONG_RUN_ROOMS}`.split(" "))
const LONG_METHODS: ReadonlySet<string> = new Set(["fork", "remove", "desk", "add"])
/** The position of the milliseconds that the call may wait. */
const WAITS: Readonly<Record<string, number>> = { start: 2, "reading.wait": 0, "reading.report": 0, "questions.wait": 1 }
/** The feed names its wait in its question. */
const LOOKS = "feed.look"

/** A call that was not answered in time. RPC keeps the name of an error, not its class. */
export class OwnCallLate extends Error {
  override readonly name = "OwnCallLate"
}

/** Wraps a stub so that each call has its time limit. A call still leaves at once. */
export const bounded = <Answered>(stub: Answered): Answered =>
  members((method) => (...args: readonly unknown[]) => {
    const call: unknown = Reflect.get(Object(stub), method)
    if (typeof call !== "function") throw new TypeError(`this object has no ${method}`)
    const answer: Promise<unknown> = Reflect.apply(call, stub, args)
    return inTime(answer, limitOf(method, args), () => {
      throw new OwnCallLate(`${nameOf(method, args)} of one of our objects did not answer in time; it may still be in progress`)
    })
  })

/** The milliseconds that a call may take. */
export function limitOf(method: string, args: readonly unknown[]): number {
  if (method === "start") return LONG_CALL_MS + waitOf(args[WAITS["start"] ?? 0])
  if (method !== "ask") return LONG_METHODS.has(method) ? LONG_CALL_MS : OWN_CALL_MS
  const name = nameOf(method, args)
  const given = args[2]
  if (!Array.isArray(given)) return OWN_CALL_MS
  if (name === LOOKS) return OWN_CALL_MS + waitOf(Reflect.get(Object(given[0]), "wait"))
  const at = WAITS[name]
  if (at !== undefined) return OWN_CALL_MS + waitOf(given[at])
  return LONG_ROOMS.has(args[0]) ? LONG_CALL_MS : OWN_CALL_MS
}

const waitOf = (ms: unknown): number => (typeof ms === "number" && ms > 0 ? ms : 0)

const nameOf = (method: string, args: readonly unknown[]): string => (method === "ask" ? `${String(args[0])}.${String(args[1])}` : method)
