// A provider with limits, isolates and runs on a virtual clock, for the measures of pacing [R24–R31].

import { counted, estimated, ReplyLengths } from "../../../src/core/pacing/call-cost.ts"
import { Allowance } from "../../../src/core/pacing/allowance.ts"
import type { Amounts } from "../../../src/core/pacing/gauge.ts"
import { Pacer, type PacingLimits } from "../../../src/core/pacing/pacer.ts"
import { ratesIn, type RateSeen } from "../../../src/core/pacing/rate-headers.ts"
import type { Rank } from "../../../src/core/pacing/turns.ts"
import { diceOf } from "../kernel/world.ts"

const MODEL = "p/m"
const STEP_MS = 50
const MAX_OUTPUT = 400

/** Buckets that hold a minute's limit, as the providers that say how theirs stand have them. */
export class LimitedProvider {
  readonly #limits: { requests: number; tokens: number }
  #left: { requests: number; tokens: number }
  #at = 0
  readonly answers: { readonly at: number; readonly status: number }[] = []

  constructor(requests: number, tokens: number) {
    this.#limits = { requests, tokens }
    this.#left = { requests, tokens }
  }

  ask(tokens: number, now: number): { readonly status: number; readonly seen: RateSeen[] } {
    for (const unit of ["requests", "tokens"] as const)
      this.#left[unit] = Math.min(this.#limits[unit], this.#left[unit] + (this.#limits[unit] * (now - this.#at)) / 60_000)
    this.#at = now
    const isTaken = this.#left.requests >= 1 && this.#left.tokens >= tokens
    if (isTaken) {
      this.#left.requests -= 1
      this.#left.tokens -= tokens
    }
    const status = isTaken ? 200 : 429
    this.answers.push({ at: now, status })
    return { status, seen: ratesIn((name) => this.#header(name), now) }
  }

  #header(name: string): string | undefined {
    const [, what, unit] = /^x-ratelimit-(limit|remaining|reset)-(requests|tokens)$/.exec(name) ?? []
    if (unit !== "requests" && unit !== "tokens") return undefined
    const [limit, left] = [this.#limits[unit], this.#left[unit]]
    if (what === "limit") return String(limit)
    return what === "remaining" ? String(Math.floor(left)) : `${(((limit - Math.floor(left)) / limit) * 60).toFixed(3)}s`
  }
}

export interface PacedRun {
  readonly family: string
  readonly rank?: Rank
  /** When it begins (ms). */
  readonly from?: number
  /** Calls one after another; left out: as many as it can. */
  readonly calls?: number
}

interface Working {
  readonly run: PacedRun
  readonly name: string
  readonly isolate: number
  calls: number
  state: "idle" | "waiting" | "asking"
  /** When it goes on. */
  at: number
  asked: number
  bytes: number
}

export interface Sent {
  readonly at: number
  readonly run: string
  readonly family: string
  readonly waited: number
  readonly status: number
}

export class PacedWorld {
  readonly provider: LimitedProvider
  readonly pacer: Pacer
  readonly sent: Sent[] = []
  /** When each isolate asked the pacer. */
  readonly questions: { readonly at: number; readonly isolate: number; readonly waiting: number }[] = []
  readonly #isolates: Allowance[]
  readonly #runs: Working[] = []
  readonly #roll: () => number
  readonly #replies = new ReplyLengths()
  now = 0

  constructor(provider: LimitedProvider, limits: PacingLimits, { isolates = 4, seed = "pace" } = {}) {
    this.provider = provider
    this.pacer = new Pacer(limits)
    this.#isolates = Array.from({ length: isolates }, (_, i) => new Allowance(`i${i}`, MODEL))
    this.#roll = diceOf(seed)
  }

  add(run: PacedRun): string {
    const name = `run_${this.#runs.length}`
    const isolate = this.#runs.length % this.#isolates.length
    this.#runs.push({ run, name, isolate, calls: 0, state: "idle", at: run.from ?? this.now, asked: 0, bytes: 0 })
    return name
  }

  /** Forgets what was learned and granted, as an object does that is started again. */
  goOn(ms: number): void {
    for (const until = this.now + ms; this.now < until; this.now += STEP_MS) {
      for (const one of this.#runs) this.#step(one)
      for (const [i, isolate] of this.#isolates.entries()) if (isolate.isDue(this.now)) this.#ask(i, isolate)
    }
  }

  get isIdle(): boolean {
    return this.#runs.every(({ run, calls, state }) => state === "idle" && calls >= (run.calls ?? Number.POSITIVE_INFINITY))
  }

  #step(one: Working): void {
    const { run } = one
    if (this.now < one.at) return
    if (one.state === "waiting") return this.#look(one)
    if (one.state === "asking") {
      one.state = "idle"
      one.calls += 1
    }
    if (one.state !== "idle" || one.calls >= (run.calls ?? Number.POSITIVE_INFINITY)) return
    one.bytes = 4 * Math.floor(400 + this.#roll() * 500)
    one.asked = this.now
    one.state = "waiting"
    this.#look(one)
  }

  /** Whoever waits looks for its turn again and again. */
  #look(one: Working): void {
    const { run } = one
    const call = { key: `${one.name}/${one.calls}`, family: run.family, rank: run.rank ?? "normal", cost: this.#cost(one) } as const
    if (this.#isolate(one).lets(call, this.now)) this.#send(one)
  }

  #cost = ({ bytes }: Working): Amounts => estimated({ bytes, maxOutput: MAX_OUTPUT }, this.#replies)
  #isolate = ({ isolate }: Working): Allowance => this.#isolates[isolate] ?? new Allowance("none", MODEL)

  #ask(i: number, isolate: Allowance): void {
    const question = isolate.question(this.now)
    this.questions.push({ at: this.now, isolate: i, waiting: question.waiting.length })
    const said = isolate.told(this.pacer.ask(question, this.now), this.now)
    for (const one of this.#runs) if (one.state === "waiting" && said.get(`${one.name}/${one.calls}`) === "now") this.#send(one)
  }

  #send(one: Working): void {
    const input = Math.round((one.bytes / 4) * (0.9 + this.#roll() * 0.2))
    const output = Math.floor(50 + this.#roll() * 250)
    const { status, seen } = this.provider.ask(input + output, this.now)
    this.sent.push({ at: this.now, run: one.name, family: one.run.family, waited: this.now - one.asked, status })
    const isolate = this.#isolate(one)
    if (status === 429) {
      isolate.refused(429, undefined, seen)
      one.state = "idle"
      one.at = this.now + 1_000
      return
    }
    const cost = this.#cost(one)
    this.#replies.take(output)
    isolate.answered(cost, counted({ input, output }, false), seen)
    one.state = "asking"
    one.at = this.now + 2_000 + this.#roll() * 2_000
  }
}
