// Reads the range of a request for measures [H16]: whole hours, cut into slices of an hour or a day.

import { MAX_HOURLY_DAYS, MAX_MEASURED_DAYS, MEASURED_EACH } from "../../api/insight.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { isoTime } from "../../core/text/iso-time.ts"
import type { Call } from "../middleware/call.ts"
import { invalid, type Refusal } from "../middleware/problem.ts"
import { oneWord, time, words } from "../middleware/query.ts"

const HOUR_MS = 3_600_000
export const DAY_HOURS = 24
const DEFAULT_HOURS = 24
/** A longer range has slices of a day, unless the request says otherwise. */
const MOST_BY_HOUR = 48

export interface MeasuredRange {
  /** Hours since 1970, and how many. */
  readonly from: number
  readonly n: number
  readonly each: (typeof MEASURED_EACH)[number]
  /** Slices are sums of hours; otherwise they are days in UTC. */
  readonly byHour: boolean
  readonly rehearsed: boolean
}

export function measuredRange(c: Call, now: number): Result<MeasuredRange, Refusal> {
  const since = time("since", c.req.query("since"))
  if (!since.ok) return since
  const until = time("until", c.req.query("until"))
  if (!until.ok) return until
  const each = oneWord("each", c.req.query("each"), MEASURED_EACH)
  if (!each.ok) return each
  const rehearsed = words("rehearsed", c.req.query("rehearsed"), ["0", "1"])
  if (!rehearsed.ok) return rehearsed
  const end = Math.ceil((until.value ?? now) / HOUR_MS)
  const first = since.value === undefined ? end - DEFAULT_HOURS : Math.floor(since.value / HOUR_MS)
  const n = end - first
  if (n <= 0) return err(invalid([{ pointer: "?since", message: "must be before `until`" }]))
  if (n > MAX_MEASURED_DAYS * DAY_HOURS)
    return err(invalid([{ pointer: "?since", message: `must be at most ${MAX_MEASURED_DAYS} days before \`until\`` }]))
  const byHour = n <= MAX_HOURLY_DAYS * DAY_HOURS
  if (each.value === "hour" && !byHour)
    return err(invalid([{ pointer: "?each", message: `must be day for more than ${MAX_HOURLY_DAYS} days` }]))
  const chosen = each.value ?? (n <= MOST_BY_HOUR ? "hour" : "day")
  // Days in UTC are whole.
  const [from, to] = byHour ? [first, end] : [Math.floor(first / DAY_HOURS) * DAY_HOURS, Math.ceil(end / DAY_HOURS) * DAY_HOURS]
  return ok({ from, n: to - from, each: chosen, byHour, rehearsed: rehearsed.value?.[0] === "1" })
}

/** The range, as the answer says it. */
export const spanOf = ({ from, n, each, rehearsed }: MeasuredRange) => ({
  since: isoTime(from * HOUR_MS),
  until: isoTime((from + n) * HOUR_MS),
  each,
  rehearsed,
})
