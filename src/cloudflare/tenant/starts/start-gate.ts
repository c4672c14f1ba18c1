// StartGate: is there room for one more run [H6]? Asked in the tenant's object, in the turn that pins the run, so that a start costs no
// call more. What it counts is in memory, read from the list of runs when the object wakes: a place that a lost memory forgets is at
// worst given twice.
//
// A tenant that is alone in its isolate may use up its minute at once. Beside others its starts go through evenly, as many a minute: one
// that comes too early waits, so that runs of others are not held up by a flood that its quota allows [N4].
//
// A place is taken under the run's id: asked again for the same run it is the same place. It is kept until the run tells of itself, is
// given back, or 30 s have gone.

import type { Limits, StartKind } from "../../../ports/catalog.ts"
import type { Quotas } from "../../../ports/tenants.ts"
import { Pace } from "../../platform/pace.ts"

const MINUTE_MS = 60_000
const UNHEARD_MS = 30_000
/** A run that has just ended tells of it in the next moments: so long is it waited for before a start is refused, by so many. */
const PATIENCE_MS = 250
const MOST_WAITERS = 50
/** When a place will be free nobody knows. */
const RETRY_MS = 2_000
/** Whether what is stored has become less is looked at so often where nothing tells of it. */
const FULL_MS = 60_000
/** A start waits for its turn so long; whoever would wait longer is told when to come again. */
const MOST_PACE_MS = 5_000

export interface GateDeps {
  /** Runs that have begun and not ended, children left out. */
  live(): readonly string[]
  /** Of the runs that began after `since`, children left out, the id and when. */
  startedAfter(since: number): readonly { readonly id: string; readonly created: number }[]
  quotas(): Quotas
  /** Why nothing more may be stored; undefined: there is room. */
  full(): string | undefined
  /** This tenant is at work; is another one, in this isolate? */
  meet(): boolean
  now(): number
  pause(ms: number): Promise<void>
}

export type Place =
  | { readonly ok: true; readonly limits: Limits }
  /** `full`: of bytes. Only what is deleted makes room. */
  | { readonly ok: false; readonly limits: Limits; readonly retry: number; readonly why: string; readonly full?: true }

export class StartGate {
  readonly #deps: GateDeps
  #live: Set<string> | undefined
  /** Runs that were let in and have not told of themselves, with when. */
  readonly #unheard = new Map<string, number>()
  /** Starts of the last minute, oldest first. */
  readonly #starts = new Map<string, number>()
  readonly #waiters = new Set<() => void>()
  readonly #pace = new Pace()

  constructor(deps: GateDeps) {
    this.#deps = deps
  }

  /** Waits a moment where a place may become free in it, and for its turn beside other tenants. */
  async admit(run: string, kind: StartKind): Promise<Place> {
    const isKnown = this.#running().has(run) || this.#unheard.has(run)
    // A sender is not kept waiting [W3]: where there is no room, its run waits in the queue.
    const queues = kind === "webhook" || kind === "schedule"
    const place = await this.#placed(run, queues)
    return place.ok && !isKnown && !queues ? this.#inTurn(run, place) : place
  }

