// Prints a run's frames to a terminal as they arrive, until the run ends or `until` returns true.

import type { Frame } from "../src/client/frame.ts"
import type { RunEvent } from "../src/core/run/event.ts"
import { knownFrame } from "./frame.ts"
import { addEvent, newOutline } from "../src/core/run/views/read-outline.ts"
import { showDelta, showEvent, type Look } from "./show-run.ts"

/** Returns the last event: `run.ended`, or the event that `until` accepted. */
export async function watchRun(
  frames: AsyncIterable<Frame>,
  out: NodeJS.WriteStream,
  until: (event: RunEvent) => boolean | Promise<boolean> = () => false,
  outline = newOutline(),
): Promise<RunEvent | undefined> {
  const isTerminal = out.isTTY === true
  const look = (): Look => ({ columns: (isTerminal && out.columns) || 120, color: isTerminal && !process.env["NO_COLOR"] })
  const erase = isTerminal ? "\r\u001b[K" : ""
  for await (const given of frames) {
    const frame = knownFrame(given)
    if (frame === undefined) continue
    if (frame.type === "model.delta" || frame.type === "tool.progress") {
      if (isTerminal) out.write(erase + showDelta(frame, look()))
      continue
    }
    addEvent(outline, frame)
    for (const line of showEvent(frame, outline, look())) out.write(`${erase}${line}\n`)
    if (frame.type === "run.ended" || (await until(frame))) return frame
  }
  return undefined
}
