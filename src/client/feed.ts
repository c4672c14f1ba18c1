// What happens in the tenant, as an async iterator [H15]. It reconnects where it was; `stream.gap` says that events were lost.

import type { FeedEvent } from "../api/doc/feed.doc.ts"
import { isFinal, MAX_FAILURES } from "./follow.ts"
import { errorOf } from "./sluice-error.ts"
import { sseData } from "./sse.ts"
import { backoff, pause, type Transport } from "./transport.ts"

export interface Listen {
  /** The id of the last event that the caller has. */
  readonly after?: string
  readonly signal?: AbortSignal
}

/** Ends by `signal` or by leaving the loop; throws a SluiceError if the server refuses, as after the key's end. */
export async function* listen(transport: Transport, { after, signal }: Listen = {}): AsyncGenerator<FeedEvent> {
  let last = after
  for (let failures = 0; ; failures++) {
    try {
      const answer = await transport.stream("/v1/stream", {
        headers: { "last-event-id": last },
        ...(signal === undefined ? {} : { signal }),
      })
      if (!answer.ok || answer.body === null) throw await errorOf(answer)
      for await (const data of sseData(answer.body)) {
        const event = eventOf(data)
        if (event === undefined) continue
        failures = 0
        last = event.id
        yield event
      }
    } catch (error) {
      if (signal?.aborted === true || isFinal(error) || failures >= MAX_FAILURES) throw error
    }
    await pause(backoff(failures), signal)
  }
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
