// A long answer ends when its key is revoked [H1], [S18]: while it is read, the key is checked every few seconds. The stream ends without
// an error, and a reader that reconnects gets 401.

import type { Call } from "./call.ts"

/** A check may be a second old, so a stream ends within 5 s of the revocation. */
const EVERY_MS = 3_500

export function whileKeyHolds(c: Call, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const house = c.get("house")
  const caller = c.get("caller")
  // This key cannot be revoked, and no session can end.
  if (caller.keyId === undefined && !caller.signIn && !caller.access) return body
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
      // Whichever end broke, the other one is useless.
      await Promise.allSettled([writer.abort(e), reader.cancel(e)])
    })
    .finally(() => clearInterval(timer))
  return readable
}
