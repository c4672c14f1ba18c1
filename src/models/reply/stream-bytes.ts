// Limits the bytes of a provider's answer that are read [M5], including comments and pings, so a stream without content ends too.

import { MAX_EVENT_CHARS } from "./mended-events.ts"
import { startOf } from "./no-stream.ts"

/** A reply of a million characters, in pieces of four with an event of 250 bytes around each. */
// Limit: bytes of a provider's stream, comments included → the call fails, and is not tried again.
export const MAX_STREAM_BYTES = 64 * 1024 * 1024

export class StreamTooLong extends Error {
  constructor() {
    super(`the provider's stream is longer than ${MAX_STREAM_BYTES} bytes`)
  }
}

export class StreamBytes {
  #left = MAX_STREAM_BYTES

  /** Throws when there are too many. */
  take(bytes: number): void {
    this.#left -= bytes
    if (this.#left < 0) throw new StreamTooLong()
  }
}

/** A refusal with the beginning of its text. */
export async function shortened(response: Response): Promise<Response> {
  if (!response.body) return response
  const { status, statusText } = response
  const headers = new Headers(response.headers)
  for (const name of ENCODED) headers.delete(name)
  return new Response(await startOf(response.body, MAX_EVENT_CHARS), { status, statusText, headers })
}

/** Headers of the encoded body, wrong for the decoded one. */
export const ENCODED = ["content-encoding", "content-length"] as const
