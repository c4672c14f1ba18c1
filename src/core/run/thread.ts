// A thread [P1]: what a client calls the conversation that its run belongs to. It means something within a tenant and a flow. A run that is
// given none has its own id as thread.

import { z } from "zod"
import { isSessionId } from "./session/sticky.ts"

export const THREAD = "^[ -~]{1,256}$"

export const Thread = z.string().regex(new RegExp(THREAD), "must have 1 to 256 printable ASCII characters").max(256)

/** [J25] The session of a start that names a thread and no session. */
export const sessionOfThread = (thread: string, sha256: (text: string) => string): string =>
  isSessionId(thread) ? thread : `t-${sha256(thread).slice(0, 32)}`
