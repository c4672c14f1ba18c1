// How long the object keeps what it has [H6]: an ended run for as long as its tenant says by then, the answer to an Idempotency-Key for a
// day.

import { WATCHDOG_MS } from "../../engine/run/conductor.ts"
import type { AwakeRun } from "./awake-run.ts"
import type { HeldStart } from "./held-start.ts"
import type { RunDuties } from "./run-duties.ts"
import type { RunResources } from "./run-resources.ts"
import { portOf } from "../clients/port-of.ts"

export class RunRetention {
  readonly #resources: RunResources
  readonly #self: AwakeRun
  readonly #held: HeldStart
  readonly #duties: RunDuties
  /** As the tenant said last. */
  #ms: number | undefined

  constructor(resources: RunResources, self: AwakeRun, held: HeldStart, duties: RunDuties) {
    this.#resources = resources
    this.#self = self
    this.#held = held
    this.#duties = duties
  }

  heard(ms: number | undefined): void {
    this.#ms = ms
  }

  /** Erases the object when its time is over; true: nothing is left to do for its alarm. A run leaves the tenant's list before its journal
   *  goes. It is not folded for that: a run whose definitions do not load any more goes like any other. */
  async isOver(): Promise<boolean> {
    const { env, journal, alarm, events } = this.#resources
    const self = this.#self
    const last = journal.last()
    if (last === 0) return this.#isRecordOver()
    const [event] = journal.pick([last])
    const { tenant } = self
    // Those who have not heard of the end are told first; the tenant's answer names the retention.
    if (event?.type !== "run.ended" || tenant === undefined || this.#duties.areOwed) return false
    const now = Date.now()
    if (this.#ms === undefined && now < event.at + WATCHDOG_MS) return false
    this.#ms = await portOf(env, tenant, "account").retention()
    if (now < event.at + this.#ms) {
      alarm.want(event.at + this.#ms)
      return false
    }
    const started = self.started()
    if (started) await portOf(env, tenant, "runs").remove(started.run)
    await events.erase("answer")
    return true
  }

  async #isRecordOver(): Promise<boolean> {
    const { record, alarm, events } = this.#resources
    if (this.#held.read()) return true
    const until = record.until()
    if (until === undefined && record.isSpent()) await events.erase()
    if (until === undefined) return false
    if (until <= Date.now()) await events.erase()
    else alarm.want(until)
    return true
  }

  /** Sets the alarm that erases a record without a run: nothing else ever would. */
  async keepRecord(): Promise<void> {
    const { journal, record, alarm } = this.#resources
    const until = record.until()
    if (until === undefined || journal.last() > 0) return
    await alarm.look()
    alarm.want(until)
  }

  /** Once a run has ended and everyone has heard of it, its watchdog would only wake an evicted object and fold it again, a sixth of the CPU
   *  of a short run (bench/README.md). Its next alarm is when it is to go. */
  rest(): void {
    const { alarm, telemetry } = this.#resources
    const run = this.#self.conductor?.run
    if (run?.ended === undefined || this.#duties.areOwed || this.#ms === undefined || telemetry.due(run) !== undefined) return
    alarm.move(run.ended + this.#ms)
  }
}
