// Reads a run's journal from the rows of its object, as docs/STORAGE.md describes them, without the code that wrote them.

import { createHash } from "node:crypto"
import { inflateRawSync } from "node:zlib"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { ObjectStorage } from "../platform/object-storage.ts"

/** The events of one commit, or of a part of it. */
export interface StoredRow {
  /** The first event that became durable together with these. */
  readonly since: number
  readonly first: number
  readonly last: number
  /** After which events a decision ends [K8]. */
  readonly cuts: readonly number[]
  readonly events: readonly StoredEvent[]
}

interface StoredEvent {
  readonly event: RunEvent
  /** As it was written, to the byte. */
  readonly text: string
}

interface Row {
  readonly first: number
  readonly last: number
  readonly cuts: string
  readonly events: string | Uint8Array
}

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

const HAS = "SELECT 1 FROM sqlite_master WHERE name = ?"
export const hasTable = (storage: ObjectStorage, name: string): boolean => storage.rows(HAS, name).length > 0

/** The newest event; 0: there is no journal. */
export function lastOf(storage: ObjectStorage): number {
  if (!hasTable(storage, "entry")) return 0
  return storage.rows<{ last: number | null }>("SELECT max(last) AS last FROM entry")[0]?.last ?? 0
}

export function rowsAfter(storage: ObjectStorage, after: number): StoredRow[] {
  const rows = storage.rows<Row>("SELECT first, last, cuts, events FROM entry WHERE last > ? ORDER BY last", after)
  return rows.map((row) => ({
    since: after + 1,
    first: row.first,
    last: row.last,
    cuts: row.cuts === "" ? [] : row.cuts.split(",").map(Number),
    events: eventsIn(textOf(storage, row)),
  }))
}

function textOf(storage: ObjectStorage, { last, events }: Row): string {
  if (typeof events !== "string") return inflateRawSync(events).toString()
  if (events !== "") return events
  const pieces = storage.rows<{ body: string }>("SELECT body FROM piece WHERE name = ? ORDER BY n", `entry/${last}`)
  return pieces.map(({ body }) => body).join("")
}

/** A compressed row leaves out each `prev` that its own events give. */
function eventsIn(text: string): StoredEvent[] {
  const found: StoredEvent[] = []
  for (const read of JSON.parse(text) as RunEvent[]) {
    const before = found.at(-1)
    const event = before && (read as Partial<RunEvent>).prev === undefined ? withPrev(read, hashOf(before.text)) : read
    found.push({ event, text: JSON.stringify(event) })
  }
  return found
}

function withPrev({ seq, at, v, ...fact }: RunEvent, prev: string): RunEvent {
  return Object.assign({ seq, at, v, prev }, fact) as RunEvent
}
