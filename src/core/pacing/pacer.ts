// Shares the limits of a tenant's models among its isolates [R26–R29, R31]. The tenant's object has one; it is asked with the time, and holds
// what it was told: a reset forgets it, and costs no more than the sixth of a minute that leaves at once.
//
// Far from a limit an isolate gets an allowance, and asks nobody for five seconds. Near it each waiting call gets its turn by name: the turn
// is kept for it until it comes.

import { Buckets } from "./buckets.ts"
import { ALLOWANCE_MS, given, lets, leavesAt, taken, costIn, type Amounts, type Gauge } from "./gauge.ts"
import { LastMinute, RateLine, type Learned, type SetLimits } from "./rate-line.ts"
import type { RateSeen } from "./rate-headers.ts"
import { goesBefore, inTurn, isFifth, type WaitingCall } from "./turns.ts"

export interface PacingLimits {
  readonly models?: Readonly<Record<string, SetLimits & { readonly spill?: boolean | undefined }>>
  /** false: answers teach nothing. */
  readonly learn?: boolean | undefined
}

export interface Question {
  readonly isolate: string
  /** `provider/model` */
  readonly model: string
  /** Its calls that wait, with the estimates of their costs. */
  readonly waiting: readonly Omit<WaitingCall, "since">[]
  /** What it took of its allowance, and by how much its estimates were too high (less than 0: too low) since it asked last. */
  readonly spent?: Amounts
  /** How many calls each family took of it. */
  readonly families?: Readonly<Record<string, number>>
  readonly corrected?: Amounts
  /** What answers said since then: how many there were, and how the limits stand. */
  readonly answered?: number
  /** What the answered calls used. */
  readonly used?: Amounts
  readonly seen?: readonly RateSeen[]
  /** Calls that were refused: `retryAfter` (ms) if the provider named a time. */
  readonly refused?: readonly { readonly status: number; readonly retryAfter?: number }[]
}

export interface Turn {
  /** When its turn is expected (ms), and how many go before it. */
  readonly until: number
  readonly ahead: number
}

export interface Answer {
  /** Nothing bounds the model. */
  readonly free?: true
  /** What may leave until then without asking. */
  readonly allowance?: { readonly amounts: Amounts; readonly until: number }
  /** By the key of a call: it may leave now, or waits. */
  readonly turns: Readonly<Record<string, "now" | Turn>>
  readonly stoppedUntil?: number
  /** [R29] Its calls do not wait for this tenant's own rate: they go to the agent's next model. */
  readonly spill?: true
}

/** [R31] A model as it stands now, and what was asked of it in the last minute. */
export interface PaceNow {
  readonly model: string
  readonly set: SetLimits
  readonly learned: SetLimits
  readonly used: { readonly requests: number; readonly input: number; readonly output: number }
  readonly waiting: number
  readonly longestMs: number
  readonly stoppedUntil?: number
}

/** A turn that nobody takes, and a call of which nobody asks again, are given up so long after the time that was told. */
const PATIENCE_MS = 10_000

/** Who was told a shorter wait looks for its turn itself. */
const SLEEPS_MS = 1_000

interface AtModel extends WaitingCall {
  readonly model: string
  /** The time that it was told. */
  told: number
  /** Its turn came by its wait alone: nobody takes it over. */
  byWait?: boolean
}

export class Pacer {
  #limits: PacingLimits
  readonly #lines = new Map<string, RateLine>()
  #waiting: AtModel[] = []
  /** Turns that have come, and are not taken yet. */
  readonly #called = new Map<string, AtModel>()
  readonly #lent = new Map<string, { readonly amounts: Amounts; readonly model: string; readonly until: number }>()
  readonly #got = new Map<string, LastMinute<string>>()
  readonly #answered = new Map<string, LastMinute<{ readonly calls: number; readonly used: Amounts }>>()
  /** How long calls waited that were let go. */
  readonly #waited = new Map<string, LastMinute<number>>()
  #turns = 0
  #woken: string[] = []

  constructor(limits: PacingLimits = {}) {
    this.#limits = limits
  }

  limit(limits: PacingLimits): void {
    this.#limits = limits
  }

