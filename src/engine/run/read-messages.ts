// A page of what was said in a step [J21], read from the journal where it stands: from the opening of the step's latest pass, or from
// the reader's place in it. What stands before that place is looked at only as far back as what follows depends on: to the prompt that
// was told last, and to messages that were queued and had not been delivered, which is two replies of the step.

import type { RunEvent } from "../../core/run/event.ts"
import { StepMessages, type Message } from "../../core/run/session/step-messages.ts"

export interface MessageSource {
  read(after: number, limit: number, chars?: number): RunEvent[]
}

/** Events looked at in one go. */
const AT_ONCE = 500
const FIRST_LOOK = 64
const REPLIES = 2

export interface MessagePlace {
  readonly step: string
  /** Where its latest pass was opened; 0: not known. */
  readonly opened: number
  readonly after: number
  /** So many characters are a page. */
  readonly chars: number
}

export function readMessages(source: MessageSource, place: MessagePlace): { data: Message[]; next: number | null } {
  const { step, after, chars } = place
  const opened = place.opened > 0 ? place.opened : openingOf(source, step)
  if (opened === 0) return { data: [], next: null }
  const said = new StepMessages(step)
  let at = opened - 1
  if (after > opened) {
    for (const e of leadUp(source, step, at, after)) said.take(e)
    at = after
  }
  const data: Message[] = []
  let size = 0
  for (;;) {
    const events = source.read(at, AT_ONCE, chars)
    const last = events.at(-1)
    if (!last) return { data, next: null }
    for (const e of events) {
      said.take(e)
      const fresh = said.taken().filter(({ seq }) => seq > after)
      data.push(...fresh)
      size += fresh.reduce((sum, message) => sum + JSON.stringify(message).length, 0)
      // Messages of one event are never split.
      if (size >= chars && fresh.length > 0) return { data, next: e.seq }
    }
    at = last.seq
  }
}

/** The step's events before the place, from its last but one reply on. */
function leadUp(source: MessageSource, step: string, least: number, after: number): RunEvent[] {
  for (let look = FIRST_LOOK; ; look *= 4) {
    const from = Math.max(least, after - look)
    const own = source.read(from, after - from).filter((e) => "step" in e && e.step === step)
    const replies = own.filter((e) => e.type === "model.replied")
    if (replies.length >= REPLIES || from === least) return own
  }
}

/** Of a run from before its steps knew it. */
function openingOf(source: MessageSource, step: string): number {
  let opened = 0
  for (let at = 0; ;) {
    const events = source.read(at, AT_ONCE)
    const last = events.at(-1)
    if (!last) return opened
    for (const e of events) if (e.type === "step.opened" && e.step === step) opened = e.seq
    at = last.seq
  }
}
