// Reads a page of a step's conversation [J21] from the journal: from the opening of the step's latest pass, or from the reader's place in
// it. Events before that place are read only as far back as later messages depend on them: to the latest prompt, and to queued messages not
// yet delivered. That is two replies of the step.

import type { RunEvent } from "../../core/run/event.ts"
import { StepMessages, type StepMessage } from "../../core/run/session/step-messages.ts"

export interface MessageSource {
  read(after: number, limit: number, chars?: number): RunEvent[]
}

/** Events per read. */
const AT_ONCE = 500
const FIRST_LOOK = 64
const REPLIES = 2

export interface MessagePlace {
  readonly step: string
  /** The seq at which the latest pass was opened; 0: it was not. */
  readonly opened: number
  readonly after: number
  /** How many messages of the event `after + 1` the reader has already. */
  readonly skip?: number
  /** Characters per page. */
  readonly chars: number
  /** Messages per page; absent: as many as fit. */
  readonly limit?: number
}

/** A page of messages. `next` and `skip`: the `after` and `skip` of the next page. */
export interface MessagePage {
  readonly data: StepMessage[]
  readonly next: number | null
  readonly skip?: number
}

export function readMessages(source: MessageSource, place: MessagePlace): MessagePage {
  const { step, opened, after, chars, limit = Infinity } = place
  if (opened === 0) return { data: [], next: null }
  const said = new StepMessages(step)
  let at = opened - 1
  if (after > opened) {
    for (const e of leadUp(source, step, at, after)) said.take(e)
    at = after
  }
  const data: StepMessage[] = []
  let size = 0
  for (;;) {
    const events = source.read(at, AT_ONCE, chars)
    const last = events.at(-1)
    if (!last) return { data, next: null }
    for (const e of events) {
      said.take(e)
      const skip = e.seq === after + 1 ? (place.skip ?? 0) : 0
      const fresh = said
        .taken()
        .slice(skip)
        .filter(({ seq }) => seq > after)
      const room = limit - data.length
      for (const message of fresh.slice(0, room)) data.push(message)
      // The page is full only once another message is found, so that the last page says that it is the last.
      if (fresh.length > room) return { data, next: e.seq - 1, ...(skip + room === 0 ? {} : { skip: skip + room }) }
      size += fresh.reduce((sum, message) => sum + JSON.stringify(message).length, 0)
      // Only `limit` splits the messages of one event.
      if (size >= chars && fresh.length > 0) return { data, next: e.seq }
    }
    at = last.seq
  }
}

/** The step's events before the place, starting at the second-to-last reply or earlier. */
function leadUp(source: MessageSource, step: string, least: number, after: number): RunEvent[] {
  for (let look = FIRST_LOOK; ; look *= 4) {
    const from = Math.max(least, after - look)
    const own = source.read(from, after - from).filter((e) => "step" in e && e.step === step)
    const replies = own.filter((e) => e.type === "model.replied")
    if (replies.length >= REPLIES || from === least) return own
  }
}