  ask(question: Question, now: number): Answer {
    const { model, isolate } = question
    this.#hear(question, now)
    this.#forget(now)
    const known = new Map(this.#waiting.map((one) => [one.key, one]))
    for (const call of question.waiting) {
      const one = known.get(call.key) ?? this.#called.get(call.key)
      // Who waits for its run may have come or gone meanwhile.
      if (one) Object.assign(one, { told: now, rank: call.rank })
      else this.#waiting.push({ ...call, model, since: now, told: now })
    }
    const order = this.#takeOver(question, this.#goOn(model, now), now)
    this.#wake(question, now)
    const line = this.#line(model)
    const stoppedUntil = line.stoppedAt(now)
    const isBound = stoppedUntil !== undefined || this.#gauges(model, now).length > 0
    if (!isBound) return { free: true, turns: this.#turnsOf(question, order, now) }
    const waits = order.some((one) => one.model === model) || stoppedUntil !== undefined
    return {
      turns: this.#turnsOf(question, order, now),
      ...(waits ? {} : this.#lend(isolate, model, now)),
      ...(stoppedUntil === undefined ? {} : { stoppedUntil }),
      ...(this.#limits.models?.[model]?.spill === true ? { spill: true } : {}),
    }
  }

  /** The keys of calls that were told a later time and whose turn has come; each is named once. */
  woken(): readonly string[] {
    const woken = this.#woken
    this.#woken = []
    return woken
  }

  #wake({ waiting }: Question, now: number): void {
    const asks = new Set(waiting.map(({ key }) => key))
    for (const [key, one] of this.#called) {
      if (asks.has(key) || one.told <= now + SLEEPS_MS) continue
      one.told = now
      this.#woken.push(key)
    }
  }

  /** A turn is kept for its call, but not from one that goes before it: whoever waits for that one does not wait for a run to wake. */
  #takeOver({ model, waiting }: Question, order: AtModel[], now: number): AtModel[] {
    const asks = new Set(waiting.map(({ key }) => key))
    const kept = [...this.#called.values()].filter((one) => one.model === model && one.byWait !== true)
    let isTaken = false
    for (const one of order.filter(({ key }) => asks.has(key))) {
      const at = kept.findLastIndex(({ rank }) => goesBefore(one.rank, rank))
      const sleeps = kept[at]
      if (!sleeps) continue
      this.#change(model, now, (gauge) => given(gauge, costIn(gauge, sleeps.cost)))
      if (!this.#gauges(model, now).every((gauge) => lets(gauge, one.cost))) {
        this.#change(model, now, (gauge) => taken(gauge, sleeps.cost))
        continue
      }
      isTaken = true
      kept.splice(at, 1)
      this.#called.delete(sleeps.key)
      this.#gotAt(providerOf(model)).forget(sleeps.family)
      this.#waiting.push(sleeps)
      this.#letGo(one, now)
    }
    if (isTaken) this.#waiting = this.#waiting.filter(({ key }) => !this.#called.has(key))
    return isTaken ? this.#goOn(model, now) : order
  }

  /** The models of the provider that something bounds; "all": what they share is bounded, or a model may be that has not been asked. */
  bound(provider: string, now: number): readonly string[] | "all" {
    if (this.#isBound(`${provider}/*`, now)) return "all"
    const names = new Set([...this.#lines.keys(), ...Object.keys(this.#limits.models ?? {})])
    return [...names].filter((name) => name.startsWith(`${provider}/`) && this.#isBound(name, now))
  }

  /** What answers taught of the model. */
  learned(model: string): Learned {
    return this.#line(model).learned
  }

  /** What was learned before this object was started. */
  know(model: string, learned: Learned): void {
    this.#line(model).know(learned)
  }

  /** Each model that is set, was learned or was asked in the last minute. */
  standing(now: number): PaceNow[] {
    this.#forget(now)
    const names = new Set([...Object.keys(this.#limits.models ?? {}), ...this.#lines.keys(), ...this.#answered.keys()])
    return [...names].toSorted().flatMap((model) => {
      const line = this.#line(model)
      const answered = this.#answered.get(model)?.within(now) ?? []
      const sum = (unit: "requests" | "input" | "output"): number => answered.reduce((n, { used }) => n + (used[unit] ?? 0), 0)
      const waiting = this.#waiting.filter((one) => one.model === model)
      const waited = [...(this.#waited.get(model)?.within(now) ?? []), ...waiting.map(({ since }) => now - since)]
      const stoppedUntil = line.stoppedAt(now)
      const { spill: _spill, ...set } = this.#limits.models?.[model] ?? {}
      const row = {
        model,
        set,
        learned: line.taughtLimits(now),
        used: { requests: sum("requests"), input: sum("input"), output: sum("output") },
        waiting: waiting.length,
        longestMs: Math.max(0, ...waited),
        ...(stoppedUntil === undefined ? {} : { stoppedUntil }),
      }
      const isIdle = answered.length === 0 && waited.length === 0 && stoppedUntil === undefined
      return isIdle && Object.keys({ ...row.set, ...row.learned }).length === 0 ? [] : [row]
    })
  }

  #isBound(name: string, now: number): boolean {
    const line = this.#line(name)
    return line.stoppedAt(now) !== undefined || line.gauges(now).length > 0
  }

  #hear(
    { isolate, model, spent = {}, families = {}, corrected = {}, answered = 0, used = {}, seen = [], refused = [] }: Question,
    now: number,
  ): void {
    const line = this.#line(model)
    const lent = this.#lent.get(`${isolate} ${model}`)
    this.#lent.delete(`${isolate} ${model}`)
    if (lent) this.#change(model, now, (gauge) => given(gauge, Math.max(0, (lent.amounts[gauge.unit] ?? 0) - (spent[gauge.unit] ?? 0))))
    this.#change(model, now, (gauge) => given(gauge, corrected[gauge.unit] ?? 0))
    const got = this.#gotAt(providerOf(model))
    for (const [family, n] of Object.entries(families)) for (let i = 0; i < n; i++) got.add(family, now)
    const counts = this.#answered.get(model) ?? new LastMinute()
    this.#answered.set(model, counts)
    if (answered > 0) counts.add({ calls: answered, used }, now)
    if (this.#limits.learn !== false) line.see(seen, now)
    for (const { status, retryAfter } of refused) {
      if (retryAfter !== undefined) line.stop(now + retryAfter, now)
      else if (status === 429 && seen.length === 0)
        line.refused(
          counts.within(now).reduce((sum, { calls }) => sum + calls, 0),
          now,
        )
    }
  }

  /** Whoever no longer asks has ended, or its isolate has. */
  #forget(now: number): void {
    this.#waiting = this.#waiting.filter(({ told }) => now - told <= PATIENCE_MS)
    for (const [key, one] of this.#called) {
      if (now - one.told <= PATIENCE_MS) continue
      this.#called.delete(key)
      this.#change(one.model, now, (gauge) => given(gauge, costIn(gauge, one.cost)))
    }
    for (const [name, { until }] of this.#lent) if (now - until > PATIENCE_MS) this.#lent.delete(name)
  }

  /** Lets go whose turn it is. Returns those that still wait for the provider, in their order. A call that waits for a bucket holds up no call
   *  that needs others. */
  #goOn(model: string, now: number): AtModel[] {
    const provider = providerOf(model)
    const all = this.#waiting.filter((one) => providerOf(one.model) === provider)
    if (all.length === 0) return all
    const byKey = new Map(all.map((one) => [one.key, one]))
    const got = this.#gotAt(provider)
    const families = new Map<string, number>()
    for (const family of got.within(now)) families.set(family, (families.get(family) ?? 0) + 1)
    const order = inTurn(all, { families, turns: this.#turns, now }).flatMap(({ key }) => byKey.get(key) ?? [])
    const short = new Set<string>()
    const left: AtModel[] = []
    const buckets = new Buckets((of) => this.#named(of, now))
    const first = this.#turns
    for (const [i, one] of order.entries()) {
      const line = this.#line(one.model)
      const named = buckets.of(one.model)
      const isHeld = line.stoppedAt(now) !== undefined || named.some(([name]) => short.has(name))
      const lacks = isHeld ? [] : named.filter(([, gauge]) => !lets(gauge, one.cost))
      for (const [name] of lacks) short.add(name)
      if (isHeld || lacks.length > 0) {
        left.push(one)
        continue
      }
      one.byWait = isFifth(first + i)
      this.#letGo(one, now)
      buckets.changed()
      this.#turns += 1
    }
    for (const waited of new Set(left.flatMap((one) => this.#linesOf(one.model)))) waited.waits(now)
    this.#waiting = this.#waiting.filter(({ key }) => !this.#called.has(key))
    return left
  }

  #letGo(one: AtModel, now: number): void {
    this.#change(one.model, now, (gauge) => taken(gauge, one.cost))
    this.#called.set(one.key, one)
    const waited = this.#waited.get(one.model) ?? new LastMinute<number>()
    this.#waited.set(one.model, waited)
    waited.add(now - one.since, now)
    this.#gotAt(providerOf(one.model)).add(one.family, now)
  }

  #turnsOf({ waiting, model }: Question, order: readonly AtModel[], now: number): Record<string, "now" | Turn> {
    const turns: Record<string, "now" | Turn> = {}
    const asked = new Set(waiting.map(({ key }) => key))
    for (const key of asked) if (this.#called.delete(key)) turns[key] = "now"
    const before = new Map<string, number>()
    let ahead = 0
    const buckets = new Buckets((of) => this.#named(of, now))
    for (const one of order) {
      const named = buckets.of(one.model)
      const times = named.map(([name, gauge]) => leavesAt(gauge, before.get(name) ?? 0, one.cost))
      const stopped = this.#line(one.model).stoppedAt(now) ?? now
      if (asked.has(one.key)) {
        const until = Math.ceil(
          Math.max(stopped, now + LEAST_WAIT_MS, ...times.map((at) => (Number.isFinite(at) ? at : now + PATIENCE_MS))),
        )
        one.told = until
        turns[one.key] = { until, ahead }
      }
      for (const [name, gauge] of named) before.set(name, (before.get(name) ?? 0) + costIn(gauge, one.cost))
      if (one.model === model) ahead += 1
    }
    return turns
  }

  /** Half of what is left, so that another isolate gets some too. */
  #lend(isolate: string, model: string, now: number): Pick<Answer, "allowance"> {
    const amounts: Partial<Record<Gauge["unit"], number>> = {}
    for (const gauge of this.#gauges(model, now)) {
      const half = gauge.unit === "requests" ? Math.floor(Math.max(0, gauge.level) / 2) : Math.max(0, gauge.level) / 2
      amounts[gauge.unit] = Math.min(amounts[gauge.unit] ?? half, half)
    }
    if (amounts.requests === 0) return {}
    this.#change(model, now, (gauge) => given(gauge, -(amounts[gauge.unit] ?? 0)))
    const until = now + ALLOWANCE_MS
    this.#lent.set(`${isolate} ${model}`, { amounts, model, until })
    return { allowance: { amounts, until } }
  }

  #change(model: string, now: number, of: (gauge: Gauge) => Gauge): void {
    for (const line of this.#linesOf(model)) line.change(now, of)
  }

  #gauges(model: string, now: number): Gauge[] {
    return this.#linesOf(model).flatMap((line) => line.gauges(now))
  }

  /** Each bucket that a call of the model needs, with a name that its models share. */
  #named(model: string, now: number): [string, Gauge][] {
    return namesOf(model).flatMap((name) =>
      this.#line(name)
        .gauges(now)
        .map((gauge, i): [string, Gauge] => [`${name} ${i} ${gauge.unit}`, gauge]),
    )
  }

  #gotAt(provider: string): LastMinute<string> {
    const got = this.#got.get(provider) ?? new LastMinute<string>()
    this.#got.set(provider, got)
    return got
  }

  #linesOf(model: string): RateLine[] {
    return namesOf(model).map((name) => this.#line(name))
  }

  #line(name: string): RateLine {
    const set = this.#limits.models?.[name] ?? {}
    const known = this.#lines.get(name)
    const learns = this.#limits.learn !== false
    if (known) {
      known.limit(set, learns)
      return known
    }
    const made = new RateLine(set, learns)
    this.#lines.set(name, made)
    return made
  }
}

/** A shorter wait is no wait. */
const LEAST_WAIT_MS = 1

const providerOf = (model: string): string => model.slice(0, Math.max(0, model.indexOf("/")))
const namesOf = (model: string): readonly string[] => [model, `${providerOf(model)}/*`]
