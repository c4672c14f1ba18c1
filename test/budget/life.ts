// One life of a run with a budget, in a shell that may die at each of its awaits [B1]. It plays the conductor's part for a run's object,
// without disk and clock, and names every moment between two instructions: a process that dies keeps only its journal.
//
// The model bills the maximum every time. It may also bill requests that it never answered, so it does.

import { admit } from "../../src/core/run/admit.ts"
import { apply } from "../../src/core/run/apply.ts"
import { begin, dueAt, isEffect, settle, type Effect } from "../../src/core/run/begin.ts"
import type { Action } from "../../src/core/run/action.ts"
import { decide } from "../../src/core/run/decide.ts"
import type { Fact, RunEvent } from "../../src/core/run/event.ts"
import type { Signal } from "../../src/core/run/signal.ts"
import { isOver, newRun, type Run } from "../../src/core/run/state.ts"
import { costOf } from "../../src/core/money/prices.ts"
import { call, finish, replyOf } from "../support/kernel/shell.ts"
import { Dice } from "./dice.ts"
import { PRICE, type World } from "./world.ts"

/** The awaits of the shell's loop. `answered`: a reply has arrived but is not delivered. `decided`: applied in memory, not committed.
 *  `committed`: durable, and no effect has left. `leaving`: some effects have left. `under way`: all have left, none has returned. */
export const AWAITS = ["answered", "decided", "committed", "leaving", "under way"] as const
export type Await = (typeof AWAITS)[number]

/** Everything that outlives a process: the journal, the world outside, and the state of the dice. */
export interface Remains {
  readonly journal: readonly RunEvent[]
  readonly billed: Bill
  /** Slices that the tenant granted, by key: the same key always gets the same slice. */
  readonly slices: ReadonlyMap<string, number>
  readonly now: number
  readonly dice: number
}

export interface Bill {
  readonly usd: number
  readonly tokens: number
}

/** Thrown at an await: the process dies. */
class Death extends Error {}

const NOTHING: Bill = { usd: 0, tokens: 0 }
const plus = (a: Bill, b: Bill): Bill => ({ usd: a.usd + b.usd, tokens: a.tokens + b.tokens })
/** Rounding error of binary fractions. */
const DUST = 1e-9
const MAX_SIGNALS = 5_000

export interface LifeOptions {
  /** Does the process die at this await? Asked at every await. */
  readonly dies: (at: Await, life: Life) => boolean
  /** `before`: the kernel's budget. `after`: the run has no limit; the bill is checked when a reply arrives. */
  readonly check: "before" | "after"
}

export class Life {
  readonly world: World
  readonly journal: RunEvent[]
  readonly flights = new Map<string, Effect>()
  /** Calls that left and have not returned: the provider may bill them at any time. */
  readonly open = new Map<string, Bill>()
  readonly slices: Map<string, number>
  readonly #options: LifeOptions
  readonly #dice: Dice
  billed: Bill
  now: number
  run: Run
  /** The first violation. */
  breach: string | undefined
  /** The largest amount by which the bill plus possible charges exceeded the limit. */
  overshoot = 0
  deaths = 0
  calls = 0
  /** How much of the journal is durable. */
  #durable: number
  #wishes: Action[] = []

  constructor(world: World, remains: Remains, options: LifeOptions) {
    this.world = world
    this.#options = options
    this.#dice = new Dice(remains.dice)
    this.journal = [...remains.journal]
    this.#durable = this.journal.length
    this.billed = remains.billed
    this.slices = new Map(remains.slices)
    this.now = remains.now
    this.run = this.#folded()
  }

  /** Lives to the end of the run, however often the process dies. `awakes`: begins with a recovery. */
  live(awakes: boolean): this {
    let waking = awakes
    for (let n = 0; !isOver(this.run) && this.breach === undefined; n++) {
      if (n > MAX_SIGNALS) throw new Error("the run does not end")
      try {
        if (waking) this.#recover()
        else if (n === 0) this.#advance([])
        else this.#go()
        waking = false
      } catch (e) {
        if (!(e instanceof Death)) throw e
        this.deaths += 1
        this.#die()
        waking = true
      }
    }
    for (const key of this.open.keys()) this.#bill(key)
    this.#look("the end")
    return this
  }

