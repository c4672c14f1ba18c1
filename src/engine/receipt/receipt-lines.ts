// Reads a receipt's lines strictly [K42]: UTF-8, one line feed after each, and each line exactly as JSON.stringify writes it. So any added,
// missing or differently written byte makes a line invalid.
//
// A receipt may fill most of a Worker's memory, so no line is kept after it was read: only each event's position and the hash that the next
// event states for it.

import type { RunEvent } from "../../core/run/event.ts"
import type { Pieces } from "../../core/pieces.ts"
import type { Footer } from "../../ports/tenant/receipts.ts"
import { decode } from "../catalog/catalog-bodies.ts"
import { FooterShape, footerText, Header, EventFacts } from "./receipt.ts"

const FEED = 10
/** Breath's measure of a character that is decoded, parsed, written again and hashed (ports/breath.ts). */
const PIECE_WORK = 4

export interface EventLine extends Pick<RunEvent, "seq" | "at" | "prev"> {
  /** Where its bytes are. */
  readonly from: number
  readonly to: number
  readonly hash: string
}
export interface Lines {
  readonly header: { readonly value: Header; readonly hash: string }
  readonly events: readonly EventLine[]
  readonly footer: Footer
  /** What the events say. */
  readonly told: EventFacts
}
/** The number of the first malformed line, from 1. */
export interface Malformed {
  readonly line: number
}

interface Line {
  readonly text: string
  readonly value: object
  readonly from: number
  readonly to: number
}

export function* readLines(bytes: Uint8Array, hash: (text: string) => string): Pieces<Lines | Malformed> {
  let header: Lines["header"] | undefined
  const events: EventLine[] = []
  const told = new EventFacts()
  let last: Line | undefined
  let line = 0
  /** The first event that is not in its place. */
  let odd: number | undefined
  const malformed = (at: number): Malformed => ({ line: Math.min(odd ?? at, at) })
  for (let from = 0; from < bytes.length;) {
    // Only the next line shows whether this one is an event or the end.
    if (last) {
      if (!isEvent(last.value)) return malformed(isEndAfter(last.value, events.length) ? line + 1 : line)
      const { seq, at, prev } = last.value
      if (seq !== events.length + 1) odd ??= line
      events.push({ seq, at, prev, from: last.from, to: last.to, hash: hash(last.text) })
      told.take(last.value)
    }
    line += 1
    const to = bytes.indexOf(FEED, from)
    const text = to < 0 ? undefined : decode(bytes.subarray(from, to))
    const value = text === undefined ? undefined : itself(text)
    if (text === undefined || value === undefined) return malformed(line)
    if (header) last = { text, value, from, to }
    else {
      const read = Header.safeParse(value)
      if (!read.success) return { line }
      header = { value: value as Header, hash: hash(text) }
    }
    from = to + 1
    yield text.length * PIECE_WORK
  }
  const footer = FooterShape.safeParse(last?.value)
  if (!header || !footer.success || footerText(footer.data) !== last?.text) return malformed(Math.max(line, header ? 2 : 1))
  return { header, events, footer: footer.data, told }
}

/** Reads the event at a stored position again, because lines are not kept in memory. */
export const eventAt = (bytes: Uint8Array, { from, to }: EventLine): RunEvent =>
  JSON.parse(decode(bytes.subarray(from, to)) ?? "") as RunEvent

/** The object that is written exactly like this; undefined: there is none. */
function itself(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && JSON.stringify(value) === text ? value : undefined
  } catch {
    // Not JSON, or nested too deeply to be written.
    return undefined
  }
}

/** The end is in its place: what follows it is too much. */
function isEndAfter(value: object, events: number): boolean {
  const footer = FooterShape.safeParse(value)
  return footer.success && footer.data.events === events
}

function isEvent(value: object): value is RunEvent {
  const { seq, at, prev, type } = value as Readonly<Record<string, unknown>>
  return typeof seq === "number" && typeof at === "number" && typeof prev === "string" && typeof type === "string"
}
