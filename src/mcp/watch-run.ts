// A run's events while the client listens: the object's stream [E4], resumed where it broke.

import { z } from "zod"
import type { RunPort } from "../ports/run.ts"
import { backoff } from "../core/backoff.ts"
import { pause } from "../engine/time/deadline.ts"

/** The fields that a watcher reads. */
const WatchedEvent = z.object({
  type: z.string(),
  seq: z.number(),
  step: z.string().optional(),
  summary: z.string().optional(),
  status: z.string().optional(),
})
export type WatchedEvent = z.infer<typeof WatchedEvent>

const FIRST_PAUSE = 200
const MAX_PAUSE = 5_000
/** Consecutive breaks without an event. */
const MAX_BREAKS = 10

/** Ends after `run.ended`, when the run is gone, or on `signal`; throws if the run's object cannot be reached. */
export async function* eventsOf(port: RunPort, signal: AbortSignal): AsyncGenerator<WatchedEvent, void> {
  let after = 0
  for (let breaks = 0; breaks < MAX_BREAKS && !signal.aborted; breaks += 1) {
    try {
      const stream = await port.stream(after, { snapshot: false })
      if (!stream || stream.status === 204) return
      for await (const data of messages(stream, signal)) {
        const event = WatchedEvent.safeParse(data)
        if (!event.success || event.data.seq <= after) continue
        after = event.data.seq
        breaks = 0
        yield event.data
        if (event.data.type === "run.ended") return
      }
    } catch (e) {
      if (signal.aborted) return
      if (breaks === MAX_BREAKS - 1) throw e
    }
    await pause(backoff(FIRST_PAUSE, breaks, MAX_PAUSE), signal)
  }
}

/** The JSON of each `data:` line: the object writes an event's data on one line. */
async function* messages(stream: Response, signal: AbortSignal): AsyncGenerator<unknown, void> {
  if (!stream.body) return
  const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader()
  const stop = (): void => void reader.cancel().catch(() => undefined)
  signal.addEventListener("abort", stop, { once: true })
  let partial = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || signal.aborted) return
      const lines = (partial + value).split("\n")
      partial = lines.pop() ?? ""
      for (const line of lines) if (line.startsWith("data:")) yield JSON.parse(line.slice(5))
    }
  } finally {
    signal.removeEventListener("abort", stop)
    stop()
  }
}
