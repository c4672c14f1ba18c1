// Counts what one invocation does, and refuses what the platform would. An object has one I/O context for all its requests: their
// connections count together, and each event that reaches the object resets its counts of calls.

import type { PlatformPlan } from "./plans.ts"

export type InvocationKind = "request" | "object" | "courier"

/** The most that any invocation of a kind did between two events. */
export interface Peak {
  /** Events that reached invocations of this kind. */
  events: number
  calls: number
  inner: number
  waiting: number
  /** Connections that had to wait for their turn. */
  queued: number
  invocations: number
  dynamic: number
}

export class Peaks {
  kinds: Readonly<Record<InvocationKind, Peak>> = { request: none(), object: none(), courier: none() }
  /** What was refused, with how often. */
  readonly refused = new Map<string, number>()
  /** Calls outside of any invocation: a gap in this mode. */
  unknown = 0

  reset(): void {
    this.kinds = { request: none(), object: none(), courier: none() }
    this.refused.clear()
    this.unknown = 0
  }

  shown(): object {
    return { ...this.kinds, refused: Object.fromEntries(this.refused), unknown: this.unknown }
  }
}

const none = (): Peak => ({ events: 0, calls: 0, inner: 0, waiting: 0, queued: 0, invocations: 0, dynamic: 0 })

const SUBREQUESTS =
  "Too many subrequests by single Worker invocation. To configure this limit, refer to https://developers.cloudflare.com/workers/wrangler/configuration/#limits"

export class Meter {
  readonly #plan: PlatformPlan
  readonly #kind: InvocationKind
  readonly #peaks: Peaks
  readonly #queue: (() => void)[] = []
  readonly #dynamic = new Map<string, number>()
  #calls = 0
  #inner = 0
  #invocations = 0
  #waiting = 0

  constructor(plan: PlatformPlan, kind: InvocationKind, peaks: Peaks) {
    this.#plan = plan
    this.#kind = kind
    this.#peaks = peaks
  }

  /** An event has reached this invocation, or its object. */
  event(): void {
    this.#note("events", this.#peaks.kinds[this.#kind].events + 1)
    this.#calls = 0
    this.#inner = 0
    this.#invocations = 0
  }

  call(): void {
    this.#note("calls", ++this.#calls)
    if (this.#calls > this.#plan.calls) this.#refuse(SUBREQUESTS)
  }

  inner(): void {
    this.#note("inner", ++this.#inner)
    if (this.#inner > this.#plan.inner) this.#refuse(SUBREQUESTS)
  }

  invocation(): void {
    this.inner()
    // The request itself is the first.
    this.#note("invocations", ++this.#invocations + 1)
    if (this.#invocations + 1 > this.#plan.invocations)
      this.#refuse(`Too many Worker invocations: one request may consist of ${this.#plan.invocations}.`)
  }

  /** Holds a connection until `work` has its answer. */
  async connected<T>(work: () => Promise<T>, signal?: AbortSignal | null): Promise<T> {
    if (this.#waiting >= this.#plan.waiting) await this.#turn(signal)
    else this.#waiting++
    this.#note("waiting", this.#waiting)
    try {
      return await work()
    } finally {
      const next = this.#queue.shift()
      if (next) next()
      else this.#waiting--
    }
  }

  /** A request to a Dynamic Worker, in flight until the returned function is called. */
  dynamic(name: string): () => void {
    this.inner()
    const most = this.#plan.dynamic[this.#kind === "object" ? "object" : "request"]
    if (!this.#dynamic.has(name) && this.#dynamic.size >= most)
      this.#refuse(`Too many concurrent dynamic workers: ${most} may have requests in flight.`)
    this.#dynamic.set(name, (this.#dynamic.get(name) ?? 0) + 1)
    this.#note("dynamic", this.#dynamic.size)
    return () => {
      const left = (this.#dynamic.get(name) ?? 1) - 1
      if (left === 0) this.#dynamic.delete(name)
      else this.#dynamic.set(name, left)
    }
  }

  #turn(signal?: AbortSignal | null): Promise<void> {
    this.#peaks.kinds[this.#kind].queued++
    return new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener("abort", leave)
        resolve()
      }
      const leave = (): void => {
        this.#queue.splice(this.#queue.indexOf(begin), 1)
        reject(signal?.reason instanceof Error ? signal.reason : new Error("aborted"))
      }
      this.#queue.push(begin)
      signal?.addEventListener("abort", leave, { once: true })
    })
  }

  #note(what: keyof Peak, count: number): void {
    const peak = this.#peaks.kinds[this.#kind]
    peak[what] = Math.max(peak[what], count)
  }

  #refuse(why: string): never {
    const text = `${this.#kind}: ${why}`
    this.#peaks.refused.set(text, (this.#peaks.refused.get(text) ?? 0) + 1)
    throw new Error(why)
  }
}
