// Follows a run's events while the client listens: the object's stream [E4], resumed where it broke.

import { z } from "zod"
import type { RunPort } from "../ports/run.ts"
import { framesOf, SILENCE } from "../engine/run/run-frames.ts"

/** The fields that a watcher reads. */
const WatchedEvent = z.object({
  type: z.string(),
  seq: z.number(),
  step: z.string().optional(),
  summary: z.string().optional(),
  status: z.string().optional(),
})
export type WatchedEvent = z.infer<typeof WatchedEvent>

/** Ends after `run.ended`, when the run is deleted, or on `signal`; throws if the run's object cannot be reached. */
export async function* eventsOf(port: RunPort, signal: AbortSignal): AsyncGenerator<WatchedEvent, void> {
  let after = 0
  for await (const frame of framesOf(port, after, undefined, signal)) {
    const event = WatchedEvent.safeParse(frame === SILENCE ? undefined : frame.data)
    if (!event.success || event.data.seq <= after) continue
    after = event.data.seq
    yield event.data
    if (event.data.type === "run.ended") return
  }
}
