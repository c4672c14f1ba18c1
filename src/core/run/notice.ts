// Notices: what the outside is told of a run [W6]. They are part of the fold, so that a run which wakes up still knows what it may not
// have told yet; whoever hears one twice knows it by the run and its `seq`.

import { z } from "zod"
import type { EventOf } from "./event.ts"
import type { Run } from "./state.ts"

export const NOTICES = ["run.succeeded", "run.failed", "run.canceled", "run.waiting"] as const
export type NoticeType = (typeof NOTICES)[number]

/** What a start asks for: its own receiver, besides those of the tenant. `secret` is a scope of the vault. */
export const StartCallback = z.object({ url: z.string(), events: z.array(z.enum(NOTICES)), secret: z.string() })
export type StartCallback = z.infer<typeof StartCallback>

export interface Notice {
  readonly type: NoticeType
  readonly seq: number
  readonly at: number
}

/** A run may wait for a person thousands of times; so many are kept, all of them untold only when nobody could be reached meanwhile. */
const KEPT = 100

/** `run.waiting` is told only when a person is needed. A child's end is its parent's business; that it needs a person is not. */
export function noticed(run: Run, e: EventOf<"run.waiting"> | EventOf<"run.ended">): void {
  if (e.type === "run.waiting" ? e.reason !== "interaction" : run.parent !== undefined) return
  const type: NoticeType = e.type === "run.waiting" ? "run.waiting" : `run.${e.status}`
  run.notices = [...run.notices.slice(1 - KEPT), { type, seq: e.seq, at: e.at }]
}
