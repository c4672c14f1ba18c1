// [J7], [K8] A journal is dense, each event has the hash of the one before it, and its rows say which events they hold.

import type { RunEvent } from "../../../src/core/run/event.ts"
import type { EventLaw } from "./event-law.ts"
import { hashOf, type StoredRow } from "./stored-journal.ts"

const NONE = "0".repeat(64)

export class Chain implements EventLaw {
  #seq = 0
  #at = 0
  #head = NONE
  #row: StoredRow | undefined

  take(e: RunEvent, say: (fault: string) => void, row: StoredRow): void {
    if (row !== this.#row) this.#begin(row, say)
    if (e.seq !== this.#seq + 1) say(`[J7] event ${e.seq} follows event ${this.#seq}`)
    if (e.prev !== this.#head) say(`[J7] it has not the hash of the event before it`)
    if (e.v < 1 || !Number.isSafeInteger(e.at)) say(`[J7] its envelope is ${e.v}, ${e.at}`)
    this.#seq = e.seq
    this.#at = Math.max(this.#at, e.at)
    this.#head = hashOf(row.events[e.seq - row.first]?.text ?? "")
  }

  #begin(row: StoredRow, say: (fault: string) => void): void {
    this.#row = row
    const { events, first, last, cuts } = row
    if (events[0]?.event.seq !== first || events.at(-1)?.event.seq !== last) say(`[J7] a row says ${first} to ${last}, and holds others`)
    // A fork begins with rows of its source, which was cut between two decisions.
    if (cuts.some((cut) => cut < first || cut > last))
      say(`[K8] a row of events ${first} to ${last} has decisions that end at ${cuts.join()}`)
  }
}
