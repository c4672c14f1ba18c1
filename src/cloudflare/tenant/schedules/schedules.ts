// Schedules: fires the schedules that are due when the tenant's alarm rings [W5]. The fire is recorded first, then its run is started under an
// id derived from the schedule and the time it was due, so an alarm repeated after a crash still starts only one run.

import { atOnce } from "../../../engine/at-once.ts"
import type { Fired } from "../../../ports/tenant/schedules.ts"
import { clock, derivedId } from "../../platform/clock.ts"
import type { Launch, Launched } from "../starts/launch.ts"
import type { Fire, ScheduleStore } from "./schedule-store.ts"
import type { DueWork } from "../tenant-alarm.ts"
import { backoff } from "../../../core/backoff.ts"
import { messageOf } from "../../../core/text/fault-text.ts"
import { saidStart } from "../../../core/start/said-start.ts"
import { inTime } from "../../../ports/timers.ts"
import { logError } from "../../platform/log.ts"

/** A start takes milliseconds. A start that is not recorded after this time is tried again. */
const RETRY_START_MS = 10_000
const SLOWEST_TRY_MS = 300_000
/** A run that could not be started for this long never will be. */
const GIVE_UP_MS = 24 * 3_600_000 // limit: milliseconds that a fire's start is tried → the fire has failed
const PATIENCE_MS = 3_000 // limit: milliseconds that a caller waits for a run that a schedule fired → 503 `not_begun`; the start continues
/** The number of rows handled at once; the alarm rings again immediately if there are more. */
const AT_ONCE = 50

export interface SchedulesDeps {
  readonly store: ScheduleStore
  readonly tenant: string
  /** The id of a run with these letters. */
  readonly runId: (letters: string) => string
  /** Throws if another try may help. */
  readonly launch: (wish: Launch) => Promise<Launched>
  /** Does the run wait for room? */
  readonly waits: (run: string) => boolean
  readonly want: (at: number) => void
  readonly later: (work: Promise<unknown>) => void
}

export class Schedules implements DueWork {
  readonly name = "schedules"
  readonly #deps: SchedulesDeps
  /** The runs that are being started. */
  readonly #underway = new Map<string, Promise<Launched>>()

  constructor(deps: SchedulesDeps) {
    this.#deps = deps
  }

  readonly due = (): number | undefined => this.#deps.store.earliest()

  /** Only records the fires. The starts run in the background, so the alarm does not wait for them. */
  readonly work = async (now: number): Promise<void> => {
    const { store, later } = this.#deps
    for (const { id, at, queued } of store.due(now, AT_ONCE)) {
      const run = this.#deps.runId(await derivedId(`${this.#deps.tenant}/schedule`, `${id}/${at}${queued ? "/queued" : ""}`))
      store.claim(id, { run, now: Date.now(), due: now }, { at, queued })
    }
    const due = Date.now() + RETRY_START_MS
    const fires = store.unstarted(now, AT_ONCE)
    for (const { run } of fires) store.putOff(run, due, false)
    later(atOnce(fires, (fire) => this.#start(fire)))
  }

  readonly mend = (now: number): void => this.#deps.store.mend(now, now + SLOWEST_TRY_MS)

  async fire(id: string, act = clock.id()): Promise<Fired | undefined> {
    const { store, want, waits } = this.#deps
    const run = this.#deps.runId(act)
    // [H4] An earlier try got this far: that try, or the alarm, starts the run.
    if (store.hasFired(id, run)) return { run, verdict: waits(run) ? "queued" : "started" }
    const now = Date.now()
    const verdict = store.claim(id, { run, now, due: now + RETRY_START_MS })
    if (verdict === undefined) return undefined
    if (verdict !== "started") return { run: null, verdict }
    want(now + RETRY_START_MS)
    const fire = store.fire(run)
    const launched = fire && (await this.#start(fire))
    if (launched?.as === "failed") return { run: store.find(id)?.last?.run ?? null, verdict: "failed", reason: launched.why }
    if (launched?.as === "merged") return { run: launched.run, verdict: "merged" }
    if (launched?.as === "skipped") return { run: null, verdict: "skipped" }
    return { run, verdict: waits(run) ? "queued" : "started" }
  }

  /** Starts a run that was fired. Resolves when the run has started, cannot start, or the start takes too long (true). */
  async begin(run: string): Promise<boolean> {
    const { store } = this.#deps
    const fire = store.fire(run)
    if (fire === undefined) return false
    await inTime(this.#start(fire), PATIENCE_MS, () => undefined)
    return store.fire(run) !== undefined
  }

  /** A run has ended or was deleted: a fire queued behind it may start now. */
  ended(run: string): void {
    if (this.#deps.store.ended(run)) this.#deps.want(Date.now())
  }

  /** One start of a fire at a time. */
  #start(fire: Fire): Promise<Launched> {
    const before = this.#underway.get(fire.run)
    if (before) return before
    const start = this.#launch(fire).finally(() => this.#underway.delete(fire.run))
    this.#underway.set(fire.run, start)
    return start
  }

  /** Must not reject. */
  async #launch(fire: Fire): Promise<Launched> {
    const { store, launch, want } = this.#deps
    const { run, schedule } = fire
    try {
      const row = store.settings(fire)
      // The run was deleted in the meantime.
      if (!row || !store.fire(run)) return undefined
      const launched = await launch({
        run,
        flow: row.flow,
        task: row.task ?? "",
        inputs: row.inputs ?? {},
        files: row.files,
        thread: row.thread,
        effects: row.effects,
        address: row.address,
        start: row.start && saidStart(row.start),
        trigger: { kind: "schedule", schedule },
      })
      if (launched === undefined) store.started(run)
      else if (launched.as === "failed") store.refused(fire, launched.why, true)
      else store.decided(fire, launched.as === "merged" ? launched.run : null)
      return launched
    } catch (e) {
      const message = messageOf(e)
      logError("schedule.start", { schedule, run, message })
      if (Date.now() - fire.at > GIVE_UP_MS) {
        const reason = `it could not be started within a day: ${message}`
        store.refused(fire, reason, false)
        return { as: "failed", why: reason }
      }
      const due = Date.now() + backoff(1_000, fire.tries, SLOWEST_TRY_MS)
      store.putOff(run, due, true)
      want(due)
      return undefined
    }
  }
}
