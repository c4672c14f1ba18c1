// Streams the tenant's events as an async iterator [H15]. It reconnects where it stopped; `stream.gap` reports that events were lost.

import type { FeedEvent } from "../api/doc/run/feed.doc.ts"
import { isFinal, MAX_FAILURES } from "./follow.ts"
import { errorOf, SluiceError } from "./transport/sluice-error.ts"
import { sseData } from "./transport/sse.ts"
import { backoff, pause, retryAfter, type Transport } from "./transport/transport.ts"

export interface Listen {
  /** The id of the last event that the caller has. */
  readonly after?: string
  readonly signal?: AbortSignal
  /** Told when the stream is there, when it is lost, and in how many milliseconds it is tried again. */
  readonly onLine?: (line: FeedLine) => void
}
/** `isFull`: the tenant has as many streams as it may have. */
export type FeedLine = { readonly state: "open" } | { readonly state: "lost"; readonly again: number; readonly isFull: boolean }

/** The server speaks every 15 s. A stream that is silent for three times as long is dead, as after a laptop's sleep. */
// Limit: milliseconds that the tenant's stream may be silent before the client takes it for dead → it connects again, after the last
// event.
const SILENT_MS = 45_000

/** Ends by `signal` or by leaving the loop; throws a SluiceError if the server refuses, as after the key's end. */
export async function* listen(transport: Transport, { after, signal, onLine }: Listen = {}): AsyncGenerator<FeedEvent> {
  let last = after
  for (let failures = 0; ; failures++) {
    let asked: number | undefined
    let isFull = false
    try {
      const answer = await transport.stream("/v1/stream", {
        headers: { "last-event-id": last },
        ...(signal === undefined ? {} : { signal }),
      })
      asked = retryAfter(answer)
      if (!answer.ok || answer.body === null) throw await errorOf(answer)
      onLine?.({ state: "open" })
      for await (const data of sseData(heardOf(answer.body))) {
        const event = eventOf(data)
        if (event === undefined) continue
        failures = 0
        last = event.id
        yield event
      }
    } catch (error) {
      if (signal?.aborted === true || isFinal(error) || failures >= MAX_FAILURES) throw error
      isFull = error instanceof SluiceError && error.status === 429
    }
    const again = asked ?? backoff(failures)
    onLine?.({ state: "lost", again, isFull })
    await pause(again, signal)
  }
}

/** The same bytes; it fails when none come for too long. */
function heardOf(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const wait = (to: TransformStreamDefaultController<Uint8Array>): void => {
    clearTimeout(timer)
    timer = setTimeout(() => to.error(new Error("the stream is silent")), SILENT_MS)
  }
  const heard = new TransformStream<Uint8Array, Uint8Array>({
    start: wait,
    transform(chunk, to) {
      wait(to)
      to.enqueue(chunk)
    },
  })
  // However it ends, nothing is waited for; who reads the other end gets the error.
  body
    .pipeTo(heard.writable)
    .catch(() => undefined)
    .finally(() => clearTimeout(timer))
  return heard.readable
}

/** undefined for a truncated message, which comes again after a reconnect. */
function eventOf(data: string): FeedEvent | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === "object" && value !== null && "id" in value && "type" in value ? (value as FeedEvent) : undefined
  } catch {
    return undefined
  }
}
