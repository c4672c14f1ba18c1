// Keeps the feed of a tenant [H15]: the newest events, in the memory of the tenant's object. It records only events that the object gets
// anyway, and stores nothing. Without listeners it keeps nothing either; a reader that reconnects later, or after an eviction, gets a gap.

import type { Json } from "../../../core/json.ts"
import { isoTime } from "../../../core/text/iso-time.ts"
import type { FeedEvent, FeedLook, FeedPort, FeedType, FeedPage } from "../../../ports/tenant/feed.ts"
import type { Answers } from "../../../ports/objects.ts"
import { Waiters } from "../../platform/waiters.ts"

/** Limit: events that a tenant's stream keeps → a reader of older ones gets a gap. */
export const MAX_KEPT = 1_000
/** Limit: streams of a tenant at once → 429. */
export const MAX_STREAMS = 50
const MAX_ANSWERED = 200 // limit: events of one answer → the next answer has the rest
const MAX_WAIT_MS = 20_000 // limit: milliseconds of one look → the next look goes on
const GONE_MS = 45_000 // limit: milliseconds until a stream that does not look is gone → its place is free
const KEEPS_MS = 300_000 // limit: milliseconds that events are kept after the last look → the next reader is told of a gap

interface FeedDeps {
  readonly now: () => number
  /** A text that no other life of the object has. */
  readonly epoch: () => string
}

export class Feed implements Answers<FeedPort> {
  readonly #deps: FeedDeps
  /** Reader → when it looked last. */
  readonly #readers = new Map<string, number>()
  readonly #waiting = new Waiters()
  #epoch: string
  #events: FeedEvent[] = []
  /** The number of the newest event. */
  #newest = 0
  #heard = Number.NEGATIVE_INFINITY

  constructor(deps: FeedDeps) {
    this.#deps = deps
    this.#epoch = deps.epoch()
  }

  /** Whether anyone listens, or may come back. If not, there is nothing to look up for an event. */
  get isHeard(): boolean {
    return this.#deps.now() - this.#heard < KEEPS_MS
  }

  /** Events are kept only while someone listens. A reader that returns with an older id gets a gap. */
  #hear(): void {
    if (!this.isHeard) this.#begin()
    this.#heard = this.#deps.now()
  }

  tell(type: FeedType, data: Readonly<Record<string, Json | undefined>>): void {
    if (!this.isHeard) return
    const said = Object.fromEntries(Object.entries(data).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
    this.#newest++
    this.#events.push({ id: this.#id(this.#newest), type, at: isoTime(this.#deps.now()), data: said })
    if (this.#events.length > MAX_KEPT) this.#events.shift()
    this.#waiting.wake()
  }

  async look({ reader, after, wait }: FeedLook): Promise<FeedPage> {
    if (!this.#admits(reader)) return "full"
    this.#hear()
    if (after === undefined) return { at: this.#id(this.#newest), events: [], gap: false }
    const place = this.#placeOf(after)
    if (place === undefined) return { at: this.#id(this.#newest), events: [], gap: true }
    if (place === this.#newest && wait > 0) await this.#waiting.wait(Math.min(wait, MAX_WAIT_MS))
    const now = this.#placeOf(after)
    if (now === undefined) return { at: this.#id(this.#newest), events: [], gap: true }
    const first = this.#newest - this.#events.length
    const events = this.#events.slice(now - first, now - first + MAX_ANSWERED)
    return { at: events.at(-1)?.id ?? after, events, gap: false }
  }

  leave(reader: string): void {
    this.#readers.delete(reader)
  }

  /** The tenant is deleted. */
  forget(): void {
    this.#readers.clear()
    this.#begin()
  }

  #begin(): void {
    this.#epoch = this.#deps.epoch()
    this.#events = []
    this.#newest = 0
    this.#heard = Number.NEGATIVE_INFINITY
  }

  #admits(reader: string): boolean {
    const now = this.#deps.now()
    for (const [other, looked] of this.#readers) if (now - looked >= GONE_MS) this.#readers.delete(other)
    if (!this.#readers.has(reader) && this.#readers.size >= MAX_STREAMS) return false
    this.#readers.set(reader, now)
    return true
  }

  readonly #id = (n: number): string => `${this.#epoch}-${n}`

  /** The number of the event; undefined: of another life, or no longer kept, or made up. */
  #placeOf(id: string): number | undefined {
    const [, epoch, digits = ""] = /^([^-]+)-(\d{1,15})$/.exec(id) ?? []
    const n = Number(digits)
    return epoch === this.#epoch && n >= this.#newest - this.#events.length && n <= this.#newest ? n : undefined
  }
}
