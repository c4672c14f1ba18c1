// Holds the limits of one model, or of a provider's models together [R24, R25, R31]: what is set and what was learned, the stricter counting.

import { gaugeAt, limitedTo, minuteGauge, MINUTE_MS, UNITS, type Gauge, type Unit } from "./gauge.ts"
import { isSlow, learnedFrom, perMinute, slowGauge, taughtAt, taughtBy, type Observed, type Taught } from "./learned.ts"
import type { RateSeen } from "./rate-headers.ts"

/** By the minute. */
export interface SetLimits {
  readonly rpm?: number | undefined
  readonly tpm?: number | undefined
  readonly itpm?: number | undefined
  readonly otpm?: number | undefined
}

const SET: Readonly<Record<Unit, keyof SetLimits>> = { requests: "rpm", tokens: "tpm", input: "itpm", output: "otpm" }
/** What answers taught of each unit. */
export type Learned = Readonly<Partial<Record<Unit, Observed>>>

/** A stop lasts at most so long; whoever is told a longer one goes by [F33]. */
export const MOST_STOPPED_MS = 600_000 // limit: milliseconds for which a refusal stops a model's calls → they are asked again

export class RateLine {
  #set: SetLimits
  /** false: only what is set counts. */
  #learns: boolean
  readonly #known = new Map<Unit, Observed>()
  readonly #minute = new Map<Unit, Gauge>()
  readonly #slow = new Map<Unit, Gauge>()
  #taught: Taught | undefined
  #stoppedUntil = 0

  constructor(set: SetLimits = {}, learns = true) {
    this.#set = set
    this.#learns = learns
  }

  /** The settings as they are now. */
  limit(set: SetLimits, learns = true): void {
    this.#set = set
    this.#learns = learns
  }

  get learned(): Learned {
    return Object.fromEntries(this.#known)
  }

  know(learned: Learned): void {
    for (const unit of UNITS) {
      const known = learned[unit]
      if (known && !this.#known.has(unit)) this.#known.set(unit, known)
    }
  }

  /** What was learned, by the minute, as settings have it. */
  taughtLimits(now: number): SetLimits {
    return Object.fromEntries(
      UNITS.flatMap((unit) => {
        const least = this.#learns ? Math.min(this.#observedIn(unit), this.#taughtIn(unit, now)) : Number.POSITIVE_INFINITY
        return Number.isFinite(least) ? [[SET[unit], Math.floor(least)]] : []
      }),
    )
  }

  /** An answer that says how it stands. What is left there is no more than what is left here: others may use the same key. */
  see(seen: readonly RateSeen[], now: number): void {
    for (const one of seen) {
      const known = learnedFrom(this.#known.get(one.unit), one)
      if (!known) continue
      this.#known.set(one.unit, known)
      if (isSlow(known)) this.#slow.set(one.unit, slowGauge(one.unit, one, now))
      else this.#slow.delete(one.unit)
      const gauge = this.#minuteGauges(now).get(one.unit)
      if (gauge) this.#minute.set(one.unit, { ...gauge, level: Math.min(gauge.level, one.remaining) })
    }
  }

  /** No call leaves until then. */
  stop(until: number, now: number): void {
    this.#stoppedUntil = Math.max(this.stoppedAt(now) ?? 0, Math.min(until, now + MOST_STOPPED_MS))
  }

  /** A refusal that names no number. `answered`: calls that were answered in the minute before. */
  refused(answered: number, now: number): void {
    this.#taught = taughtBy(answered, now)
  }

  /** A call waits for this line. */
  waits(now: number): void {
    if (this.#taught) this.#taught = { ...this.#taught, waited: now }
  }

  /** A longer stop is from before the clock was set back: its provider says it again. */
  stoppedAt(now: number): number | undefined {
    return this.#stoppedUntil > now && this.#stoppedUntil - now <= MOST_STOPPED_MS ? this.#stoppedUntil : undefined
  }

  /** By the minute, of the units that are limited. */
  limits(now: number): Partial<Record<Unit, number>> {
    const found: Partial<Record<Unit, number>> = {}
    for (const unit of UNITS) {
      const learned = this.#learns ? Math.min(this.#observedIn(unit), this.#taughtIn(unit, now)) : Number.POSITIVE_INFINITY
      const least = Math.min(this.#set[SET[unit]] ?? Number.POSITIVE_INFINITY, learned)
      if (least !== Number.POSITIVE_INFINITY) found[unit] = least
    }
    return found
  }

  /** What bounds a call at this time; none: nothing does. */
  gauges(now: number): Gauge[] {
    const slow = this.#learns ? [...this.#slow.values()] : []
    return [...this.#minuteGauges(now).values(), ...slow.map((gauge) => gaugeAt(gauge, now))]
  }

  /** Changes what is left, in every bucket of the unit. */
  change(now: number, of: (gauge: Gauge) => Gauge): void {
    for (const [unit, gauge] of this.#minuteGauges(now)) this.#minute.set(unit, of(gauge))
    for (const [unit, gauge] of this.#slow) this.#slow.set(unit, of(gaugeAt(gauge, now)))
  }

  #observedIn(unit: Unit): number {
    const known = this.#known.get(unit)
    return known && !isSlow(known) ? perMinute(known) : Number.POSITIVE_INFINITY
  }

  #taughtIn(unit: Unit, now: number): number {
    const rpm = unit === "requests" && this.#taught ? taughtAt(this.#taught, now) : undefined
    if (unit === "requests" && rpm === undefined) this.#taught = undefined
    return rpm ?? Number.POSITIVE_INFINITY
  }

  /** By unit, as they are now and under the limits of now. */
  #minuteGauges(now: number): Map<Unit, Gauge> {
    const limits = this.limits(now)
    for (const unit of UNITS) {
      const limit = limits[unit]
      const before = this.#minute.get(unit)
      if (limit === undefined) this.#minute.delete(unit)
      else if (!before) this.#minute.set(unit, minuteGauge(unit, limit, now))
      else this.#minute.set(unit, before.rate === limit ? gaugeAt(before, now) : limitedTo(before, limit, now))
    }
    return this.#minute
  }
}

/** Counts what happened in the last minute. */
export class LastMinute<T> {
  #all: { readonly at: number; readonly what: T }[] = []

  add(what: T, now: number): void {
    this.#all.push({ at: now, what })
  }

  /** The last one was nothing. */
  forget(what: T): void {
    const at = this.#all.findLastIndex((one) => one.what === what)
    if (at >= 0) this.#all.splice(at, 1)
  }

  within(now: number): readonly T[] {
    const from = this.#all.findIndex(({ at }) => at > now - MINUTE_MS)
    this.#all = from < 0 ? [] : from === 0 ? this.#all : this.#all.slice(from)
    return this.#all.map(({ what }) => what)
  }
}
