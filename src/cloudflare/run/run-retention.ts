// For how long what is here is kept [H6]: an ended run for as long as its tenant says by then, the answer to an Idempotency-Key its day.

import { WATCHDOG_MS } from "../../engine/run/conductor.ts"
import type { AwakeRun } from "./awake-run.ts"
import type { Duties } from "./duties.ts"
import type { Env } from "../platform/env.ts"
import type { HeldStart } from "./held-start.ts"
import type { IdempotencyRecord } from "./idempotency-record.ts"
import type { SqlJournal } from "./journal-sql.ts"
import type { RunAlarm } from "./run-alarm.ts"
import type { RunTelemetry } from "./run-telemetry.ts"
import { tenantPort } from "../clients/tenant-port.ts"

export interface RetentionDeps {
  readonly env: Env
  readonly self: AwakeRun
  readonly held: HeldStart
  readonly journal: SqlJournal
  readonly record: IdempotencyRecord
  readonly alarm: RunAlarm
  readonly duties: Duties
  readonly telemetry: RunTelemetry
  readonly erase: (keep?: "answer") => Promise<void>
}

export class RunRetention {
  readonly #deps: RetentionDeps
  /** As the tenant said last. */
  #ms: number | undefined

  constructor(deps: RetentionDeps) {
    this.#deps = deps
  }

  heard(ms: number | undefined): void {
    this.#ms = ms
  }

  /** Is what is here to go, and gone? A run leaves the tenant's list before it leaves itself. It is not folded for that: one whose
   *  definitions do not load any more goes like any other. */
  async isOver(): Promise<boolean> {
    const { env, self, journal, alarm, duties, erase } = this.#deps
    const last = journal.last()
    if (last === 0) return this.#isRecordOver()
    const [event] = journal.pick([last])
    const { tenant } = self
    // Who has not heard of the end yet is told first, and the retention is asked with it.
    if (event?.type !== "run.ended" || tenant === undefined || duties.areOwed) return false
    const now = Date.now()
    if (this.#ms === undefined && now < event.at + WATCHDOG_MS) return false
    const port = tenantPort(env, tenant)
    this.#ms = await port.retention()
    if (now < event.at + this.#ms) {
      alarm.want(event.at + this.#ms)
      return false
    }
    const started = self.started()
    if (started) await port.removeRun(started.run)
    await erase("answer")
    return true
  }

  async #isRecordOver(): Promise<boolean> {
    const { held, record, alarm, erase } = this.#deps
    if (held.read()) return true
    const until = record.until()
    if (until === undefined && record.isSpent()) await erase()
    if (until === undefined) return false
    if (until <= Date.now()) await erase()
    else alarm.want(until)
    return true
  }

  /** A record without a run: nothing else would ever take it away. */
  async keepRecord(): Promise<void> {
    const { journal, record, alarm } = this.#deps
    const until = record.until()
    if (until === undefined || journal.last() > 0) return
    await alarm.look()
    alarm.want(until)
  }

  /** A run that has ended, and everybody has heard of it: its watchdog would only wake an evicted object and fold it again, a sixth
   *  of the CPU of a short run (bench/README.md). The next time it is looked at is when it is to go. */
  rest(): void {
    const { self, alarm, duties, telemetry } = this.#deps
    const run = self.conductor?.run
    if (run?.ended === undefined || duties.areOwed || this.#ms === undefined || telemetry.due(run) !== undefined) return
    alarm.move(run.ended + this.#ms)
  }
}
