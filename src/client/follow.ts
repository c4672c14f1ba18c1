// Follows a run's events as an async iterator [E4]: each journal event once and in order, however often the connection drops.
//
// The cursor is `seq`: a reconnect sends the last one as Last-Event-ID, and events that arrive twice are skipped. The iterator ends after
// `run.ended`, and throws a SluiceError if the server refuses.

import type { Frame } from "./frame.ts"
import { errorOf, SluiceError } from "./transport/sluice-error.ts"
import { sseData } from "./transport/sse.ts"
import { backoff, part, pause, type Transport } from "./transport/transport.ts"

export interface Follow {
  /** Events after this seq. */
  readonly after?: number
  /** Includes frames that are not stored (`model.delta`, `tool.progress`); default false. */
  readonly transient?: boolean
  readonly signal?: AbortSignal
  /** Told when the connection is there, when it is lost, and in how many milliseconds it is tried again. */
  readonly onLine?: (line: LineState) => void
}
export type LineState = { readonly state: "open" } | { readonly state: "lost"; readonly again: number }

/** The iterator gives up after this many failures in a row without an event in between. */
export const MAX_FAILURES = 10 // limit: failures in a row of a followed run → the iterator throws

export async function* follow(transport: Transport, run: string, options: Follow = {}): AsyncGenerator<Frame> {
  const { transient = false, signal, onLine } = options
  let after = options.after ?? 0
  for (let failures = 0; ; failures++) {
    try {
      const answer = await transport.stream(`/v1/runs/${part(run)}/events`, {
        query: { after },
        headers: after === 0 ? {} : { "last-event-id": String(after) },
        ...(signal === undefined ? {} : { signal }),
      })
      if (answer.status === 204) return
      if (!answer.ok || answer.body === null) throw await errorOf(answer)
      onLine?.({ state: "open" })
      for await (const data of sseData(answer.body)) {
        const frame = frameOf(data)
        if (frame === undefined) continue
        if ("seq" in frame) {
          if (frame.seq <= after) continue
          after = frame.seq
          failures = 0
        } else if (!transient) continue
        yield frame
        if (frame.type === "run.ended") return
      }
    } catch (error) {
      if (signal?.aborted === true || isFinal(error) || failures >= MAX_FAILURES) throw error
    }
    const again = backoff(failures)
    onLine?.({ state: "lost", again })
    await pause(again, signal)
  }
}

/** Tells whether a retry would get the same refusal. */
export const isFinal = (error: unknown): boolean =>
  error instanceof SluiceError && error.status >= 400 && error.status < 500 && error.status !== 429

/** undefined for a truncated message, which the server sends again after a reconnect. Unknown types of a later version pass through. */
export function frameOf(data: string): Frame | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === "object" && value !== null && "type" in value ? (value as Frame) : undefined
  } catch {
    return undefined
  }
}
