// Decides which starts in line begin now, under what each other one waits, and when to look again [R5]. A pure function of the rows and the
// time: looking again at the same rows begins nothing. It reads only starts that may have become free, and at most 50 in a look.

import type { KeyLimit, Throttle } from "./start-block.ts"
import { concurrencyThing, keyName, MINUTE, NEW, ROOM, throttleThing } from "./line-things.ts"

export const MOST_READ = 50 // limit: starts that one look at a tenant's line reads → what it leaves is looked at next
/** Things opened in a look: three heads of each leave room for what they have behind them. */
const MOST_THINGS = 8
/** [R12] Every so many places one goes to the start that has been in line longest. */
const OLDEST_EVERY = 5
const PRIORITY_RANKS = [0, 1, 2] as const
export type PriorityRank = (typeof PRIORITY_RANKS)[number]

/** A start in line. */
export interface InLine {
  readonly run: string
  /** Grows with each arrival. */
  readonly n: number
  /** When it came into line (ms). */
  readonly ready: number
  /** 0 goes first. */
  readonly rank: PriorityRank
  /** Under what it waits. */
  readonly filed: string
  readonly concurrency?: KeyLimit
  readonly throttle?: Throttle
  /** What it takes of the tenant's quotas when it begins [H6, R22]; a child takes nothing. */
  readonly takes: "nothing" | "place" | "place and minute"
}

/** What a look reads of the stored rows. */
export interface Line {
  /** What may have become free since the last look. Starts that are new in line are always looked at. */
  readonly woken: readonly string[]
  /** The first start under this thing with this rank, behind `after`, and not behind `upTo`. */
  first(thing: string, rank: PriorityRank, after: Pick<InLine, "ready" | "n"> | undefined): InLine | undefined
  /** How many runs hold the key, and the least of their limits. */
  holders(key: string): { readonly count: number; readonly least: number }
  /** When the `count`-th newest of the key's runs began; undefined: fewer have begun. */
  began(key: string, count: number): number | undefined
  /** How many waiting starts have begun. */
  readonly places: number
  readonly room: { readonly places: number; readonly minute: number }
}

export interface Began {
  readonly start: InLine
  /** [R19] What held it last; absent: nothing did. */
  readonly held?: string
}
export interface Looked {
  readonly begin: readonly Began[]
  /** Starts and the thing that each is filed under from now on. */
  readonly file: readonly { readonly start: InLine; readonly under: string; readonly until?: number }[]
  /** Things that were looked at and hold what waits for them. `until`: when time alone may free it. */
  readonly asleep: readonly { readonly thing: string; readonly until?: number }[]
  /** Things under which nothing waits any more. */
  readonly empty: readonly string[]
  readonly places: number
  /** Rows read. */
  readonly read: number
  /** It was cut: the rest is looked at next, before any start that comes into line later. */
  readonly more: boolean
}

interface Head {
  readonly thing: string
  readonly start: InLine
}
interface Held {
  readonly under: string
  readonly until?: number
}

const isBefore = (a: InLine, b: InLine): boolean => a.ready < b.ready || (a.ready === b.ready && a.n < b.n)
const goesBefore = (a: InLine, b: InLine): boolean => a.rank < b.rank || (a.rank === b.rank && isBefore(a, b))

export function look(line: Line, now: number, most: number = MOST_READ): Looked {
  const one = new Look(line, now, most)
  one.go()
  return one.result()
}

class Look {
  readonly #line: Line
  readonly #now: number
  readonly #most: number
  readonly #begin: Began[] = []
  readonly #file: { start: InLine; under: string; until?: number }[] = []
  readonly #asleep = new Map<string, Held>()
  readonly #heads = new Map<string, (Head | undefined)[]>()
  /** What began in this look, which the rows do not say yet. */
  readonly #taken = { places: 0, minute: 0, keys: new Map<string, { count: number; least: number }>(), paced: new Map<string, number>() }
  #places: number
  #read = 0
  /** It has read as much as it may. */
  #isOut = false
  /** There are more things than it may open. */
  #isShort = false

  constructor(line: Line, now: number, most: number) {
    this.#line = line
    this.#now = now
    this.#most = most
    this.#places = line.places
  }

