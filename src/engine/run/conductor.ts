// The conductor: one loop for everything that happens to a run. admit → apply → decide → … → one commit → perform.
//
// It needs no runtime and has no logic about flows. `tell` is synchronous from the signal to the commit, so nothing can interrupt
// it [J15]. Effects start only after the commit that announces them [J2]. If a commit fails, the state in memory is dropped
// and folded again from the journal.

import { admit } from "../../core/run/admit.ts"
import { apply } from "../../core/run/apply.ts"
import { dueAt, isEffect, type Effect } from "../../core/run/begin.ts"
import type { Action } from "../../core/run/action.ts"
import { decide } from "../../core/run/decide.ts"
import { EVENT_VERSION, type Fact, type RunEvent } from "../../core/run/event.ts"
import type { Plan } from "../../core/run/plan.ts"
import type { Refusal, Signal } from "../../core/run/signal.ts"
import { restore, SNAPSHOT_EVERY, takeSnapshot } from "../../core/run/snapshot.ts"
import { isOver, newRun, type Run } from "../../core/run/state.ts"
import { waitsForEarlier } from "../../core/run/session/turn-order.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { Clock } from "../../ports/clock.ts"
import type { Commit, Journal, Prefix, SealedState } from "../../ports/journal.ts"
import type { FileChange } from "../../ports/workspace.ts"
import { decision, type Decision } from "./decision.ts"
import { conflicts } from "./call/staged-workspace.ts"
import { backoff } from "../../core/backoff.ts"

/** Longest time between two checks of a run with effects under way. The alarm is a watchdog and never drives steps. */
export const WATCHDOG_MS = 10_000
const PAGE = 512

export interface Performed {
  readonly signal: Signal
  readonly files?: readonly FileChange[]
  /** [J20] */
  readonly states?: readonly SealedState[]
  /** [K9] Of the first signal of a fork. */
  readonly prefix?: Prefix
}

interface Along extends Omit<Performed, "signal"> {
  /** The time of the events, if it is not now. */
  readonly at?: number
}

export interface Stage {
  readonly journal: Journal
  readonly clock: Clock
  /** SHA-256 hex. */
  hash(text: string): string
  /** Performs one effect. Must not reject. Must read the run only before its first await. */
  perform(run: Run, effect: Effect, signal: AbortSignal): Promise<Performed>
  /** Committed events, in order. */
  publish(events: readonly RunEvent[], run: Run): void
  /** Asks for a `tick` at this time; undefined: no tick is needed. */
  alarm(at: number | undefined): void
  /** Logs an internal fault. */
  fault(where: string, error: unknown): void
}

export class Conductor {
  readonly #stage: Stage
  readonly #plan: Plan
  readonly #flights = new Map<string, AbortController>()
  /** Results that arrived before the result of an earlier call of the same turn. A crash loses them, and read-only calls are made again [J11]. */
  readonly #held = new Map<string, () => void>()
  #run: Run | undefined
  #snapshotAt = 0
  #halted = false

  constructor(plan: Plan, stage: Stage) {
    this.#plan = plan
    this.#stage = stage
  }

  get plan(): Plan {
    return this.#plan
  }

  /** The run as readers see it. Read it at once and do not store it: the next signal changes it. */
  get run(): Run {
    return this.#state()
  }

  /** The run as the journal has it, which signals change. */
  #state(): Run {
    return (this.#run ??= this.#load())
  }

