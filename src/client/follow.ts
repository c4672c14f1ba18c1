// A run's events from the server to an async iterator [E4]: each journal event once and in order, however often the line is cut.
//
// The place is `seq`: a reconnect says the last one in Last-Event-ID, and what comes twice all the same is passed over. It ends after
// `run.ended`, and with a SluiceError when the server refuses.

import type { Frame } from "./frame.ts"
import { errorOf, SluiceError } from "./sluice-error.ts"
import { sseData } from "./sse.ts"
import { backoff, part, pause, type Transport } from "./transport.ts"

export interface Follow {
  /** Events after this seq. */
  readonly after?: number
  /** Frames that are not kept (`model.delta`, `tool.progress`) too; default false. */
  readonly transient?: boolean
  readonly signal?: AbortSignal
}

/** So many failures in a row, without an event between them, are an error. */
export const MOST_FAILURES = 10

export async function* follow(transport: Transport, run: string, options: Follow = {}): AsyncGenerator<Frame> {
  const { transient = false, signal } = options
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
      if (signal?.aborted === true || isFinal(error) || failures >= MOST_FAILURES) throw error
    }
    await pause(backoff(failures), signal)
  }
}

/** A refusal that another try would meet again. */
export const isFinal = (error: unknown): boolean =>
  error instanceof SluiceError && error.status >= 400 && error.status < 500 && error.status !== 429

/** What cannot be read is a message that was cut: it comes again. Events of a later version are given as they are. */
export function frameOf(data: string): Frame | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === "object" && value !== null && "type" in value ? (value as Frame) : undefined
  } catch {
    return undefined
  }
}
