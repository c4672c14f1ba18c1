// The isolate's side of pacing [R28]: lets calls go within its allowance, and asks for the others, at most once a second, all at once.

import { ALLOWANCE_MS, UNITS, type Amounts } from "./gauge.ts"
import type { Answer, Question, Turn } from "./pacer.ts"
import type { RateSeen } from "./rate-headers.ts"
import type { WaitingCall } from "./turns.ts"

/** Near a limit an isolate asks at most so often. */
export const BETWEEN_MS = 1_000
/** A call that no longer looks for its turn here is nobody's. */
const GONE_MS = 5_000
/** Refusals that stop a model [R31]. */
const STOPS = [429, 503, 529]

type Call = Omit<WaitingCall, "since">
type Sums = Partial<Record<(typeof UNITS)[number], number>>

export class Allowance {
  readonly #isolate: string
  readonly #model: string
  #asked = Number.NEGATIVE_INFINITY
  #freeUntil = Number.NEGATIVE_INFINITY
  #lent: { readonly left: Sums; readonly until: number } | undefined
  #spent: Sums = {}
  #families: Record<string, number> = {}
  #corrected: Sums = {}
  #answered = 0
  #used: Sums = {}
  #seen: RateSeen[] = []
  #refused: { readonly status: number; readonly retryAfter?: number }[] = []
  readonly #waiting = new Map<string, { readonly call: Call; readonly at: number }>()

  constructor(isolate: string, model: string) {
    this.#isolate = isolate
    this.#model = model
  }

  /** Whether the call leaves at once. If not, it waits here: a question says its turn. */
  lets(call: Call, now: number): boolean {
    const before = this.#waiting.size - (this.#waiting.has(call.key) ? 1 : 0)
    if (before === 0 && (this.#isFree(now) || this.#takes(call, now))) {
      this.#waiting.delete(call.key)
      return true
    }
    this.#waiting.set(call.key, { call, at: now })
    return false
  }

  /** Nothing bounds the model until then. */
  free(until: number): void {
    this.#freeUntil = Math.max(this.#freeUntil, until)
  }

  /** The call no longer waits. */
  leave(key: string): void {
    this.#waiting.delete(key)
  }

  /** A call was answered. `estimate` and `actual`: what it counted. */
  answered(estimate: Amounts, actual: Amounts, seen: readonly RateSeen[]): void {
    this.#answered += 1
    for (const unit of UNITS) {
      add(this.#corrected, unit, (estimate[unit] ?? 0) - (actual[unit] ?? 0))
      add(this.#used, unit, actual[unit] ?? 0)
    }
    if (seen.length > 0) this.#seen = [...seen]
  }

  refused(status: number, retryAfter: number | undefined, seen: readonly RateSeen[]): void {
    if (seen.length > 0) this.#seen = [...seen]
    if (!STOPS.includes(status)) return
    this.#refused.push({ status, ...(retryAfter === undefined ? {} : { retryAfter }) })
    // What was lent is not: whoever comes next asks.
    this.#lent = undefined
    this.#freeUntil = Number.NEGATIVE_INFINITY
  }

  /** Whether there is something to ask for now. */
  isDue(now: number): boolean {
    return this.#waiting.size > 0 && this.mayAsk(now)
  }

  /** Whether a question may be asked that nobody waits for. A clock that was set back says nothing of the last one. */
  mayAsk(now: number): boolean {
    return now < this.#asked || now - this.#asked >= BETWEEN_MS
  }

  /** Told for longer than anybody is told, it was told before the clock was set back. */
  #isFree(now: number): boolean {
    return now < this.#freeUntil && this.#freeUntil - now <= ALLOWANCE_MS
  }

  question(now: number): Question {
    for (const [key, { at }] of this.#waiting) if (now - at > GONE_MS) this.#waiting.delete(key)
    const question: Question = {
      isolate: this.#isolate,
      model: this.#model,
      waiting: [...this.#waiting.values()].map(({ call }) => call),
      spent: this.#spent,
      families: this.#families,
      corrected: this.#corrected,
      answered: this.#answered,
      used: this.#used,
      seen: this.#seen,
      refused: this.#refused,
    }
    this.#asked = now
    this.#spent = {}
    this.#families = {}
    this.#corrected = {}
    this.#answered = 0
    this.#used = {}
    this.#seen = []
    this.#refused = []
    this.#lent = undefined
    return question
  }

  /** What each waiting call is told. Calls that wait within an allowance leave too. */
  told({ free, allowance, turns }: Answer, now: number): Map<string, "now" | Turn> {
    if (free) this.#freeUntil = now + ALLOWANCE_MS
    if (allowance) this.#lent = { left: { ...allowance.amounts }, until: allowance.until }
    const said = new Map<string, "now" | Turn>()
    for (const [key, { call }] of this.#waiting) {
      const turn = turns[key] ?? (free || this.#takes(call, now) ? "now" : undefined)
      if (turn === undefined) continue
      said.set(key, turn)
      if (turn === "now") this.#waiting.delete(key)
    }
    return said
  }

  #takes({ cost, family }: Call, now: number): boolean {
    if (!this.#lent || now >= this.#lent.until) return false
    const { left } = this.#lent
    const units = UNITS.filter((unit) => left[unit] !== undefined)
    if (units.some((unit) => (cost[unit] ?? 0) > (left[unit] ?? 0))) return false
    for (const unit of units) {
      add(left, unit, -(cost[unit] ?? 0))
      add(this.#spent, unit, cost[unit] ?? 0)
    }
    this.#families[family] = (this.#families[family] ?? 0) + 1
    return true
  }
}

const add = (sums: Sums, unit: keyof Sums, more: number): void => void (sums[unit] = (sums[unit] ?? 0) + more)
