// An answer that goes on for long ends when the key behind it does [H1], [S18]: while it is read, the key is looked at every few seconds.
// It ends as if there were no more, so that a reader that comes back is told 401.

import type { Call } from "./call.ts"

/** With the second that an answer about the key may be old, a stream ends within 5 s of the revocation. */
const EVERY_MS = 3_500

export function whileKeyHolds(c: Call, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const house = c.get("house")
  const caller = c.get("caller")
  // Nobody can revoke it.
  if (caller.keyId === undefined) return body
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const cut = new AbortController()
  const look = async (): Promise<void> => {
    // Whether it holds is not known: then it does not.
    if (!(await house.holds(caller).catch(() => false))) cut.abort()
  }
  const timer = setInterval(() => void look(), EVERY_MS)
  body
    .pipeTo(writable, { signal: cut.signal, preventAbort: true })
    .catch((e: unknown) => (cut.signal.aborted ? writable.close() : writable.abort(e)))
    .catch(() => undefined)
    .finally(() => clearInterval(timer))
  return readable
}
