// Decides whether there is room for another run [H6]. The tenant's object asks in the turn that pins the run, so a start needs no extra
// call. The counts are in memory and are read from the list of runs when the object wakes. A start that gives a row of the list has it
// written in the same turn; without one, a place that was taken just before the memory was lost may be given twice.
//
// A place belongs to a run's id, so asking again for the same run returns the same place. It is reserved until the run reports to the list of
// runs, until it is given back, or for 30 s.

import type { Limits, StartKind } from "../../../ports/tenant/catalog.ts"
import type { Quotas } from "../../../ports/tenant/tenants.ts"
import { tooSoon, Turns, type TurnsDeps } from "../../platform/turns.ts"
import { Waiters } from "../../platform/waiters.ts"

const MINUTE_MS = 60_000
/** How long a place is reserved for a run that has not reported. */
const UNREPORTED_MS = 30_000
/** A start without a place waits this long before it is refused, because a run that has just ended reports within moments. */
const PATIENCE_MS = 250 // limit: milliseconds that a start waits for a place → 429 `quota`
const MAX_WAITERS = 50 // limit: starts that wait for a place → 429 `quota`
/** A guess: no one knows when a run will end. */
const RETRY_MS = 2_000
/** How often to check whether stored bytes were freed, because no event reports it. */
const FULL_MS = 60_000

export interface GateDeps extends TurnsDeps {
  /** Runs that have reported and not ended, without children. */
  live(): readonly string[]
  /** Runs that took a place, have a row in the list, and have not reported; absent: no row is written before a report. */
  promised?(): readonly { readonly id: string; readonly created: number }[]
  /** The runs that started after `since`, without children. */
  startedAfter(since: number): readonly { readonly id: string; readonly created: number }[]
  quotas(): Quotas
  /** Why no more bytes may be stored; undefined: there is room. */
  full(): string | undefined
  /** A run that took a place has not started. `isLapsed`: nobody gave the place back. */
  dropped?(run: string, isLapsed: boolean): void
  /** Places that desks hold: they count as runs, and as starts of this minute. */
  lent?(): number
}

export type StartPlace =
  | { readonly ok: true; readonly limits: Limits }
  /** `full`: the tenant's stored bytes have reached the quota. Only deleting data makes room. */
  | { readonly ok: false; readonly limits: Limits; readonly retry: number; readonly why: string; readonly full?: true }

/** A time that lies further ahead than it can was written before the clock was set back: it says nothing any more. */
const isWithin = (at: number, now: number, ms: number): boolean => at > now - ms && at < now + ms

export class StartGate {
  readonly #deps: GateDeps
  #live: Set<string> | undefined
  /** Runs that were admitted and have not reported yet, with the time of admission. */
  readonly #unreported = new Map<string, number>()
  /** The starts of the last minute, oldest first. */
  readonly #starts = new Map<string, number>()
  readonly #waiters = new Waiters()
  readonly #turns: Turns

  constructor(deps: GateDeps) {
    this.#deps = deps
    this.#turns = new Turns(deps)
  }

  /** Waits briefly for a place if one may become free, then for the run's turn if other tenants are active. */
  async admit(run: string, kind: StartKind): Promise<StartPlace> {
    const isKnown = this.#running().has(run) || this.#unreported.has(run)
    // A sender does not wait [W3]: if there is no room, its run waits in the queue.
    const queues = kind === "webhook" || kind === "schedule"
    const place = await this.#placed(run, queues)
    return place.ok && !isKnown && !queues ? this.#inTurn(run, place) : place
  }

