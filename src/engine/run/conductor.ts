// Runs one loop for everything that happens to a run: admit → apply → decide → … → one commit → perform.
//
// It needs no runtime and has no logic about flows. `tell` is synchronous from the signal to the commit, so nothing can interrupt
// it [J15]. Effects start only after the commit that announces them [J2]. If a commit fails, the state in memory is dropped
// and folded again from the journal.
//
// What only follows from the run itself may wait for its commit (`Holding`): a chain of such decisions is one commit, made before
// anything leaves the object, a person is answered, or the run is read. A crash in between decides the chain again.

import { admit } from "../../core/run/admit.ts"
import { apply } from "../../core/run/apply.ts"
import type { Effect } from "../../core/run/begin.ts"
import type { Action } from "../../core/run/action.ts"
import { decide } from "../../core/run/decide.ts"
import type { Fact, RunEvent } from "../../core/run/event.ts"
import { EVENT_VERSION } from "../../core/run/event-version.ts"
import type { Plan } from "../../core/run/plan.ts"
import type { Refusal, Signal } from "../../core/run/signal.ts"
import type { Run } from "../../core/run/state.ts"
import { isWaiting } from "../../core/run/session/paced.ts"
import { waitsForEarlier } from "../../core/run/session/turn-order.ts"
import { Unsaved } from "./conduct/unsaved.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { Prefix } from "../../ports/journal.ts"
import { decision } from "./decision.ts"
import { folded } from "./conduct/folded.ts"
import { nextAlarm, WATCHDOG_MS } from "./conduct/next-alarm.ts"
import { SharedTurn } from "./conduct/shared-turn.ts"
import { Snapshots } from "./conduct/snapshots.ts"
import type { Flight, Performed, Stage } from "./conduct/stage.ts"
import { Stopper } from "./conduct/stopper.ts"
import { conflicts } from "./call/staged-workspace.ts"
import { unmerged } from "./call/unmerged.ts"
import { backoff } from "../../core/backoff.ts"
import { defined } from "../../core/defined.ts"

/** The longest time that a decision waits for its commit, which limits what a crash can undo. */
export const HOLD_MS = 1_000 // limit: milliseconds that a decision waits for its commit → it is stored
/** The same for a model's reply, which a crash would make the run pay for again: about as long as a body takes into R2. */
const HOLD_REPLY_MS = 100 // limit: milliseconds that a model's reply waits for the commit of the tools it calls → it is stored

interface Along extends Omit<Performed, "signal"> {
  /** The time of the events, if it is not now. */
  readonly at?: number
  /** Whoever sent the signal waits for more than its commit: what only follows from the run itself may share it. */
  readonly mayWait?: boolean
}

export class Conductor {
  readonly #stage: Stage
  readonly #plan: Plan
  readonly #snapshots: Snapshots
  readonly #flights = new Map<string, Flight>()
  readonly #turns = new SharedTurn()
  /** Results that arrived before the result of an earlier call of the same turn. A crash loses them, and read-only calls are made again [J11]. */
  readonly #held = new Map<string, () => void>()
  readonly #unsaved = new Unsaved()
  /** Effects that begin with the next commit. */
  #due: Effect[] = []
  /** What the run wanted after the last decision. */
  #actions: readonly Action[] = []
  /** When it was decided, by the clock. */
  #decided = 0
  /** Cancels the commit that is set for later, and when that is (ms from its setting). */
  #later: { readonly cancel: () => void; readonly ms: number } | undefined
  #run: Run | undefined
  /** Calls that may begin before they are due. */
  #early: ReadonlySet<string> = new Set()
  #halted = false
  /** An effect of this run was lost: what comes next may be why, so each decision is stored before the next one. */
  #isCareful = false

  constructor(plan: Plan, stage: Stage) {
    this.#plan = plan
    this.#stage = stage
    this.#snapshots = new Snapshots(stage.journal)
  }

  get plan(): Plan {
    return this.#plan
  }

  /** The run as readers see it: all of it is stored. Read it at once and do not store it: the next signal changes it. */
  get run(): Run {
    this.#saveOrFold()
    return this.#state()
  }

