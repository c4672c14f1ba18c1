// Detects that a provider refuses a request because of its pictures and PDFs [F56], as for a text-only model or a damaged file. The
// conversation then continues without them.

import type { Failure } from "../../signal.ts"
import type { Session } from "../../state.ts"

/** Words for what it refuses. */
const OF_FILES = /image|picture|vision|multi-?modal|media|pdf|document|\bfile|base64/i
const REFUSALS: ReadonlySet<number> = new Set([400, 404, 413, 415, 422])

/** Tells whether the request may succeed without its files. */
export function refusesFiles(session: Session, { status, message, begun, config }: Failure): boolean {
  if (session.pictures === undefined || status === undefined || begun === true || config === true || !OF_FILES.test(message)) return false
  return REFUSALS.has(status) || (status >= 500 && /not support|unsupported/i.test(message))
}
