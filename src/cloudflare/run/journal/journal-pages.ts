// Bounds how much of a journal is read at once.

import type { RunEvent } from "../../../core/run/event.ts"
import { Breath } from "../../../ports/breath.ts"
import type { SqlJournal } from "./journal-sql.ts"

/** Size of a page of events. An RPC answer has at most 32 MiB, and a slow reader's page stays in memory. */
export const PAGE_CHARS = 4 * 1024 * 1024 // limit: characters of a page of events → the next page has the rest
/** Events per read when a whole journal is scanned. */
export const READ_AT_ONCE = 500

/** [N4] Characters of a journal that are read in one step. */
export const PIECE_CHARS = 256 * 1024
/** The work per character that is decompressed, parsed and serialized again (ports/breath.ts). */
export const READ_WORK = 8

/** A page for a response. A large page is read in turns with other work: forty readers of a long run take a second together. */
export async function pageInTurns(journal: Pick<SqlJournal, "read">, after: number, limit: number): Promise<RunEvent[]> {
  const breath = new Breath()
  const events: RunEvent[] = []
  for (let at = after, size = 0; ;) {
    const counted = { chars: 0 }
    const piece = journal.read(at, limit - events.length, PIECE_CHARS, counted)
    for (const event of piece) events.push(event)
    size += counted.chars
    at = piece.at(-1)?.seq ?? at
    if (counted.chars < PIECE_CHARS || events.length >= limit || size >= PAGE_CHARS) return events
    await breath.take(counted.chars * READ_WORK)
  }
}

/** All events after `from`, one page in memory at a time: a long run does not fit into an object's memory. */
export function* eventsOf(journal: Pick<SqlJournal, "read">, from = 0): Iterable<RunEvent> {
  for (let at = from; ;) {
    const page = journal.read(at, READ_AT_ONCE, PAGE_CHARS)
    const last = page.at(-1)
    if (!last) return
    yield* page
    at = last.seq
  }
}