  go(): void {
    const things = [...new Set([NEW, ...this.#line.woken])]
    for (const thing of things.slice(0, MOST_THINGS)) this.#open(thing)
    while (!this.#isOut) {
      const head = this.#next()
      if (!head) break
      this.#take(head)
    }
    this.#isShort = things.length > MOST_THINGS
  }

  result(): Looked {
    const empty = [...this.#heads].flatMap(([thing, heads]) =>
      thing !== NEW && !this.#isOut && !this.#asleep.has(thing) && heads.every((head) => head === undefined) ? [thing] : [],
    )
    return {
      begin: this.#begin,
      file: this.#file,
      asleep: [...this.#asleep].map(([thing, { until }]) => ({ thing, ...(until === undefined ? {} : { until }) })),
      empty,
      places: this.#places,
      read: this.#read,
      more: this.#isOut || this.#isShort,
    }
  }

  #open(thing: string): void {
    const heads: (Head | undefined)[] = []
    this.#heads.set(thing, heads)
    for (const rank of PRIORITY_RANKS) heads[rank] = this.#fetch(thing, rank, undefined)
  }

  #fetch(thing: string, rank: PriorityRank, after: InLine | undefined): Head | undefined {
    if (this.#read >= this.#most) {
      this.#isOut = true
      return undefined
    }
    const start = this.#line.first(thing, rank, after)
    if (!start) return undefined
    this.#read++
    return { thing, start }
  }

  /** [R12] */
  #next(): Head | undefined {
    const comes = this.#places % OLDEST_EVERY === OLDEST_EVERY - 1 ? isBefore : goesBefore
    let best: Head | undefined
    for (const heads of this.#heads.values()) for (const head of heads) if (head && (!best || comes(head.start, best.start))) best = head
    return best
  }

  #take({ thing, start }: Head): void {
    const held = this.#heldBy(start)
    // All that wait under one thing wait for the same: the others need not be read.
    if (held?.under === thing) return this.#sleep(thing, held)
    if (held) {
      this.#file.push({ start, ...held })
      // It may be about to be looked at in this very look, where it has been found full.
      if (this.#heads.has(held.under)) this.#sleep(held.under, held)
    } else {
      this.#begin.push({ start, ...(thing === NEW ? {} : { held: thing }) })
      if (thing !== NEW) this.#places++
      this.#hold(start)
    }
    const heads = this.#heads.get(thing)
    if (heads) heads[start.rank] = this.#fetch(thing, start.rank, start)
  }

  #sleep(thing: string, held: Held): void {
    this.#asleep.set(thing, held)
    this.#heads.delete(thing)
  }

  #heldBy({ throttle, concurrency, takes }: InLine): Held | undefined {
    if (throttle) {
      const until = this.#freeAt(throttle)
      if (until > this.#now) return { under: throttleThing(throttle), until }
    }
    if (concurrency) {
      const { count, least } = this.#holders(keyName(concurrency))
      if (count >= Math.min(concurrency.limit, least)) return { under: concurrencyThing(concurrency) }
    }
    if (takes !== "nothing" && this.#line.room.places - this.#taken.places <= 0) return { under: ROOM }
    if (takes === "place and minute" && this.#line.room.minute - this.#taken.minute <= 0) return { under: MINUTE }
    return undefined
  }

  #holders(key: string): { readonly count: number; readonly least: number } {
    const { count, least } = this.#line.holders(key)
    const own = this.#taken.keys.get(key)
    return { count: count + (own?.count ?? 0), least: Math.min(least, own?.least ?? Number.POSITIVE_INFINITY) }
  }

  /** No `period` holds more than `limit` beginnings [R1]. */
  #freeAt(throttle: Throttle): number {
    const { limit, period } = throttle
    const own = this.#taken.paced.get(keyName(throttle)) ?? 0
    if (own >= limit) return this.#now + period
    const oldest = this.#line.began(keyName(throttle), limit - own)
    return oldest === undefined ? this.#now : oldest + period
  }

  #hold({ throttle, concurrency, takes }: InLine): void {
    const taken = this.#taken
    if (throttle) taken.paced.set(keyName(throttle), (taken.paced.get(keyName(throttle)) ?? 0) + 1)
    if (concurrency) {
      const { count, least } = taken.keys.get(keyName(concurrency)) ?? { count: 0, least: Number.POSITIVE_INFINITY }
      taken.keys.set(keyName(concurrency), { count: count + 1, least: Math.min(least, concurrency.limit) })
    }
    if (takes !== "nothing") taken.places++
    if (takes === "place and minute") taken.minute++
  }
}

/** [R7] What a start that supersedes cancels when it comes into line: of those before it that have not begun all, of the runs that hold its key the
 *  oldest. It begins when they have ended. `mayCancel`: a run of another flow is canceled only where both flows name the pool. */
export function supersedes<T extends { readonly run: string }>(
  limit: number,
  {
    waiting,
    holding,
    mayCancel,
  }: { readonly waiting: readonly T[]; readonly holding: readonly T[]; readonly mayCancel: (of: T) => boolean },
): readonly T[] {
  const most = holding.length - (limit - 1)
  return [...waiting.filter(mayCancel), ...(most > 0 ? holding.filter(mayCancel).slice(0, most) : [])]
}