  async #inTurn(run: string, place: StartPlace): Promise<StartPlace> {
    const perMinute = Math.max(1, this.#deps.quotas().starts_per_minute)
    const retry = await this.#turns.next(perMinute)
    if (retry === undefined) return place
    this.giveBack(run)
    return { ok: false, limits: this.#limits(this.#deps.now()), retry, why: tooSoon(perMinute) }
  }

  async #placed(run: string, queues: boolean): Promise<StartPlace> {
    const first = this.take(run)
    if (first.ok || first.full === true || queues || this.#minuteIsUsedUp() || this.#waiters.size >= MAX_WAITERS) return first
    await this.#waiters.wait(PATIENCE_MS)
    return this.take(run)
  }

  take(run: string): StartPlace {
    const now = this.#now()
    const live = this.#running()
    if (live.has(run) || this.#unreported.has(run)) return { ok: true, limits: this.#limits(now) }
    const full = this.#deps.full()
    if (full !== undefined) return { ok: false, limits: this.#limits(now), retry: FULL_MS, why: full, full: true }
    const { concurrent_runs, starts_per_minute } = this.#deps.quotas()
    const lent = this.#lent()
    if (live.size + this.#unreported.size + lent >= concurrent_runs)
      return {
        ok: false,
        limits: this.#limits(now),
        retry: RETRY_MS,
        why: `this tenant may have ${concurrent_runs} concurrent runs, and it has that many now`,
      }
    if (this.#starts.size + lent >= starts_per_minute) {
      const why = `this tenant may start ${starts_per_minute} runs a minute, and it has started that many`
      return { ok: false, limits: this.#limits(now), retry: this.#freeIn(now), why }
    }
    this.#unreported.set(run, now)
    this.#starts.set(run, now)
    return { ok: true, limits: this.#limits(now) }
  }

  /** [R22] An API start that stands in line counts in the minute in which it arrives. */
  arrive(run: string): StartPlace {
    const now = this.#now()
    this.#running()
    const full = this.#deps.full()
    if (full !== undefined) return { ok: false, limits: this.#limits(now), retry: FULL_MS, why: full, full: true }
    if (!this.#starts.has(run) && this.#minuteIsUsedUp()) {
      const why = `this tenant may start ${this.#deps.quotas().starts_per_minute} runs a minute, and it has started that many`
      return { ok: false, limits: this.#limits(now), retry: this.#freeIn(now), why }
    }
    this.#starts.set(run, now)
    return { ok: true, limits: this.#limits(now) }
  }

  /** [R5] A run begins that the line has found room for. `counts`: in this minute. */
  begin(run: string, counts: boolean): void {
    const live = this.#running()
    const now = this.#now()
    if (!live.has(run)) this.#unreported.set(run, now)
    if (counts && !this.#starts.has(run)) this.#starts.set(run, now)
  }

  /** Frees the place of a run that did not start. */
  giveBack(run: string): void {
    const live = this.#running()
    // Also of a place that was lost with this object's memory. If its row stays, so does its place, until its time to report is over.
    if (!live.has(run)) this.#deps.dropped?.(run, false)
    if (this.#unreported.delete(run)) this.#starts.delete(run)
    this.#waiters.wake()
  }

  /** Drops what has expired. A list of runs asks for it, so that it shows no run that never started. */
  sweep(): void {
    this.#running()
    this.#now()
  }

  /** A run has taken a place that a desk held. A second word of it, after its report or before, changes nothing. */
  began(run: string, at: number): void {
    const live = this.#running()
    this.#now()
    if (live.has(run) || this.#starts.has(run)) return
    this.#unreported.set(run, at)
    this.#starts.set(run, at)
  }

  /** What is left for anyone; nothing if the tenant's storage is full. */
  room(): Limits & { readonly places: number } {
    this.#running()
    const limits = this.#limits(this.#now())
    const places = this.#deps.full() === undefined ? Math.min(limits.concurrent.left, limits.starts.left) : 0
    return { ...limits, places }
  }

  /** A run has reported, however it was started. */
  note(run: string, isOver: boolean): void {
    this.#deps.meet()
    const now = this.#now()
    const live = this.#running()
    const isNew = !live.has(run) && !this.#unreported.has(run) && !isOver
    if (isNew && !this.#starts.has(run)) this.#starts.set(run, now)
    this.#unreported.delete(run)
    if (!isOver) live.add(run)
    else if (live.delete(run) || this.#waiters.size > 0) this.#waiters.wake()
  }

  /** When there may be room again; undefined: there is room now. */
  fullUntil(): number | undefined {
    const now = this.#now()
    if (this.#deps.full() !== undefined) return now + FULL_MS
    const { concurrent_runs } = this.#deps.quotas()
    if (this.#running().size + this.#unreported.size + this.#lent() >= concurrent_runs) return now + RETRY_MS
    return this.#minuteIsUsedUp() ? now + this.#freeIn(now) : undefined
  }

  /** The tenant is deleted. */
  forget(): void {
    this.#live = undefined
    this.#unreported.clear()
    this.#starts.clear()
  }

  #minuteIsUsedUp(): boolean {
    this.#now()
    return this.#starts.size + this.#lent() >= this.#deps.quotas().starts_per_minute
  }

  #lent(): number {
    return this.#deps.lent?.() ?? 0
  }

  #freeIn(now: number): number {
    const [oldest] = this.#starts.values()
    return oldest === undefined ? MINUTE_MS : Math.max(1, oldest + MINUTE_MS - now)
  }

  #limits(now: number): Limits {
    const { concurrent_runs, starts_per_minute } = this.#deps.quotas()
    const lent = this.#lent()
    return {
      concurrent: { quota: concurrent_runs, left: Math.max(0, concurrent_runs - this.#running().size - this.#unreported.size - lent) },
      starts: { quota: starts_per_minute, left: Math.max(0, starts_per_minute - this.#starts.size - lent), reset: this.#freeIn(now) },
    }
  }

  #running(): Set<string> {
    if (this.#live === undefined) {
      this.#live = new Set(this.#deps.live())
      const now = this.#deps.now()
      for (const { id, created } of this.#deps.promised?.() ?? []) {
        // Nobody could report to an object that was down: its time to report begins now.
        this.#unreported.set(id, now)
        this.#starts.set(id, created)
      }
      for (const { id, created } of this.#deps.startedAfter(now - MINUTE_MS)) this.#starts.set(id, created)
    }
    return this.#live
  }

  /** The current time. Also drops entries that have expired by now. */
  #now(): number {
    const now = this.#deps.now()
    for (const [run, at] of this.#unreported) {
      if (isWithin(at, now, UNREPORTED_MS)) continue
      // Its row first: if a full disk refuses that, the next look drops it.
      this.#deps.dropped?.(run, true)
      this.#unreported.delete(run)
    }
    for (const [run, at] of this.#starts) {
      if (!isWithin(at, now, MINUTE_MS)) this.#starts.delete(run)
      else if (at <= now) break
    }
    return now
  }
}
