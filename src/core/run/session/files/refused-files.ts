// Does a provider refuse a request because of the pictures and PDFs that it shows [F56]? Not every name says that a model only reads text, and not
// every file is whole: then the conversation goes on without them, instead of ending.

import type { Failure } from "../../signal.ts"
import type { Session } from "../../state.ts"

/** Words for what it refuses. */
const OF_FILES = /image|picture|vision|multi-?modal|media|pdf|document|\bfile|base64/i
const REFUSALS: ReadonlySet<number> = new Set([400, 404, 413, 415, 422])

/** The request may succeed without the files that it shows. */
export function refusesFiles(session: Session, { status, message, begun, config }: Failure): boolean {
  if (session.pictures === undefined || status === undefined || begun === true || config === true || !OF_FILES.test(message)) return false
  return REFUSALS.has(status) || (status >= 500 && /not support|unsupported/i.test(message))
}
