// How much of a journal is taken in hand at once.

import type { RunEvent } from "../../core/run/event.ts"
import type { SqlJournal } from "./journal-sql.ts"

/** Events are handed on in pages of about this size: an RPC answer has at most 32 MiB, and a slow reader's page stays in memory. */
export const PAGE_CHARS = 4 * 1024 * 1024
/** Events looked at in one go where a journal is read through. */
export const READ_AT_ONCE = 500

/** All of them, one page in memory at a time: a long run has more than an object has room for. */
export function* eventsOf(journal: Pick<SqlJournal, "read">): Iterable<RunEvent> {
  for (let at = 0; ;) {
    const page = journal.read(at, READ_AT_ONCE, PAGE_CHARS)
    const last = page.at(-1)
    if (!last) return
    yield* page
    at = last.seq
  }
}
