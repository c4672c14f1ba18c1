// Runs a recorded course on a changed plan [K23]: the kernel admits recorded signals as it would now. Runs in memory, without effects and writes.

import { canonical } from "../../core/json.ts"
import { admit } from "../../core/run/admit.ts"
import { apply } from "../../core/run/apply.ts"
import type { Effect } from "../../core/run/begin.ts"
import { askedBy } from "../../core/run/cached/asked.ts"
import { decide } from "../../core/run/decide.ts"
import type { Fact, RunEvent } from "../../core/run/event.ts"
import { EVENT_VERSION } from "../../core/run/event-version.ts"
import type { Plan } from "../../core/run/plan.ts"
import type { Signal } from "../../core/run/signal.ts"
import { isOver, newRun, type Run } from "../../core/run/state.ts"
import { decision } from "../run/decision.ts"
import { requestFor, type RequestParts } from "../run/call/model-request.ts"

/** What followed is not part of this history. */
class CutShort extends Error {}

export class Course {
  readonly run: Run
  readonly events: RunEvent[] = []
  /** What is under way, by key. */
  readonly effects = new Map<string, Effect>()
  readonly #hash: (text: string) => string
  readonly #journal = { pick: (seqs: readonly number[]): RunEvent[] => seqs.flatMap((seq) => this.events[seq - 1] ?? []) }
  #now = 0

  constructor(plan: Plan, hash: (text: string) => string) {
    this.run = newRun(plan)
    this.#hash = hash
  }

  get isOver(): boolean {
    return isOver(this.run)
  }

  isUnderway(key: string): boolean {
    return Object.hasOwn(this.run.underway, key)
  }

  /** The events that the signal became; undefined: the run has no use for it now. */
  /** `most`: the decision was cut short after so many events [K9]. */
  tell(signal: Signal | undefined, at: number, most = Infinity): readonly RunEvent[] | undefined {
    const admitted = signal === undefined ? ({ ok: true, value: [] } as const) : admit(this.run, signal)
    if (!admitted.ok) return undefined
    this.#now = Math.max(this.#now, at)
    const from = this.events.length
    try {
      const { due } = decision(this.run, admitted.value, { now: this.#now }, (facts) => {
        if (this.events.length - from >= most) throw new CutShort()
        this.#record(facts)
      })
      for (const effect of due) this.effects.set(effect.key, effect)
    } catch (e) {
      if (!(e instanceof CutShort)) throw e
    }
    return this.events.slice(from)
  }

  /** Lets the earliest time come that the run waits for. false: it waits for none. */
  wait(): boolean {
    const times = decide(this.run).flatMap((a) => (a.do === "wake" ? [a] : []))
    const first = times.toSorted((a, b) => a.at - b.at)[0]
    if (first) return this.tell({ type: "timer", key: first.key, at: first.at }, first.at) !== undefined
    const due = decide(this.run).flatMap((a) => ("notBefore" in a && a.notBefore !== undefined ? [a.notBefore] : []))
    if (due.length === 0) return false
    const began = this.effects.size
    this.tell(undefined, Math.min(...due))
    return this.effects.size > began
  }

  /** [K33] From now on, a call that changes something outside is kept and discarded. */
  goDry(): void {
    this.run.effects = "dry"
  }

  /** [F77] From now on, no request of a call leaves. */
  goInward(): void {
    Object.assign(this.run, { unaccepted: true, tainted: true, private: true } satisfies Partial<Run>)
  }

  requestOf(key: string, step: string): RequestParts {
    return requestFor({ journal: this.#journal }, this.run, key, step)
  }

  /** [R38] The digest of what the open pass of a step asks. */
  askedBy(step: string): string {
    return this.#hash(canonical(askedBy(this.run, step, this.#journal)))
  }

  #record(facts: readonly Fact[]): void {
    for (const fact of facts) {
      const text = JSON.stringify({ seq: this.run.seq + 1, at: this.#now, v: EVENT_VERSION, prev: this.run.head, ...fact })
      const event = JSON.parse(text) as RunEvent
      this.run.head = this.#hash(text)
      apply(this.run, event)
      this.events.push(event)
    }
  }
}
