// Decides how long the object stores its data [H6]: an ended run for the tenant's current retention, the answer to an Idempotency-Key for a
// day.

import { WATCHDOG_MS } from "../../../engine/run/conduct/next-alarm.ts"
import type { RunEvent } from "../../../core/run/event.ts"
import { StrandedConductor } from "../../../engine/run/stranded-conductor.ts"
import { isPostscript } from "../../../core/run/effects/postscript.ts"
import { CHILD_WORKS, PACE } from "../../../core/run/shown-status.ts"
import type { AwakeRun } from "../awake-run.ts"
import type { HeldStart } from "../held-start.ts"
import type { RunStart } from "../run-start.ts"
import type { RunDuties } from "../run-duties.ts"
import type { RunResources } from "../run-resources.ts"
import { portOf } from "../../platform/port-of.ts"
import { LANES } from "../run-telemetry.ts"
import type { UnwantedRun } from "./unwanted-run.ts"

const latest = (...times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

/** The event with which the run ended; undefined: it goes on. Its postscript may follow it [K34], so the run need not be folded for this. */
function endOf(journal: RunResources["journal"], last: number): RunEvent | undefined {
  for (let seq = last; seq > 0; seq--) {
    const [event] = journal.pick([seq])
    if (event?.type === "run.ended") return event
    if (event === undefined || !isPostscript(event)) return undefined
  }
  return undefined
}

interface RetentionDeps {
  readonly held: HeldStart
  readonly starts: RunStart
  readonly unwanted: UnwantedRun
  readonly duties: RunDuties
}

const TESTED_MS = 24 * 60 * 60 * 1000
const TRIAL_MS = 7 * TESTED_MS

export class RunRetention {
  readonly #resources: RunResources
  readonly #self: AwakeRun
  readonly #held: HeldStart
  readonly #starts: RunStart
  readonly #unwanted: UnwantedRun
  readonly #duties: RunDuties
  /** The tenant's retention; undefined: not known yet. Reports overtake each other, so the shortest one counts until the tenant is asked: an alarm
   *  that rings too early asks again, and one that is set too late is never corrected. */
  #ms: number | undefined

  constructor(resources: RunResources, self: AwakeRun, { held, starts, unwanted, duties }: RetentionDeps) {
    this.#resources = resources
    this.#unwanted = unwanted
    this.#self = self
    this.#held = held
    this.#starts = starts
    this.#duties = duties
  }

  set(ms: number | undefined): void {
    if (ms === undefined) this.#ms = undefined
    else this.#heard(ms)
  }

  #heard(ms: number): number {
    return (this.#ms = Math.min(this.#ms ?? Number.POSITIVE_INFINITY, this.#kept(ms)))
  }

  async #asked(tenant: string): Promise<number> {
    this.#ms = undefined
    return this.#heard(await portOf(this.#resources.env, tenant, "account").retention())
  }

  /** [K21, V34] The run of a test is kept for a day at most, and a trial for a week. */
  #kept(ms: number): number {
    const about = this.#self.identity()
    return about?.tested === true ? Math.min(ms, about.trial ? TRIAL_MS : TESTED_MS) : ms
  }

  /** Erases the object when its retention is over. true: the alarm has nothing else to do. A run leaves the tenant's list before its journal
   *  is deleted. The run is not folded for this, so a run whose definitions no longer load is deleted like any other. */
  async isOver(): Promise<boolean> {
    const { env, journal, alarm, bodies, events } = this.#resources
    const self = this.#self
    const last = journal.last()
    if (last === 0) return this.#isRecordOver()
    const event = endOf(journal, last)
    const { tenant } = self
    // Messages about the end must arrive first; the tenant's answer contains the retention.
    if (event === undefined || tenant === undefined || this.#duties.areOwed) return false
    const now = Date.now()
    if (this.#ms === undefined && now < event.at + WATCHDOG_MS) {
      alarm.want("retention", event.at + WATCHDOG_MS)
      return false
    }
    const known = this.#ms
    const ms = known === undefined || now >= event.at + known ? await this.#asked(tenant) : known
    // The run was erased while the tenant was asked: an alarm of it would be nobody's.
    if (journal.last() === 0) return this.#isRecordOver()
    if (now < event.at + ms) {
      // The object may be killed before it has told the end: the time of its deletion must not be its only alarm.
      if (!this.#duties.hasTold) alarm.watch("watchdog")
      alarm.want("retention", event.at + ms)
      return false
    }
    const identity = self.identity()
    if (identity) await portOf(env, tenant, "runs").remove(identity.run, { ...bodies.owned(), expired: true })
    await events.erase("answer")
    return true
  }

  async #isRecordOver(): Promise<boolean> {
    const { record, alarm, events } = this.#resources
    if (await this.#starts.report()) return true
    const until = latest(record.until(), this.#unwanted.until())
    if (until === undefined && record.isSpent()) await events.erase()
    if (until === undefined) return false
    if (until <= Date.now()) await events.erase()
    else alarm.want("record", until)
    return true
  }

  /** Sets the alarm that erases a record without a run; nothing else would. */
  async keepRecord(): Promise<void> {
    const { journal, record, alarm } = this.#resources
    const until = record.until()
    if (until === undefined || journal.last() > 0) return
    await alarm.look()
    if (record.until() === until) alarm.want("record", until)
  }

  /** The watchdog of a run that waits for someone, or that has ended and told everyone, would only wake an evicted object and fold it again: a
   *  sixth of the CPU of a short run (bench/README.md). So the watchdog goes, and the next alarm is the time that somebody else waits for: the run,
   *  or its deletion. */
  rest(): void {
    const { alarm, telemetry } = this.#resources
    const { conductor, isLeaving } = this.#self
    const run = conductor?.ahead
    // [K34] While an effect is under way after the end, the watchdog stays.
    if (run === undefined || Object.keys(run.underway).length > 0) return
    if (isLeaving || this.#duties.areOwed) return
    // A child or a retry comes soon, and to set the alarm twice would cost more than to wake once.
    const isLong = run.status === "waiting" && run.reason !== CHILD_WORKS && run.reason !== PACE && run.reason !== "retry"
    const isOver = run.ended !== undefined && this.#ms !== undefined
    if (!isOver && (!isLong || conductor instanceof StrandedConductor)) return
    alarm.drop("watchdog")
    if (run.ended !== undefined && this.#ms !== undefined) {
      for (const lane of LANES) alarm.want(lane, telemetry.due(run, lane))
      alarm.want("retention", run.ended + this.#ms)
    }
    alarm.rest()
  }

  /** [J12] What this object owes, waits for or holds although no alarm is set; undefined: the law holds. */
  get unkept(): string | undefined {
    const { alarm, journal, record } = this.#resources
    if (alarm.isSet) return alarm.unkept
    if (this.#duties.areOwed) return "messages"
    if (journal.last() === 0) return this.#held.read() ? "held start" : record.until() === undefined ? undefined : "record"
    const run = this.#self.conductor?.ahead
    return run?.ended === undefined ? undefined : "retention"
  }
}
