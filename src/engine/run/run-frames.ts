// Reads a run's frames inside the Worker [P5, P11] from the object's stream [E4], and reconnects where it broke. A client that leaves ends
// only the reading [J12].

import { isObject } from "../../core/json.ts"
import { backoff } from "../../core/backoff.ts"
import { defined } from "../../core/defined.ts"
import { pause } from "../../ports/timers.ts"
import type { EventFormat, RunPort } from "../../ports/run.ts"

export interface RunFrame {
  /** The event that it belongs to, if it is that event's last frame. */
  readonly id?: string
  readonly data: Readonly<Record<string, unknown>>
}
/** A sign that the stream is alive but has no frame. */
export const SILENCE = "silence"

const FIRST_PAUSE = 200
const SLOWEST_PAUSE = 5_000 // limit: milliseconds between two looks at a run → the next look
const BREAKS = 10 // limit: breaks in a row of an MCP call's stream → the call ends with an error

/** The frames of a run. Ends with the run, when the run is deleted, or on `signal`; throws if the run's object cannot be reached. */
export async function* framesOf(
  port: RunPort,
  from: number,
  format: EventFormat | undefined,
  signal: AbortSignal,
): AsyncGenerator<RunFrame | typeof SILENCE, void> {
  let after = from
  for (let breaks = 0; breaks < BREAKS && !signal.aborted; breaks += 1) {
    try {
      const stream = await port.stream(after, { snapshot: false, ...(format && { format }) })
      if (!stream || stream.status === 204) return
      for await (const frame of blocks(stream, signal)) {
        if (frame !== SILENCE && frame.id !== undefined) {
          after = Number(frame.id)
          breaks = 0
        }
        yield frame
      }
      const view = await port.view()
      if (!view || (view.ended !== undefined && after >= view.seq)) return
    } catch (e) {
      if (signal.aborted) return
      if (breaks === BREAKS - 1) throw e
    }
    await pause(backoff(FIRST_PAUSE, breaks, SLOWEST_PAUSE), signal)
  }
}

/** The object writes an event's data on one line. */
async function* blocks(stream: Response, signal: AbortSignal): AsyncGenerator<RunFrame | typeof SILENCE, void> {
  if (!stream.body) return
  const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader()
  const stop = (): void => void reader.cancel().catch(() => undefined)
  signal.addEventListener("abort", stop, { once: true })
  let partial = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || signal.aborted) return
      const parts = (partial + value).split("\n\n")
      partial = parts.pop() ?? ""
      for (const block of parts) yield frameOf(block)
    }
  } finally {
    signal.removeEventListener("abort", stop)
    stop()
  }
}

function frameOf(block: string): RunFrame | typeof SILENCE {
  let id: string | undefined
  let data: unknown
  for (const line of block.split("\n")) {
    if (line.startsWith("id: ")) id = line.slice(4)
    else if (line.startsWith("data: ")) data = JSON.parse(line.slice(6))
  }
  if (!isObject(data)) return SILENCE
  return { data, ...defined({ id }) }
}
