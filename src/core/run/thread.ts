// Checks the name of a thread [P1]: the conversation that a client puts its runs into. A name is local to a tenant and a flow. The thread
// of a run without one is the run's own id.

import { z } from "zod"
import { isSessionId } from "./session/sticky.ts"

export const THREAD = "^[ -~]{1,256}$"

export const Thread = z.string().regex(new RegExp(THREAD), "must have 1 to 256 printable ASCII characters").max(256)

/** [J25] The session that a start gets when it names a thread but no session. */
export const sessionOfThread = (thread: string, sha256: (text: string) => string): string =>
  isSessionId(thread) ? thread : `t-${sha256(thread).slice(0, 32)}`
