// Defines notices: the events of a run that its receivers get [W6]. A receiver recognizes a repeated notice by its run and `seq`.

import { z } from "zod"
import { later } from "../schema/later.ts"

export const NOTICES = ["run.succeeded", "run.failed", "run.canceled", "run.waiting"] as const
export type NoticeType = (typeof NOTICES)[number]

/** The forms of a notice: data, or a message for a person. */
export const NOTICE_KINDS = ["webhook", "slack", "email-webhook"] as const
/** [P30] The notice in an envelope that other systems know. */
export const NOTICE_FORMATS = ["cloudevents"] as const
export const NOTICE_PAYLOADS = ["whole", "thin"] as const

/** The receiver that a start names, in addition to the receivers of the tenant. */
export const StartCallback = later(() =>
  z.object({
    url: z.string(),
    events: z.array(z.enum(NOTICES)),
    /** A scope of the vault; empty: messages are not signed. */
    secret: z.string(),
    /** Absent: `webhook`. */
    kind: z.enum(NOTICE_KINDS).exactOptional(),
    /** `thin`: only the run, its flow and its status. */
    payload: z.enum(NOTICE_PAYLOADS).exactOptional(),
    /** [P30] Absent: the notice itself. */
    format: z.enum(NOTICE_FORMATS).exactOptional(),
  }),
)
export type StartCallback = z.infer<typeof StartCallback>

export interface Notice {
  readonly type: NoticeType
  readonly seq: number
  readonly at: number
  /** [P5] A run below asks, and has told the tenant itself: only who follows this run hears it. */
  readonly below?: true
}
