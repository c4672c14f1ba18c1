// Simulates discrete events: stations with servers and a queue, and visits that take time. The only input is a seed; the same seed gives
// the same figures.

export interface Station {
  readonly name: string
  /** How many visits it serves at once; Infinity for what grows with the load, such as one object per run. */
  readonly servers: number
}

export interface Seen {
  readonly name: string
  /** Work that arrived by the horizon, as a share of what the station could do until then: above 1 its queue grows without end. */
  readonly offered: number
  readonly visits: number
  /** The mean and the greatest time that a visit waited for its turn, ms. */
  readonly waited: number
  readonly longest: number
}

interface Line {
  readonly station: Station
  readonly queue: { readonly ms: number; readonly since: number; readonly served: () => void }[]
  head: number
  busy: number
  offered: number
  visits: number
  waited: number
  longest: number
}

export class Simulation {
  readonly #heap: { readonly time: number; readonly order: number; readonly work: () => void }[] = []
  readonly #lines = new Map<string, Line>()
  readonly #horizon: number
  #order = 0
  #now = 0

  /** Work that arrives after `horizon` ms is not counted as offered. */
  constructor(horizon: number) {
    this.#horizon = horizon
  }

  get now(): number {
    return this.#now
  }

  /** Does `work` after `ms`. */
  after(ms: number, work: () => void): void {
    push(this.#heap, { time: this.#now + ms, order: this.#order++, work })
  }

  /** Visits a station for `ms` of its time, after the visits that came before. */
  visit(station: Station, ms: number, served: () => void): void {
    const line = this.#lineOf(station)
    line.visits += 1
    if (this.#now <= this.#horizon) line.offered += ms
    if (line.busy < station.servers) this.#serve(line, ms, served)
    else line.queue.push({ ms, since: this.#now, served })
  }

  /** Until nothing is left to do, or the clock passes `until`. */
  run(until = Number.POSITIVE_INFINITY): void {
    for (let next = pop(this.#heap); next !== undefined; next = pop(this.#heap)) {
      if (next.time > until) return
      this.#now = next.time
      next.work()
    }
  }

  seen(): readonly Seen[] {
    return [...this.#lines.values()].map(({ station, offered, visits, waited, longest }) => ({
      name: station.name,
      offered: offered / (this.#horizon * station.servers),
      visits,
      waited: waited / visits,
      longest,
    }))
  }

  #serve(line: Line, ms: number, served: () => void): void {
    line.busy += 1
    this.after(ms, () => {
      line.busy -= 1
      const next = line.queue[line.head]
      if (next !== undefined) {
        line.head += 1
        // A queue that is over is forgotten, so that a long one does not keep what it has served.
        if (line.head === line.queue.length) line.queue.length = line.head = 0
        const waited = this.#now - next.since
        line.waited += waited
        line.longest = Math.max(line.longest, waited)
        this.#serve(line, next.ms, next.served)
      }
      served()
    })
  }

  #lineOf(station: Station): Line {
    const known = this.#lines.get(station.name)
    if (known) return known
    const line: Line = { station, queue: [], head: 0, busy: 0, offered: 0, visits: 0, waited: 0, longest: 0 }
    this.#lines.set(station.name, line)
    return line
  }
}

/** A generator of numbers in [0, 1), by mulberry32. */
export function dice(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A random interarrival or service time, exponentially distributed around `mean`. */
export const exponential = (mean: number, roll: () => number): number => -mean * Math.log(1 - roll())

interface Timed {
  readonly time: number
  readonly order: number
}

const before = (a: Timed, b: Timed): boolean => a.time < b.time || (a.time === b.time && a.order < b.order)

// A binary heap: the earliest first, and in the order of their making among equals.
function push<T extends Timed>(heap: T[], item: T): void {
  let at = heap.push(item) - 1
  while (at > 0) {
    const up = (at - 1) >> 1
    const parent = heap[up]
    if (parent === undefined || !before(item, parent)) break
    heap[at] = parent
    at = up
  }
  heap[at] = item
}

function pop<T extends Timed>(heap: T[]): T | undefined {
  const first = heap[0]
  const last = heap.pop()
  if (first === undefined || last === undefined || heap.length === 0) return first
  let at = 0
  for (;;) {
    const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]]
    const small = right !== undefined && left !== undefined && before(right, left) ? 2 * at + 2 : 2 * at + 1
    const child = heap[small]
    if (child === undefined || !before(child, last)) break
    heap[at] = child
    at = small
  }
  heap[at] = last
  return first
}
