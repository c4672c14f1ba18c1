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
  const reader = body.getReader()
  const writer = writable.getWriter()
  // Not `pipeTo` with a signal: the runtime looks at it only when the next bytes come, which may be a heartbeat away.
  const end = (): void => {
    void writer.close().catch(() => undefined)
    void reader.cancel().catch(() => undefined)
  }
  const look = async (): Promise<void> => {
    // Whether it holds is not known: then it does not.
    if (!(await house.holds(caller).catch(() => false))) end()
  }
  const timer = setInterval(() => void look(), EVERY_MS)
  const pump = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return await writer.close()
      await writer.write(value)
    }
  }
  pump()
    .catch(async (e: unknown) => {
      // Whichever end broke, the other one is of no use.
      await Promise.allSettled([writer.abort(e), reader.cancel(e)])
    })
    .finally(() => clearInterval(timer))
  return readable
}