  /** The state that a death at this moment leaves behind. */
  get remains(): Remains {
    let { billed } = this
    for (const b of this.open.values()) billed = plus(billed, b)
    return { journal: this.journal.slice(0, this.#durable), billed, slices: new Map(this.slices), now: this.now, dice: this.#dice.state }
  }

  #await(at: Await): void {
    if (this.#options.dies(at, this)) throw new Death(at)
  }

  #die(): void {
    for (const key of this.open.keys()) this.#bill(key)
    this.flights.clear()
    this.journal.length = this.#durable
    this.run = this.#folded()
    this.#look("a death")
  }

  #folded(): Run {
    let run = newRun(this.world.plan)
    for (const event of this.journal) run = apply(run, event)
    return run
  }

  /** [J10] Like the conductor's `tick`: each lost action is its own signal and commit, and the work it frees begins at once. */
  #recover(): void {
    for (const key of Object.keys(this.run.underway)) if (!this.flights.has(key)) this.#deliver({ type: "lost", key })
    this.#advance([])
  }

  /** Makes one thing happen. */
  #go(): void {
    const dice = this.#dice
    const rings = this.#wishes.find((a) => a.do === "wake" && a.at <= this.now)
    if (rings?.do === "wake") {
      // A later start may have moved the run's clock past the time: then there is nothing to deliver, and the wake-up is due at once.
      const rung = admit(this.run, { type: "timer", key: rings.key, at: this.now })
      return this.#advance(rung.ok ? rung.value : [])
    }
    const effect = this.#some()
    if (effect) return this.#answer(effect)
    const asked = this.run.pending.map((id) => this.run.interactions[id]).find((i) => i?.kind === "budget")
    if (asked) {
      const { usd, tokens } = this.run.budget.run?.limit ?? {}
      const raise = {
        ...(usd === undefined ? {} : { usd: usd * 1.2 }),
        ...(tokens === undefined ? {} : { tokens: Math.ceil(tokens * 1.2) }),
      }
      const answer = asked.payload["scope"] === "run" && dice.roll() < 0.4 ? { raise } : "stop"
      return this.#deliver({ type: "answer", id: asked.id, body: { answer }, by: "ann" })
    }
    const due = this.#wishes.flatMap((a) => (a.do === "wake" ? [a.at] : isEffect(a) && dueAt(a) > 0 ? [dueAt(a)] : []))
    if (due.length === 0) {
      this.breach ??= "[J5] nothing is under way, no one is asked and nothing is due, but the run is not over"
      return
    }
    this.now = Math.max(this.now, Math.min(...due))
    this.#advance([])
  }

  #some(): Effect | undefined {
    const n = Math.floor(this.#dice.roll() * this.flights.size)
    let i = 0
    for (const effect of this.flights.values()) if (i++ === n) return effect
    return undefined
  }

  #answer(effect: Effect): void {
    const { key } = effect
    const dice = this.#dice
    if (effect.do === "lease") {
      const given = this.slices.get(key) ?? Math.min(this.world.dayLeft(this.slices), 2 * (effect.amount.tokens ?? 0))
      this.slices.set(key, given)
      this.#await("answered")
      const lease = { granted: { tokens: given }, until: this.world.until, ...(given === 0 ? { retry: this.world.until } : {}) }
      return this.#deliver({ type: "leased", key, lease })
    }
    if (effect.do === "run-tool") {
      const text = "x".repeat(Math.floor(dice.roll() * 400))
      this.#await("answered")
      return this.#deliver({ type: "tool.result", key, result: { isError: false, content: [{ type: "text", text }] } })
    }
    if (effect.do !== "call-model") throw new Error(`${effect.do} does not occur here`)
    const kind = dice.roll()
    if (kind < 0.06) {
      // The call reported a failure, and bills nothing.
      this.open.delete(key)
      this.#await("answered")
      const failure = { message: "busy", status: 529, retryable: true }
      return this.#deliver({ type: "model.failure", key, failure, at: this.now, dice: dice.roll() })
    }
    const { tokens } = this.open.get(key) ?? NOTHING
    this.#bill(key)
    this.#await("answered")
    if (kind < 0.12)
      return this.#deliver({ type: "model.failure", key, failure: { message: "gone", retryable: true }, at: this.now, dice: dice.roll() })
    const output = effect.maxOutput ?? this.world.maxOutput
    const input = tokens - output
    const said = kind < 0.35 ? call("look", { n: Math.floor(dice.roll() * 100) }) : finish()
    this.#deliver({ type: "model.reply", key, reply: { ...replyOf([said]), usage: { input, output, cacheWrite: input } } })
    if (this.#options.check === "after" && this.billed.usd > this.world.limit.usd && !isOver(this.run))
      this.#deliver({ type: "cancel", by: "ann" })
  }

  #deliver(signal: Signal): void {
    const admitted = admit(this.run, signal)
    if (!admitted.ok) throw new Error(`${JSON.stringify(signal)} was refused: ${JSON.stringify(admitted.error)}`)
    if ("key" in signal) this.flights.delete(signal.key)
    this.#advance(admitted.value)
  }

  /** Like the conductor: one commit holds the admitted event and everything that follows from it; then the effects leave. */
  #advance(facts: readonly Fact[]): void {
    this.#record(facts)
    let actions = decide(this.run)
    for (let first = actions[0]; first?.do === "record"; first = actions[0]) {
      this.#record(first.facts)
      actions = decide(this.run)
    }
    this.#wishes = actions
    const due = actions
      .filter(isEffect)
      .filter((a) => dueAt(a) <= this.now)
      .slice(0, Math.max(0, this.world.atOnce - Object.keys(this.run.underway).length))
    this.#record(settle(this.run, due.length > 0))
    for (const effect of due) this.#record(begin(this.run, effect))
    this.#await("decided")
    this.#durable = this.journal.length
    this.now += 1
    this.#await("committed")
    // A call whose step has ended is canceled; it may still be billed.
    for (const key of this.flights.keys()) {
      if (Object.hasOwn(this.run.underway, key)) continue
      this.flights.delete(key)
      this.#bill(key)
    }
    for (const [i, effect] of due.entries()) {
      this.flights.set(effect.key, effect)
      if (effect.do === "call-model") {
        this.calls += 1
        this.open.set(effect.key, this.#most(effect))
      }
      if (i === due.length >> 1 && due.length > 1) this.#await("leaving")
    }
    this.#look("the commit")
    if (due.length > 0) this.#await("under way")
  }

  #record(facts: readonly Fact[]): void {
    for (const fact of facts) {
      const seq = this.run.seq + 1
      const event: RunEvent = { seq, at: this.now, v: 1, prev: "", ...fact }
      this.journal.push(event)
      this.run = apply(this.run, event)
      this.#weigh(event)
    }
  }

  /** The most this call may bill: every request token at the highest price, and the maximum output. */
  #most(effect: Extract<Effect, { do: "call-model" }>): Bill {
    const output = effect.maxOutput ?? this.world.maxOutput
    const input = this.world.inputOf(this.run, effect.step)
    return { usd: costOf(PRICE, { input, output, cacheWrite: input }), tokens: input + output }
  }

  #bill(key: string): void {
    const b = this.open.get(key)
    this.open.delete(key)
    if (b) this.billed = plus(this.billed, b)
  }

  /** After every event: no ledger that the event could have changed is above its limit, and no event reports more than the limit. */
  #weigh(event: RunEvent): void {
    const { budget } = this.run
    const own =
      "step" in event && event.step !== undefined && Object.hasOwn(budget.steps, event.step) ? budget.steps[event.step] : undefined
    const said =
      event.type === "budget.reserved" || event.type === "budget.settled" || event.type === "budget.exhausted" ? event : undefined
    for (const ledger of [budget.run, own, budget.lease, said]) {
      if (!ledger) continue
      for (const u of ["usd", "tokens"] as const) {
        const [most, spent, reserved] = [ledger.limit[u], ledger.spent[u] ?? 0, ledger.reserved[u] ?? 0]
        if (most !== undefined && spent + reserved > most + DUST)
          this.breach ??= `${event.seq} ${event.type}: ${spent} + ${reserved} of ${most} ${u}`
      }
    }
  }

  /** Checks the bill, plus what may still be billed, against the limit. */
  #look(when: string): void {
    let sum = this.billed
    for (const b of this.open.values()) sum = plus(sum, b)
    const limit = this.#options.check === "after" ? this.world.limit : this.run.budget.run?.limit
    const over = [
      limit?.usd === undefined ? 0 : sum.usd - limit.usd,
      limit?.tokens === undefined ? 0 : (sum.tokens - limit.tokens) / 1e6,
      this.world.day === undefined ? 0 : (sum.tokens - this.world.day) / 1e6,
    ]
    const most = Math.max(...over)
    if (most <= DUST) return
    this.overshoot = Math.max(this.overshoot, most)
    if (this.#options.check === "before")
      this.breach ??= `${when}: billed ${JSON.stringify(sum)} of ${JSON.stringify(limit)}, day ${this.world.day}`
  }
}
