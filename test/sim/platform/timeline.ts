// Timeline: virtual time, and everything that is going to happen, in the order of its time. One event happens at a time: it and all that follows
// from it without crossing the border run to their end before the next one begins.

import type { Place } from "./place.ts"

/** An event that has not happened. */
export interface Coming {
  readonly at: number
  /** Of two events of one time the lesser one is first. */
  readonly order: number
  /** Whose code runs; undefined: the world's. It does not happen if that code is gone. */
  readonly place: Place | undefined
  readonly label: string
  readonly happen: () => void | Promise<void>
  isOff: boolean
}

/** A turn of the process's event loop: by then all promises that could be settled are. Taken before anything replaces the timers. */
const { setImmediate: turnOver } = globalThis
const turn = (): Promise<void> => new Promise((resolve) => void turnOver(resolve))

export class Timeline {
  /** Milliseconds since the simulation began. */
  now = 0
  /** Whose code runs now; undefined: the world's. */
  here: Place | undefined
  /** How many events have happened. */
  count = 0
  readonly #heap: Coming[] = []
  #made = 0
  /** Is told of each event before it happens. */
  readonly watch: (event: Coming) => void
  /** After each event. */
  readonly after: (event: Coming) => void

  constructor(watch: (event: Coming) => void = () => {}, after: (event: Coming) => void = () => {}) {
    this.watch = watch
    this.after = after
  }

  /** `delay`: virtual milliseconds from now. `order`: in [0, 1); a roll makes the order of simultaneous events arbitrary. */
  in(delay: number, place: Place | undefined, label: string, happen: () => void | Promise<void>, order = 0): Coming {
    const made = ++this.#made
    const event: Coming = { at: this.now + Math.max(0, delay), order: order * 1e9 + made, place, label, happen, isOff: false }
    push(this.#heap, event)
    return event
  }

  /** The next event's time; undefined: nothing will ever happen. */
  get next(): number | undefined {
    while (isVain(this.#heap[0])) pop(this.#heap)
    return this.#heap[0]?.at
  }

  /** How many are coming; those that were called off may be counted. */
  get size(): number {
    return this.#heap.length
  }

  /** The next event happens. false: there is none. */
  async step(): Promise<boolean> {
    while (isVain(this.#heap[0])) pop(this.#heap)
    const event = pop(this.#heap)
    if (!event) return false
    this.now = Math.max(this.now, event.at)
    this.count++
    this.here = event.place
    this.watch(event)
    await event.happen()
    await turn()
    this.here = undefined
    this.after(event)
    return true
  }
}

/** It will not happen: it was called off, or whose code it is has gone. */
const isVain = (event: Coming | undefined): boolean => event !== undefined && (event.isOff || event.place?.isGone === true)

const isBefore = (a: Coming, b: Coming): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

function push(heap: Coming[], event: Coming): void {
  let i = heap.push(event) - 1
  while (i > 0) {
    const above = (i - 1) >> 1
    const parent = heap[above]
    if (!parent || !isBefore(event, parent)) break
    heap[i] = parent
    i = above
  }
  heap[i] = event
}

function pop(heap: Coming[]): Coming | undefined {
  const first = heap[0]
  const last = heap.pop()
  if (!first || !last || heap.length === 0) return first
  let i = 0
  for (;;) {
    let below = 2 * i + 1
    const left = heap[below]
    if (!left) break
    const right = heap[below + 1]
    const least = right && isBefore(right, left) ? right : left
    if (least === right) below++
    if (!isBefore(least, last)) break
    heap[i] = least
    i = below
  }
  heap[i] = last
  return first
}