  /** The run with what waits for its commit, for the object's own housekeeping: a crash may take the newest decisions back. */
  get ahead(): Run {
    return this.#state()
  }

  /** When the run must be checked again, as of the last decision; undefined: it waits for a message. */
  get next(): number | undefined {
    return this.#next(this.#state())
  }

  #next(run: Run): number | undefined {
    return nextAlarm(run, this.#actions, this.#stage.clock.now(), this.#decided)
  }

  /** What signals change: the journal, and what waits for its commit. */
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
    this.#snapshots.due()
    // Times were already counted from the signal's, and a replay has the events alone [K18].
    return ok(this.#advance(admitted.value, { prefix, at: signal.at }))
  }

  /** [J10] Marks effects that are under way but not in flight here as lost, so that `decide` repeats them. Then handles due timers. */
  tick(): void {
    this.save()
    for (const key of Object.keys(this.#state().underway))
      if (!this.#flights.has(key) && this.#stage.elsewhere?.(key) !== true) {
        this.#isCareful = true
        this.tell({ type: "lost", key })
      }
    const now = this.#stage.clock.now()
    for (const a of decide(this.#state())) if (a.do === "wake" && a.at <= now) this.tell({ type: "timer", key: a.key, at: now })
    this.#advance([], {})
  }

  /** [R29] The turn of a call has come before the time that it was told. A key of no waiting call is nobody's. */
  early(key: string): void {
    if (!isWaiting(this.#state(), key)) return
    this.#early = new Set([key])
    try {
      this.#advance([], {})
    } finally {
      this.#early = new Set()
    }
  }

  /** The run is deleted: aborts the effects under way and ignores their results. */
  halt(): void {
    this.#halted = true
    this.#drop()
    for (const flight of this.#flights.values()) flight.stop.abort()
    this.#flights.clear()
    this.#held.clear()
  }

  /** Whether any effect is in flight. */
  get busy(): boolean {
    return this.#flights.size > 0
  }

  #load(): Run {
    const { run, from } = folded(this.#plan, this.#stage.journal, (text) => this.#stage.hash(text))
    this.#snapshots.folded(run, from)
    return run
  }

  /** `from`: the effect that brought this; absent: the decision is stored before anyone learns of it, unless it may wait. */
  #advance(facts: readonly Fact[], { files = [], states = [], prefix, at, mayWait = false }: Along, from?: Flight): RunEvent[] {
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
    try {
      const { due, actions } = decision(run, facts, { now, early: this.#early }, record)
      this.#unsaved.add({ events, texts, cuts, after, files, states, ...defined({ prefix }) })
      this.#due.push(...due)
      this.#actions = actions
      this.#decided = now
    } catch (e) {
      this.#forget()
      throw e
    }
    const ms = (from || mayWait) && files.length === 0 ? this.#waitOf(run, from, states.length > 0) : undefined
    if (ms === undefined) this.#store()
    else this.#hold(run, ms)
    return events
  }

  /** How long the newest decision may wait for its commit (ms); undefined: not at all. */
  #waitOf(run: Run, from: Flight | undefined, hasStates: boolean): number | undefined {
    const { holding } = this.#stage
    if (!holding || this.#isCareful || this.#unsaved.isLarge || run.status !== "running" || !holding.mayWait()) return undefined
    const staysInHouse = this.#due.every((effect) => holding.isInHouse(run, effect))
    // Its state is read for the next request, which leaves after the commit.
    if (staysInHouse && from?.isModel === true && !from.isInHouse && this.#due.length > 0) return HOLD_REPLY_MS
    if (hasStates) return undefined
    if (staysInHouse && from?.isInHouse !== false) return HOLD_MS
    // What else is in flight may land in the same turn of the event loop.
    return from && this.#flights.size > 0 ? 0 : undefined
  }

  /** Effects that stay in this object begin before the commit, the others with it. */
  #hold(run: Run, ms: number): void {
    const begins = (effect: Effect): boolean => this.#stage.holding?.isInHouse(run, effect) === true
    const due = this.#due
    this.#due = due.filter((effect) => !begins(effect))
    if (this.#later === undefined || this.#later.ms > ms) {
      this.#later?.cancel()
      const cancel = this.#stage.holding?.later(() => this.#saveOrFold(), ms)
      if (cancel) this.#later = { cancel, ms }
    }
    for (const effect of due) if (begins(effect)) this.#launch(run, effect)
  }

  /** [J2] Nothing that was decided waits for its commit any longer. */
  save(): void {
    if (!this.#unsaved.isEmpty || this.#due.length > 0) this.#store()
  }

  /** Stores what is decided, tells readers, and begins the effects that wait for it. */
  #store(): void {
    this.#later?.cancel()
    this.#later = undefined
    const run = this.#state()
    const entry = this.#unsaved.take()
    try {
      this.#snapshots.commit(run, entry)
    } catch (e) {
      this.#forget()
      throw e
    }
    const due = this.#due
    this.#due = []
    if (entry.events.length > 0) this.#stage.publish(entry.events, run)
    for (const [key, flight] of this.#flights) {
      if (Object.hasOwn(run.underway, key)) continue
      flight.stop.abort()
      if (this.#held.delete(key)) this.#flights.delete(key)
    }
    for (const effect of due) if (Object.hasOwn(run.underway, effect.key)) this.#launch(run, effect)
    this.#stage.alarm(this.#next(run))
  }

  /** If the commit fails, the run is what the journal says. */
  #saveOrFold(): void {
    try {
      this.save()
    } catch (e) {
      this.#stage.fault("commit", e)
      this.#stage.alarm(this.#stage.clock.now() + WATCHDOG_MS)
    }
  }

  /** The state in memory is not what the journal says: the next use folds it again. */
  #forget(): void {
    this.#drop()
    this.#run = undefined
  }

  #drop(): void {
    this.#later?.cancel()
    this.#later = undefined
    this.#unsaved.clear()
    this.#due = []
  }

  #launch(run: Run, effect: Effect): void {
    const isInHouse = this.#stage.holding?.isInHouse(run, effect) === true
    const flight: Flight = { stop: new Stopper(this.#turns), isInHouse, isModel: effect.do === "call-model" }
    this.#flights.set(effect.key, flight)
    const landed = (performed: Performed | undefined, error?: unknown): void => {
      if (this.#halted) return
      if (performed && effect.do === "run-tool" && waitsForEarlier(this.#state(), effect.step, effect.call.id)) {
        this.#held.set(effect.key, () => landed(performed))
        return
      }
      if (this.#flights.get(effect.key) === flight) this.#flights.delete(effect.key)
      try {
        if (performed) this.#land(effect, performed, flight)
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
    this.#stage.perform(run, effect, flight.stop).then(
      (p) => landed(p),
      (e: unknown) => landed(undefined, e),
    )
  }

  /** If another effect has changed the same files since this one read them, the effect runs again instead of overwriting them; one that may
   *  have changed something else leaves them as they are, and says so. */
  #land(effect: Effect, performed: Performed, flight: Flight): void {
    const wanted = Object.hasOwn(this.#state().underway, effect.key)
    const clashes = wanted ? conflicts(performed.files ?? [], this.#stage.journal) : []
    if (clashes.length > 0 && performed.once !== true) this.#launch(this.#state(), effect)
    else {
      const { signal, once: _once, ...more } = unmerged(performed, clashes)
      const admitted = admit(this.#state(), signal)
      if (admitted.ok) this.#advance(admitted.value, more, flight)
    }
  }

  /** The effect failed without a result. If the run still has it under way, it is marked as lost and runs again: at once the first time,
   *  then after growing pauses (through `tick`), because immediate repeats do not help an overloaded service. */
  #fell(key: string): void {
    const attempt = Object.hasOwn(this.#state().underway, key) ? (this.#state().underway[key]?.attempt ?? 1) : 1
    if (attempt < 2) this.tell({ type: "lost", key })
    else this.#stage.alarm(this.#stage.clock.now() + backoff(500, attempt - 1, WATCHDOG_MS))
  }
}
