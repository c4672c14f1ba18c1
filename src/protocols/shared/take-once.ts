// Treats the same client id on the same thread as the same message [P8]: its run is answered again from the beginning. If the id is an
// Idempotency-Key, the answer is marked as a repeat, and the key with another body is refused [H4].

import { isObject } from "../../core/json.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { sha256 } from "../../engine/sha256.ts"
import { pause } from "../../ports/timers.ts"
import type { Call } from "../../http/middleware/call.ts"
import type { Refusal } from "../../http/middleware/problem.ts"

export interface Taken {
  readonly run: string
  /** The protocol's answer is what came after this event. */
  readonly after: number
  /** The message decided nothing, so the run asks again. */
  readonly asksAgain?: true
  /** The interactions that the message has answered itself, by their ids outside. */
  readonly answered?: readonly string[]
}

export interface Once {
  readonly flow: string
  readonly thread: string
  readonly clientId: string
  /** Absent: the same id is the same message, whatever else differs. */
  readonly request?: unknown
}

/** A first try that is still starting a run is waited for. */
const BUSY_LOOKS = 100
const BUSY_PAUSE = 100
/** Of a message without a `request`. */
const ANY = "message"

/** `take` gets the name from which the run's id is derived. */
export async function takeOnce<E>(
  c: Call,
  { flow, thread, clientId, request }: Once,
  take: (name: string) => Promise<Result<Taken, E>>,
): Promise<Result<Taken, E | Refusal>> {
  const name = ["door", flow, thread, clientId].join("\n")
  const record = await c.get("tenant").idempotency(name)
  const digest = request === undefined ? ANY : await digestOf(c.req.path, request)
  for (let n = 0; ; n++) {
    const begun = await record.begin(digest)
    if (begun.state === "conflict") return err(OTHER)
    if (begun.state === "replay") {
      if (request !== undefined) c.set("isReplayed", true)
      return ok(JSON.parse(begun.answer.body) as Taken)
    }
    if (begun.state === "new") break
    if (n === BUSY_LOOKS) return err(BUSY)
    await pause(BUSY_PAUSE, c.req.raw.signal)
  }
  let taken: Result<Taken, E> | undefined
  try {
    taken = await take(name)
    return taken
  } finally {
    const kept =
      taken?.ok === true && taken.value.asksAgain !== true ? { status: 200, headers: {}, body: JSON.stringify(taken.value) } : null
    await record.end(digest, kept)
  }
}

const BUSY: Refusal = {
  code: "idempotency_busy",
  detail: "The first request with this id is still in progress; try again later.",
  headers: { "retry-after": "1" },
}

const OTHER: Refusal = {
  code: "idempotency_mismatch",
  detail: "This Idempotency-Key was used with another path or body; use a new key.",
}

/** How the answer is sent does not make it another request: a stream that broke may be asked for as a whole. */
const SENDING: ReadonlySet<string> = new Set(["stream", "stream_options", "background"])

async function digestOf(path: string, request: unknown): Promise<string> {
  const said = isObject(request) ? Object.entries(request).filter(([name]) => !SENDING.has(name)) : request
  return sha256(new TextEncoder().encode(`${path}\n${JSON.stringify(said)}`))
}
