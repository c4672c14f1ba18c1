// What others must hear of a run [J14]: the tenant its status, children that nobody waits for their end, the sticky sessions what was
// said, the tenant's day what is left of its slice, the parent how it ended, a collector its traces.

import { minus } from "../../core/money/amount.ts"
import { reportOf } from "../../core/run/steps/children.ts"
import { isOver, type Run } from "../../core/run/state.ts"
import type { AwakeRun } from "./awake-run.ts"
import type { RunContainers } from "../sandbox/containers.ts"
import { dayBudgetPort } from "../clients/day-budget-port.ts"
import type { Duties } from "./duties.ts"
import type { Env } from "../platform/env.ts"
import { FamilyPause } from "./family-pause.ts"
import type { RunAlarm } from "./run-alarm.ts"
import type { RunBytes } from "./run-bytes.ts"
import { cancelAll, tellParent } from "./run-family.ts"
import { rowOf } from "./run-row.ts"
import type { RunTelemetry } from "./run-telemetry.ts"
import type { SessionSaving } from "./session-saving.ts"
import { tenantPort } from "../clients/tenant-port.ts"

export interface RunDutyDeps {
  readonly env: Env
  readonly self: AwakeRun
  readonly duties: Duties
  readonly alarm: RunAlarm
  readonly sessions: SessionSaving
  readonly telemetry: RunTelemetry
  readonly containers: RunContainers
  readonly bytes: RunBytes
  /** For how long the tenant keeps ended runs, as it says by now [H6]. */
  readonly heard: (retention: number) => void
  /** The tenant is no more, and its run goes with it [N3]. */
  readonly erase: () => Promise<void>
}

export class RunDuties {
  readonly #deps: RunDutyDeps
  readonly #family: FamilyPause
  /** So many of the run's orphans were canceled since this object woke. */
  #canceled = 0
  /** Children that were left while they were being started and have not heard of it: what was said to them as orphans may have come
   *  before their start. */
  readonly #forsaken = new Map<string, () => Promise<void>>()
  #times = 0
  #status = ""

  constructor(deps: RunDutyDeps, kv: SyncKvStorage) {
    this.#deps = deps
    this.#family = new FamilyPause(deps.env, kv, () => deps.self.conductor?.run)
  }

  /** Says what is to be said; what did not arrive is said again at the next alarm. */
  tell(run: Run): void {
    const { env, self, duties, sessions, containers } = this.#deps
    const { tenant } = self
    if (tenant === undefined) return
    duties.begin()
    this.#tellStatus(tenant, run)
    this.#family.tell(duties, tenant, run)
    this.#tellOrphans(tenant, run)
    for (const [word, cancel] of this.#forsaken) duties.tell(word, cancel)
    if (sessions.unsaved(run) > 0) duties.tell(`sessions ${run.transcripts.length}`, () => sessions.save(tenant, run))
    const { lease } = run.budget
    if (lease && isOver(run))
      duties.tell("lease", () => dayBudgetPort(env, tenant).giveBack(run.id, lease.until, minus(lease.limit, lease.spent)))
    if (isOver(run) && containers.any()) duties.tell("sandboxes", () => containers.destroy(tenant))
    const report = run.parent && reportOf(run)
    if (report) duties.tell("parent", () => tellParent(env, tenant, run, report))
    this.#tellOperators(tenant, run)
  }

  #tellStatus(tenant: string, run: Run): void {
    const { env, self, duties, bytes, heard, erase } = this.#deps
    // A status may come back: running, waiting, running again. The inbox lists runs by their open questions.
    const status = `${run.status} ${run.pending.length}`
    if (this.#status !== status) duties.again("status")
    this.#status = status
    // A run that is being deleted is in nobody's list any more.
    if (self.isLeaving) return
    duties.tell("status", async () => {
      const noted = await tenantPort(env, tenant).noteRun(bytes.told(rowOf(run)))
      if (noted === "gone") await erase()
      else heard(noted.retention)
    })
  }

  #tellOrphans(tenant: string, run: Run): void {
    const orphans = run.orphans.slice(this.#canceled)
    const all = run.orphans.length
    if (orphans.length > 0)
      this.#deps.duties.tell(`orphans ${all}`, async () => {
        await cancelAll(this.#deps.env, tenant, run.id, orphans)
        this.#canceled = Math.max(this.#canceled, all)
      })
  }

  #tellOperators(tenant: string, run: Run): void {
    const { self, duties, alarm, telemetry } = this.#deps
    telemetry.measure(tenant, run)
    // What is being deleted is waited for, and a collector is nobody to wait for.
    const due = self.isLeaving ? undefined : telemetry.due(run)
    if (due !== undefined && due <= Date.now()) duties.tell("traces", () => telemetry.export())
    else alarm.want(due)
  }

  /** Each time anew: the child may have begun only now. */
  forsake(tenant: string, parent: string, child: string): void {
    const word = `forsaken ${child} ${this.#times++}`
    const cancel = async (): Promise<void> => {
      await cancelAll(this.#deps.env, tenant, parent, [child])
      this.#forsaken.delete(word)
    }
    this.#forsaken.set(word, cancel)
    this.#deps.duties.tell(word, cancel)
  }

  forget(): void {
    this.#deps.duties.forget()
    this.#forsaken.clear()
    this.#canceled = 0
  }
}
