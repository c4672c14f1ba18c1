// Reports how much of the quotas on starts is left, in the header fields of the IETF draft on RateLimit [H6]: `"runs"` counts active runs,
// `"starts"` those started in the last minute.

import type { Limits } from "../../ports/tenant/catalog.ts"
import type { NoRoom } from "../../ports/tool.ts"
import type { Refusal } from "./problem.ts"

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

export const limitHeaders = ({ concurrent, starts }: Limits): Record<string, string> => ({
  "ratelimit-policy": `"runs";q=${concurrent.quota}, "starts";q=${starts.quota};w=60`,
  ratelimit: `"runs";r=${concurrent.left}, "starts";r=${starts.left};t=${seconds(starts.reset)}`,
})

export const noRoom = (pinned: NoRoom): Refusal => ({
  code: "quota",
  detail: `No run was started: ${pinned.message}.`,
  headers: { "retry-after": String(seconds(pinned.retry)), ...limitHeaders(pinned.limits) },
})
