// How much of a journal is read at once.

import type { RunEvent } from "../../../core/run/event.ts"
import type { SqlJournal } from "./journal-sql.ts"

/** Size of a page of events. An RPC answer has at most 32 MiB, and a slow reader's page stays in memory. */
export const PAGE_CHARS = 4 * 1024 * 1024
/** Events per read when a whole journal is scanned. */
export const READ_AT_ONCE = 500

/** All events, one page in memory at a time: a long run does not fit into an object's memory. */
export function* eventsOf(journal: Pick<SqlJournal, "read">): Iterable<RunEvent> {
  for (let at = 0; ;) {
    const page = journal.read(at, READ_AT_ONCE, PAGE_CHARS)
    const last = page.at(-1)
    if (!last) return
    yield* page
    at = last.seq
  }
}
