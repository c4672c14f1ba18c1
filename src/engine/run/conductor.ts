// The conductor: one loop for everything that happens to a run. admit → apply → decide → … → one commit → perform.
//
// Runtime-free; it has no `if` about flows. `tell` is synchronous from the signal to the commit, so nothing can come in
// between [J15]; effects leave only after the commit that announced them [J2]; when a commit fails, memory is thrown away
// and folded again from the journal.

import { admit } from "../../core/run/admit.ts"
import { apply } from "../../core/run/apply.ts"
import { begin, dueAt, isEffect, settle, type Effect } from "../../core/run/begin.ts"
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
import type { Commit, Journal } from "../../ports/journal.ts"
import type { FileChange } from "../../ports/workspace.ts"
import { conflicts } from "./staged-workspace.ts"
import { backoff } from "../../core/backoff.ts"

/** [J16] Outgoing connections that one object may hold open: a platform limit. */
export const MAX_EFFECTS = 6
/** A live run is looked at this often at the latest: the alarm is a watchdog, never the driver of steps. */
export const WATCHDOG_MS = 10_000
/** More records than this for one signal is a fault of the kernel, not a flow: stop instead of spinning. */
const MAX_RECORDS = 20_000
const PAGE = 512

export interface Performed {
  readonly signal: Signal
  readonly files?: readonly FileChange[]
}

export interface Stage {
  readonly journal: Journal
  readonly clock: Clock
  /** SHA-256 hex. */
  hash(text: string): string
  /** Does one effect. Must not reject. Everything it reads of the run it reads before its first await. */
  perform(run: Run, effect: Effect, signal: AbortSignal): Promise<Performed>
  /** Committed events, in order. */
  publish(events: readonly RunEvent[], run: Run): void
  /** Be called (`tick`) at this time; undefined: not at all. */
  alarm(at: number | undefined): void
  /** A fault of our own, for the log. */
  fault(where: string, error: unknown): void
}

export class Conductor {
  readonly #stage: Stage
  readonly #plan: Plan
  readonly #flights = new Map<string, AbortController>()
  /** Results that came before an earlier call's of the same turn; a crash loses them, and what only looks is asked again [J11]. */
  readonly #held = new Map<string, () => void>()
  #run: Run | undefined
  #snapshotAt = 0
  #halted = false

  constructor(plan: Plan, stage: Stage) {
    this.#plan = plan
    this.#stage = stage
  }

  /** As its readers see it. Read it at once, never keep it: the next signal changes it. */
  get run(): Run {
    return this.#state()
  }

  /** As its journal has it; the one that signals change. */
  #state(): Run {
    return (this.#run ??= this.#load())
  }

  /** One signal, one commit. `files`: workspace changes that come with it. */
  tell(signal: Signal, files: readonly FileChange[] = []): Result<RunEvent[], Refusal> {
    const admitted = admit(this.#state(), signal)
    return admitted.ok ? ok(this.#advance(admitted.value, files)) : err(admitted.error)
  }

  /** [J10] What is under way with nobody working on it is lost; decide wants it again. Then whatever time has brought. */
  tick(): void {
    for (const key of Object.keys(this.#state().underway)) if (!this.#flights.has(key)) this.tell({ type: "lost", key })
    const now = this.#stage.clock.now()
    for (const a of decide(this.#state())) if (a.do === "wake" && a.at <= now) this.tell({ type: "timer", key: a.key, at: now })
    this.#advance([], [])
  }

  /** The run is gone: what is under way is aborted, and what comes of it all the same is not heard. */
  halt(): void {
    this.#halted = true
    for (const flight of this.#flights.values()) flight.abort()
    this.#flights.clear()
    this.#held.clear()
  }

  /** Is somebody working for this run right now? */
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

  #advance(facts: readonly Fact[], files: readonly FileChange[]): RunEvent[] {
    const run = this.#state()
    const now = this.#stage.clock.now()
    const after = run.seq
    const events: RunEvent[] = []
    const texts: string[] = []
    const record = (list: readonly Fact[]): void => {
      for (const fact of list) {
        const event = { seq: run.seq + 1, at: now, v: EVENT_VERSION, prev: run.head, ...fact } as RunEvent
        const text = JSON.stringify(event)
        run.head = this.#stage.hash(text)
        apply(run, event)
        events.push(event)
        texts.push(text)
      }
    }
    let due: Effect[] = []
    let actions: Action[] = []
    try {
      record(facts)
      for (let n = 0; ; n++) {
        actions = decide(run)
        const [first] = actions
        if (first?.do !== "record") break
        if (n > MAX_RECORDS) throw new Error(`decide asked for ${MAX_RECORDS} records in a row`)
        record(first.facts)
      }
      const free = MAX_EFFECTS - Object.keys(run.underway).length
      due = actions
        .filter(isEffect)
        .filter((a) => dueAt(a) <= now)
        .slice(0, Math.max(0, free))
      record(settle(run, due.length > 0))
      for (const effect of due) record(begin(run, effect))
      this.#commit(run, { events, texts, after, ...(files.length > 0 ? { files } : {}) })
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
    for (const effect of due) this.#launch(run, effect)
    this.#stage.alarm(nextAlarm(run, actions, now))
    return events
  }

  #commit(run: Run, entry: Commit): void {
    if (entry.events.length === 0) return
    const snapshot = run.seq - this.#snapshotAt >= SNAPSHOT_EVERY && !isOver(run) ? takeSnapshot(run) : undefined
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

  /** Its files were checked when it was performed; what another effect has committed since is not written over, the work is done anew. */
  #land(effect: Effect, { signal, files = [] }: Performed): void {
    const wanted = Object.hasOwn(this.#state().underway, effect.key)
    if (wanted && conflicts(files, this.#stage.journal).length > 0) this.#launch(this.#state(), effect)
    else this.tell(signal, files)
  }

  /** Whatever became of it, this effect is not under way any more: if the run thinks so, it is lost and wanted again. Once at once,
   *  then each time a while later (`tick` says it): what is overloaded is not helped by being asked 25 times in one breath. */
  #fell(key: string): void {
    const attempt = Object.hasOwn(this.#state().underway, key) ? (this.#state().underway[key]?.attempt ?? 1) : 1
    if (attempt < 2) this.tell({ type: "lost", key })
    else this.#stage.alarm(this.#stage.clock.now() + backoff(500, attempt - 1, WATCHDOG_MS))
  }
}

/** When the run must be looked at again: its earliest timer, a retry that is due, or the watchdog while something is under way. */
export function nextAlarm(run: Run, actions: readonly Action[], now: number): number | undefined {
  if (isOver(run)) return undefined
  // A retry that is due already waits for a free place, not for a time: an alarm for it would ring without end.
  const times = actions.flatMap((a) => (a.do === "wake" ? [a.at] : isEffect(a) && dueAt(a) > now ? [dueAt(a)] : []))
  if (Object.keys(run.underway).length > 0) times.push(now + WATCHDOG_MS)
  return times.length > 0 ? Math.min(...times) : undefined
}
