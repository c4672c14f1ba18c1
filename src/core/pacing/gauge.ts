// Measures what may leave at an instant: a bucket that refills evenly [R25, R26]. Pure: a gauge is read at a time, and a copy is returned.

/** What the limits of a model count. `tokens`: both kinds together. */
export const UNITS = ["requests", "tokens", "input", "output"] as const
export type Unit = (typeof UNITS)[number]
export type Amounts = Readonly<Partial<Record<Unit, number>>>

export const MINUTE_MS = 60_000
/** How long an isolate may use what it was lent. */
export const ALLOWANCE_MS = 5_000
/** The share of a minute's limit that leaves at once: what a reset forgets costs no more. */
const BURST = 1 / 6

export interface Gauge {
  readonly unit: Unit
  /** What comes back in a minute; 0: nothing. */
  readonly rate: number
  /** What it holds when it is full. */
  readonly holds: number
  /** What may leave; below 0 after a call that was larger than what it holds. */
  readonly level: number
  /** When the level was right (ms). */
  readonly at: number
}

/** A minute's limit, at the start: what a sixth of it lets through. */
export const minuteGauge = (unit: Unit, limit: number, now: number): Gauge => {
  const holds = unit === "requests" ? Math.max(1, limit * BURST) : limit * BURST
  return { unit, rate: limit, holds, level: holds, at: now }
}

/** A clock that was set back refills nothing. */
export const gaugeAt = (gauge: Gauge, now: number): Gauge => ({
  ...gauge,
  level: Math.min(gauge.holds, gauge.level + (gauge.rate * Math.max(0, now - gauge.at)) / MINUTE_MS),
  at: now,
})

/** The same bucket with another limit: what has left stays gone. */
export const limitedTo = (gauge: Gauge, limit: number, now: number): Gauge => {
  const fresh = minuteGauge(gauge.unit, limit, now)
  const { holds, level } = gaugeAt(gauge, now)
  return { ...fresh, level: Math.min(fresh.holds, level - holds + fresh.holds) }
}

/** [R26] What a call takes of this gauge: one that is larger than a minute's limit counts as a minute. */
export const costIn = ({ unit, rate, holds }: Gauge, cost: Amounts): number => Math.min(cost[unit] ?? 0, Math.max(rate, holds))

/** The level from which on a call may leave: one that is larger than what the gauge holds leaves when it is full. */
const neededFor = (gauge: Gauge, amount: number): number => Math.min(amount, gauge.holds)

/** Whether a call of this cost may leave at the gauge's time. A share of a call is no call: half a millionth is lost in sums. */
export const lets = (gauge: Gauge, cost: Amounts): boolean => gauge.level + 1e-6 >= neededFor(gauge, costIn(gauge, cost))

export const taken = (gauge: Gauge, cost: Amounts): Gauge => ({ ...gauge, level: gauge.level - costIn(gauge, cost) })

/** What was estimated too high comes back; what was too low is gone. */
export const given = (gauge: Gauge, amount: number): Gauge => ({ ...gauge, level: Math.min(gauge.holds, gauge.level + amount) })

/** When a call may leave that comes after others of this sum (ms); Infinity: never, as things are. */
export function leavesAt(gauge: Gauge, before: number, cost: Amounts): number {
  const own = costIn(gauge, cost)
  const short = before + neededFor(gauge, own) - gauge.level
  if (own === 0 || short <= 1e-6) return gauge.at
  return gauge.rate === 0 ? Number.POSITIVE_INFINITY : gauge.at + (short / gauge.rate) * MINUTE_MS
}