  async #inTurn(run: string, place: Place): Promise<Place> {
    const isCrowded = this.#deps.meet()
    const now = this.#deps.now()
    const perMinute = Math.max(1, this.#deps.quotas().starts_per_minute)
    const wait = isCrowded ? this.#pace.wait(perMinute, now) : 0
    if (wait > MOST_PACE_MS) {
      this.giveBack(run)
      const why = `this tenant may start ${perMinute} runs a minute, evenly while other tenants are at work`
      return { ok: false, limits: this.#limits(now), retry: wait, why }
    }
    this.#pace.take(perMinute, now)
    if (wait > 0) await this.#deps.pause(wait)
    return place
  }

  async #placed(run: string, queues: boolean): Promise<Place> {
    const first = this.take(run)
    if (first.ok || first.full === true || queues || this.#minuteIsUsedUp() || this.#waiters.size >= MOST_WAITERS) return first
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#waiters.delete(done)
        resolve()
      }
      const timer = setTimeout(done, PATIENCE_MS)
      this.#waiters.add(done)
    })
    return this.take(run)
  }

  take(run: string): Place {
    const now = this.#now()
    const live = this.#running()
    if (live.has(run) || this.#unheard.has(run)) return { ok: true, limits: this.#limits(now) }
    const full = this.#deps.full()
    if (full !== undefined) return { ok: false, limits: this.#limits(now), retry: FULL_MS, why: full, full: true }
    const { concurrent_runs, starts_per_minute } = this.#deps.quotas()
    if (live.size + this.#unheard.size >= concurrent_runs)
      return {
        ok: false,
        limits: this.#limits(now),
        retry: RETRY_MS,
        why: `this tenant may have ${concurrent_runs} runs under way, and it has`,
      }
    if (this.#starts.size >= starts_per_minute) {
      const why = `this tenant may start ${starts_per_minute} runs a minute, and it has`
      return { ok: false, limits: this.#limits(now), retry: this.#freeIn(now), why }
    }
    this.#unheard.set(run, now)
    this.#starts.set(run, now)
    return { ok: true, limits: this.#limits(now) }
  }

  /** It did not become a run. */
  giveBack(run: string): void {
    if (this.#unheard.delete(run)) this.#starts.delete(run)
    this.#wake()
  }

  /** A run tells of itself, however it was started. */
  note(run: string, isOver: boolean): void {
    this.#deps.meet()
    const now = this.#now()
    const live = this.#running()
    const isNew = !live.has(run) && !this.#unheard.has(run) && !isOver
    if (isNew && !this.#starts.has(run)) this.#starts.set(run, now)
    this.#unheard.delete(run)
    if (!isOver) live.add(run)
    else if (live.delete(run) || this.#waiters.size > 0) this.#wake()
  }

  /** When there may be room again; undefined: there is room now. */
  fullUntil(): number | undefined {
    const now = this.#now()
    if (this.#deps.full() !== undefined) return now + FULL_MS
    const { concurrent_runs } = this.#deps.quotas()
    if (this.#running().size + this.#unheard.size >= concurrent_runs) return now + RETRY_MS
    return this.#minuteIsUsedUp() ? now + this.#freeIn(now) : undefined
  }

  /** The tenant is no more. */
  forget(): void {
    this.#live = undefined
    this.#unheard.clear()
    this.#starts.clear()
  }

  #minuteIsUsedUp(): boolean {
    this.#now()
    return this.#starts.size >= this.#deps.quotas().starts_per_minute
  }

  #freeIn(now: number): number {
    const [oldest] = this.#starts.values()
    return oldest === undefined ? MINUTE_MS : Math.max(1, oldest + MINUTE_MS - now)
  }

  #limits(now: number): Limits {
    const { concurrent_runs, starts_per_minute } = this.#deps.quotas()
    return {
      concurrent: { quota: concurrent_runs, left: Math.max(0, concurrent_runs - this.#running().size - this.#unheard.size) },
      starts: { quota: starts_per_minute, left: Math.max(0, starts_per_minute - this.#starts.size), reset: this.#freeIn(now) },
    }
  }

  #running(): Set<string> {
    if (this.#live === undefined) {
      this.#live = new Set(this.#deps.live())
      const now = this.#deps.now()
      for (const { id, created } of this.#deps.startedAfter(now - MINUTE_MS)) this.#starts.set(id, created)
    }
    return this.#live
  }

  /** The time, with what it has taken away. */
  #now(): number {
    const now = this.#deps.now()
    for (const [run, at] of this.#unheard) if (at <= now - UNHEARD_MS) this.#unheard.delete(run)
    for (const [run, at] of this.#starts) {
      if (at > now - MINUTE_MS) break
      this.#starts.delete(run)
    }
    return now
  }

  #wake(): void {
    for (const waiter of this.#waiters) waiter()
  }
}
