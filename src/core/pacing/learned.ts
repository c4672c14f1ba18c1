// Learns a model's limits from answers [R25] and from refusals [R31].

import { MINUTE_MS, type Gauge, type Unit } from "./gauge.ts"
import type { RateSeen } from "./rate-headers.ts"

/** A bucket that is slower bounds only by what is left of it: some providers count requests by the day. */
const SLOW_MS = 600_000
/** A rate is a quotient of what was used: of less it says little. */
const LEAST_USED = 1 / 10

/** What is known of one unit. `used`, `ms`: the observation that says the rate best, with the most used. */
export interface Observed {
  readonly limit: number
  readonly used: number
  readonly ms: number
}

/** A refusal without a number (429): so many requests a minute, more with each minute without one. */
export interface Taught {
  readonly rpm: number
  /** Since when it counts, and when a call last waited for it (ms). */
  readonly since: number
  readonly waited: number
}

/** undefined: too little of the bucket is used to tell how fast it fills. */
export function learnedFrom(known: Observed | undefined, { limit, remaining, fullIn }: RateSeen): Observed | undefined {
  const before = known?.limit === limit ? known : undefined
  const used = limit - remaining
  if (used < limit * LEAST_USED || fullIn === 0 || used < (before?.used ?? 0)) return before
  return { limit, used, ms: fullIn }
}

/** What refills in a minute. */
export const perMinute = ({ used, ms }: Observed): number => (used / ms) * MINUTE_MS

export const isSlow = (known: Observed): boolean => (known.limit / perMinute(known)) * MINUTE_MS > SLOW_MS

/** The bucket of which only `remaining` bounds: it is full when the provider says so. */
export const slowGauge = (unit: Unit, { limit, remaining, fullIn }: RateSeen, now: number): Gauge => ({
  unit,
  rate: fullIn === 0 ? 0 : ((limit - remaining) / fullIn) * MINUTE_MS,
  holds: limit,
  level: remaining,
  at: now,
})

const REST_MS = 10 * MINUTE_MS
/** Four fifths of what was answered in the minute before, at least one. */
export const taughtBy = (answered: number, now: number): Taught => ({
  rpm: Math.max(1, Math.floor((answered * 4) / 5)),
  since: now,
  waited: now,
})

/** The limit now: a tenth more for each whole minute; undefined: nothing has waited for ten minutes, so it is over. */
export const taughtAt = ({ rpm, since, waited }: Taught, now: number): number | undefined =>
  now - waited >= REST_MS ? undefined : rpm * (1 + Math.max(0, Math.floor((now - since) / MINUTE_MS)) / 10)
