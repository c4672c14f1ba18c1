// Ends a long response when its key is revoked [H1, S18]: the key is checked every few seconds. A stream ends without an error, and a
// reader that reconnects gets 401; a response that has not begun becomes a 401. A server that stops ends them too [N7]: a reader goes on at
// its cursor, and a start that waits is answered with the run that it has begun.

import { every, inTime } from "../../ports/timers.ts"
import type { Caller } from "../../ports/services.ts"
import type { Call } from "./call.ts"
import { refuse, UNAUTHORIZED } from "./problem.ts"

/** A check may be a second old, so an answer ends within 5 s of the revocation. */
const EVERY_MS = 3_500

/** A key that no one can revoke, without a session, always holds. */
const mayEnd = ({ keyId, signIn, access }: Caller): boolean => keyId !== undefined || signIn !== undefined || access !== undefined

/** The work continues; only its response is withheld from this key. */
export async function answerWhileKeyHolds(c: Call, answering: Promise<Response>): Promise<Response> {
  const caller = c.get("caller")
  if (!mayEnd(caller)) return answering
  for (let isLate = false; ; isLate = true) {
    const answer = await inTime<Response | undefined>(answering, EVERY_MS, () => undefined)
    if (answer && !isLate) return answer
    const drop = (): void => void answering.then(async ({ body }) => body?.cancel()).catch(() => undefined)
    const begun = c.get("standIn")
    if (!answer && begun && (await c.get("services").isStopping())) {
      drop()
      return new Response(begun.body, { status: begun.status, headers: begun.headers })
    }
    const holds = await c
      .get("services")
      .holds(caller)
      .catch((e: unknown) => {
        // The answer stays untold: nobody knows whether the key holds, so this is not a 401 either.
        drop()
        throw e
      })
    if (!holds) {
      drop()
      return refuse(c, UNAUTHORIZED)
    }
    if (answer) return answer
  }
}

export function whileKeyHolds(c: Call, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const services = c.get("services")
  const caller = c.get("caller")
  if (!mayEnd(caller)) return body
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const reader = body.getReader()
  const writer = writable.getWriter()
  // Not `pipeTo` with a signal: the runtime checks the signal only when the next bytes arrive, up to a heartbeat later.
  const end = (): void => {
    void writer.close().catch(() => undefined)
    void reader.cancel().catch(() => undefined)
  }
  const look = async (): Promise<void> => {
    // If the key cannot be checked, it counts as revoked.
    if (!(await services.holds(caller).catch(() => false)) || (await services.isStopping())) end()
  }
  const endWatch = every(() => void look(), EVERY_MS)
  const pump = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return await writer.close()
      await writer.write(value)
    }
  }
  pump()
    .catch(async (e: unknown) => {
      // Whichever end broke, the other one is useless.
      await Promise.allSettled([writer.abort(e), reader.cancel(e)])
    })
    .finally(endWatch)
  return readable
}