  /** Handles one signal in one commit. `more`: workspace changes and sealed states for the same commit. */
  tell(signal: Signal, more: Along = {}): Result<RunEvent[], Refusal> {
    const admitted = admit(this.#state(), signal)
    return admitted.ok ? ok(this.#advance(admitted.value, more)) : err(admitted.error)
  }

  /** Whether this signal would be admitted now. */
  judges(signal: Signal): boolean {
    return admit(this.#state(), signal).ok
  }

  /** [K9] The first signal of a fork. `run`: the history before it, folded, under this conductor's plan. If the fork is refused, nothing is
   *  written. */
  adopt(run: Run, signal: Extract<Signal, { type: "fork" }>, prefix: Prefix): Result<RunEvent[], Refusal> {
    const admitted = admit(run, signal)
    if (!admitted.ok) return err(admitted.error)
    this.#run = run
    this.#snapshotAt = -Infinity
    // Times were already counted from the signal's, and a replay has the events alone [K18].
    return ok(this.#advance(admitted.value, { prefix, at: signal.at }))
  }

  /** [J10] Marks effects that are under way but not in flight here as lost, so that `decide` repeats them. Then handles due timers. */
  tick(): void {
    for (const key of Object.keys(this.#state().underway)) if (!this.#flights.has(key)) this.tell({ type: "lost", key })
    const now = this.#stage.clock.now()
    for (const a of decide(this.#state())) if (a.do === "wake" && a.at <= now) this.tell({ type: "timer", key: a.key, at: now })
    this.#advance([], {})
  }

  /** The run is deleted: aborts the effects under way and ignores their results. */
  halt(): void {
    this.#halted = true
    for (const flight of this.#flights.values()) flight.abort()
    this.#flights.clear()
    this.#held.clear()
  }

  /** Whether any effect is in flight. */
  get busy(): boolean {
    return this.#flights.size > 0
  }

  #load(): Run {
    const { journal } = this.#stage
    const snapshot = journal.snapshot()
    let run = snapshot ? restore(this.#plan, snapshot) : newRun(this.#plan)
    this.#snapshotAt = run.seq
    for (;;) {
      const page = journal.read(run.seq, PAGE)
      for (const event of page) {
        run = apply(run, event)
        run.head = this.#stage.hash(JSON.stringify(event))
      }
      if (page.length < PAGE) return run
    }
  }

  #advance(facts: readonly Fact[], { files = [], states = [], prefix, at }: Along): RunEvent[] {
    const run = this.#state()
    const now = at ?? this.#stage.clock.now()
    const after = run.seq
    const events: RunEvent[] = []
    const texts: string[] = []
    const cuts: number[] = []
    const record = (list: readonly Fact[]): void => {
      for (const fact of list) {
        const event = { seq: run.seq + 1, at: now, v: EVENT_VERSION, prev: run.head, ...fact } as RunEvent
        const text = JSON.stringify(event)
        run.head = this.#stage.hash(text)
        apply(run, event)
        events.push(event)
        texts.push(text)
      }
      // [K8] A list is one decision: what follows from it is the next one.
      if (list.length > 0) cuts.push(run.seq)
    }
    let made: Decision
    try {
      made = decision(run, facts, now, record)
      this.#commit(run, {
        events,
        texts,
        cuts,
        after,
        ...(files.length > 0 ? { files } : {}),
        ...(states.length > 0 ? { states } : {}),
        ...(prefix ? { prefix } : {}),
      })
    } catch (e) {
      this.#run = undefined
      throw e
    }
    if (events.length > 0) this.#stage.publish(events, run)
    for (const [key, flight] of this.#flights) {
      if (Object.hasOwn(run.underway, key)) continue
      flight.abort()
      if (this.#held.delete(key)) this.#flights.delete(key)
    }
    for (const effect of made.due) this.#launch(run, effect)
    this.#stage.alarm(nextAlarm(run, made.actions, now))
    return events
  }

  #commit(run: Run, entry: Commit): void {
    if (entry.events.length === 0) return
    const snapshot = run.seq - this.#snapshotAt >= SNAPSHOT_EVERY && (!isOver(run) || entry.prefix) ? takeSnapshot(run) : undefined
    this.#stage.journal.commit(snapshot ? { ...entry, snapshot } : entry)
    if (snapshot) {
      run.touched.clear()
      this.#snapshotAt = run.seq
    }
  }

  #launch(run: Run, effect: Effect): void {
    const flight = new AbortController()
    this.#flights.set(effect.key, flight)
    const landed = (performed: Performed | undefined, error?: unknown): void => {
      if (this.#halted) return
      if (performed && effect.do === "run-tool" && waitsForEarlier(this.#state(), effect.step, effect.call.id)) {
        this.#held.set(effect.key, () => landed(performed))
        return
      }
      if (this.#flights.get(effect.key) === flight) this.#flights.delete(effect.key)
      try {
        if (performed) this.#land(effect, performed)
        else {
          this.#stage.fault(`perform ${effect.key}`, error)
          this.#fell(effect.key)
        }
      } catch (e) {
        this.#stage.fault(`record ${effect.key}`, e)
        this.#stage.alarm(this.#stage.clock.now() + WATCHDOG_MS)
      }
      const held = [...this.#held.values()]
      this.#held.clear()
      for (const again of held) again()
    }
    this.#stage.perform(run, effect, flight.signal).then(
      (p) => landed(p),
      (e: unknown) => landed(undefined, e),
    )
  }

  /** If another effect has changed the same files since this one read them, the effect runs again instead of overwriting them. */
  #land(effect: Effect, { signal, ...more }: Performed): void {
    const { files = [] } = more
    const wanted = Object.hasOwn(this.#state().underway, effect.key)
    if (wanted && conflicts(files, this.#stage.journal).length > 0) this.#launch(this.#state(), effect)
    else this.tell(signal, more)
  }

  /** The effect failed without a result. If the run still has it under way, it is marked as lost and runs again: at once the first time,
   *  then after growing pauses (through `tick`), because immediate repeats do not help an overloaded service. */
  #fell(key: string): void {
    const attempt = Object.hasOwn(this.#state().underway, key) ? (this.#state().underway[key]?.attempt ?? 1) : 1
    if (attempt < 2) this.tell({ type: "lost", key })
    else this.#stage.alarm(this.#stage.clock.now() + backoff(500, attempt - 1, WATCHDOG_MS))
  }
}

/** When the run must be checked again: its earliest timer or retry, or the watchdog while effects are under way. */
export function nextAlarm(run: Run, actions: readonly Action[], now: number): number | undefined {
  // [K34] Effects that go on after the end need the watchdog alone.
  if (isOver(run)) return Object.keys(run.underway).length > 0 ? now + WATCHDOG_MS : undefined
  // A retry that is already due waits for a free slot, not for a time: an alarm for it would ring forever.
  const times = actions.flatMap((a) => (a.do === "wake" ? [a.at] : isEffect(a) && dueAt(a) > now ? [dueAt(a)] : []))
  if (Object.keys(run.underway).length > 0) times.push(now + WATCHDOG_MS)
  return times.reduce<number | undefined>((least, at) => Math.min(least ?? at, at), undefined)
}
