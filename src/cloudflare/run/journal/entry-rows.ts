// Converts the events of a commit to rows of the journal's table, and back. A compressed row leaves out `prev`, which is the hash of the
// event before [J7]. Reading computes it again, so an event reads exactly as it was written.

import type { RunEvent } from "../../../core/run/event.ts"
import type { Commit, JournalRow } from "../../../ports/journal.ts"
import { ROW_CHARS } from "./packed-text.ts"

/** Making `prev` again takes a hash each, so short rows, which conversations are read from, keep it. */
const MIN_EVENTS = 8
const PREV = /^(\{"seq":\d+,"at":\d+,"v":\d+,)"prev":"[0-9a-f]{64}",/

export interface EntryRow extends Omit<JournalRow, "cuts"> {
  /** The same without what reading makes again; absent: nothing can be left out. */
  readonly short?: string
}

/** The rows of a commit, split below SQLite's limit of 2 MB. */
export function rowsOf({ events, texts = [], isChained }: Pick<Commit, "events" | "texts" | "isChained">): EntryRow[] {
  const rows: { first: number; last: number; parts: string[]; size: number }[] = []
  for (const [i, e] of events.entries()) {
    const text = texts[i] ?? JSON.stringify(e)
    const open = rows.at(-1)
    if (open && open.size + text.length < ROW_CHARS) {
      open.parts.push(text)
      open.size += text.length
      open.last = e.seq
    } else rows.push({ first: e.seq, last: e.seq, parts: [text], size: text.length })
  }
  return rows.map(({ first, last, parts }) => {
    const row = { first, last, body: `[${parts.join(",")}]` }
    if (!isChained || parts.length < MIN_EVENTS) return row
    const [head = "", ...rest] = parts
    return { ...row, short: `[${[head, ...rest.map((text) => text.replace(PREV, "$1"))].join(",")}]` }
  })
}

export const eventsIn = (text: string, hash: (text: string) => string): readonly RunEvent[] => new RowEvents(text, hash).all()

/** The events of a row, parsed up to the last requested one: the first event of a run is often read alone, and its row may have 256. */
export class RowEvents {
  readonly #events: RunEvent[]
  readonly #hash: (text: string) => string
  /** How many are as they were written. */
  #made = 0

  constructor(text: string, hash: (text: string) => string) {
    this.#events = JSON.parse(text) as RunEvent[]
    this.#hash = hash
  }

  get first(): number {
    return this.#events[0]?.seq ?? 0
  }

  get last(): number {
    return this.#events.at(-1)?.seq ?? 0
  }

  all(): readonly RunEvent[] {
    this.#make(this.#events.length)
    return this.#events
  }

  at(seq: number): RunEvent | undefined {
    const at = this.#events.findIndex((e) => e.seq === seq)
    this.#make(at + 1)
    return this.#events[at]
  }

  #make(count: number): void {
    for (; this.#made < count; this.#made++) {
      const [before, e] = [this.#events[this.#made - 1], this.#events[this.#made]]
      if (before === undefined || e === undefined || (e as Partial<RunEvent>).prev !== undefined) continue
      const { seq, at, v, ...fact } = e
      // The order of the members is part of what is hashed.
      this.#events[this.#made] = Object.assign({ seq, at, v, prev: this.#hash(JSON.stringify(before)) }, fact) as RunEvent
    }
  }
}
