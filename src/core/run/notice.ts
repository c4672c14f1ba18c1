// Notices: the events of a run that its receivers get [W6]. A receiver recognizes a repeated notice by its run and `seq`.

import { z } from "zod"

export const NOTICES = ["run.succeeded", "run.failed", "run.canceled", "run.waiting"] as const
export type NoticeType = (typeof NOTICES)[number]

/** The receiver that a start names, in addition to the receivers of the tenant. `secret` is a scope of the vault. */
export const StartCallback = z.object({ url: z.string(), events: z.array(z.enum(NOTICES)), secret: z.string() })
export type StartCallback = z.infer<typeof StartCallback>

export interface Notice {
  readonly type: NoticeType
  readonly seq: number
  readonly at: number
}
