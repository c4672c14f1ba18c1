// Sends a generator's values as server-sent events, until it ends or the client leaves.

import type { Call } from "./call.ts"
import { whileKeyHolds } from "./key-watch.ts"
import { SILENCE } from "../../engine/run/run-frames.ts"

export interface SseLine {
  readonly id?: string | undefined
  readonly event?: string | undefined
  /** A text is sent as it is. */
  readonly data: unknown
}

/** `of` gets a signal that fires when the client has left. */
export function eventStream(
  c: Call,
  of: (signal: AbortSignal) => AsyncGenerator<SseLine | typeof SILENCE, void>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const left = new AbortController()
  const lines = of(left.signal)
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await lines.next()
        if (next.done === true) controller.close()
        else controller.enqueue(encoder.encode(next.value === SILENCE ? ": ping\n\n" : written(next.value)))
      } catch (e) {
        controller.error(e)
      }
    },
    cancel() {
      left.abort()
      void lines.return().catch(() => undefined)
    },
  })
  return new Response(whileKeyHolds(c, body), {
    headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store", ...headers },
  })
}

function written({ id, event, data }: SseLine): string {
  const text = typeof data === "string" ? data : JSON.stringify(data)
  return `${id === undefined ? "" : `id: ${id}\n`}${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`
}
