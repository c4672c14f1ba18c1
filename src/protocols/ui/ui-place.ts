// Tracks which message of a chat a run is writing now [P24]. A text that answers a question, or decides nothing, begins a new message, and
// a page that reconnects gets that message and not the whole run. The run stores it.

import { isObject } from "../../core/json.ts"
import type { RunPort } from "../../ports/run.ts"

export interface UiPlace {
  readonly run: string
  /** The message tells what came after this event. */
  readonly after: number
  /** The id of the message. */
  readonly message: string
  /** Nothing was decided: the message begins with these questions, by their ids outside. */
  readonly asked?: readonly string[]
  /** It has no part of what was told before. */
  readonly isOwn?: true
}

const NOTE = "ui"

export const keepPlace = (port: RunPort, { after, message, asked = [] }: UiPlace): Promise<void> =>
  port.note(NOTE, { after, message, asked: [...asked] })

/** The current message of a run; a run that no text has answered has a single message, named after it. */
export async function placeOf(port: RunPort, run: string): Promise<UiPlace> {
  const noted = await port.noted(NOTE)
  const { after, message, asked } = isObject(noted) ? noted : {}
  if (typeof after !== "number" || typeof message !== "string" || !Array.isArray(asked)) return { run, after: 0, message: run }
  return { run, after, message, isOwn: true, ...(asked.length === 0 ? {} : { asked: asked.map(String) }) }
}
