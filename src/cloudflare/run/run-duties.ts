// What others must hear of a run [J14]. The tenant hears its status, orphaned children that they are canceled, the sticky sessions what was
// said, the tenant's day what is left of the slice, the parent how the run ended, and a collector its traces.

import { minus } from "../../core/money/amount.ts"
import { reportOf } from "../../core/run/steps/children.ts"
import { isOver, type Run } from "../../core/run/state.ts"
import type { AwakeRun } from "./awake-run.ts"
import { portOf } from "../clients/port-of.ts"
import { WATCHDOG_MS } from "../../engine/run/conductor.ts"
import { Duties } from "./duties.ts"
import { FamilyPause } from "./family-pause.ts"
import { cancelAll, tellParent } from "./run-family.ts"
import { fault } from "./run-fault.ts"
import type { RunResources } from "./run-resources.ts"
import { rowOf } from "./run-row.ts"

export class RunDuties {
  readonly #resources: RunResources
  readonly #self: AwakeRun
  readonly #duties: Duties
  readonly #family: FamilyPause
  /** So many of the run's orphans were canceled since this object woke. */
  #canceled = 0
  /** Cancels of children that were orphaned while they were being started: a cancel may have come before the start. */
  readonly #orphanCancels = new Map<string, () => Promise<void>>()
  #times = 0
  #status = ""

  constructor(resources: RunResources, self: AwakeRun) {
    const { env, kv, alarm, events, later } = resources
    this.#resources = resources
    this.#self = self
    this.#duties = new Duties({
      later,
      heard: () => events.delivered(),
      failed: (word, e) => {
        fault(word, e)
        alarm.want(Date.now() + WATCHDOG_MS)
      },
    })
    this.#family = new FamilyPause(env, kv, () => self.conductor?.run)
  }

  /** Someone has not heard yet. */
  get areOwed(): boolean {
    return this.#duties.areOwed
  }

  /** Resolves when each message on its way has arrived or failed. */
  told(): Promise<void> {
    return this.#duties.told()
  }

  /** Sends what is to be told; what does not arrive is sent again at the next alarm. */
  tell(run: Run): void {
    const { env, sessions, containers } = this.#resources
    const duties = this.#duties
    const { tenant } = this.#self
    if (tenant === undefined) return
    duties.begin()
    this.#tellStatus(tenant, run)
    this.#family.tell(duties, tenant, run)
    this.#tellOrphans(tenant, run)
    for (const [word, cancel] of this.#orphanCancels) duties.tell(word, cancel)
    if (sessions.unsaved(run) > 0) duties.tell(`sessions ${run.transcripts.length}`, () => sessions.save(tenant, run))
    const { lease } = run.budget
    if (lease && isOver(run))
      duties.tell("lease", () => portOf(env, tenant, "dayBudget").giveBack(run.id, lease.until, minus(lease.limit, lease.spent)))
    if (isOver(run) && containers.any()) duties.tell("sandboxes", () => containers.destroy(tenant))
    const report = run.parent && reportOf(run)
    if (report) duties.tell("parent", () => tellParent(env, tenant, run, report))
    this.#tellOperators(tenant, run)
  }

  #tellStatus(tenant: string, run: Run): void {
    const { env, bytes, events } = this.#resources
    const duties = this.#duties
    // A status may come back: running, waiting, running again. The inbox lists runs by their open questions.
    const status = `${run.status} ${run.pending.length}`
    if (this.#status !== status) duties.again("status")
    this.#status = status
    // A run that is being deleted is in no list any more.
    if (this.#self.isLeaving) return
    duties.tell("status", async () => {
      const noted = await portOf(env, tenant, "runs").note(bytes.told(rowOf(run)))
      // [N3] The tenant is deleted, and its run goes with it.
      if (noted === "gone") await events.erase()
      else events.retention(noted.retention)
    })
  }

  #tellOrphans(tenant: string, run: Run): void {
    const orphans = run.orphans.slice(this.#canceled)
    const all = run.orphans.length
    if (orphans.length > 0)
      this.#duties.tell(`orphans ${all}`, async () => {
        await cancelAll(this.#resources.env, tenant, run.id, orphans)
        this.#canceled = Math.max(this.#canceled, all)
      })
  }

  #tellOperators(tenant: string, run: Run): void {
    const { alarm, telemetry } = this.#resources
    telemetry.measure(tenant, run)
    // A deletion waits for those who have not heard yet; it does not wait for a collector.
    const due = this.#self.isLeaving ? undefined : telemetry.due(run)
    if (due !== undefined && due <= Date.now()) this.#duties.tell("traces", () => telemetry.export())
    else alarm.want(due)
  }

  /** Sent anew at each call: the child may have begun only now. */
  cancelOrphan(tenant: string, parent: string, child: string): void {
    const word = `orphan ${child} ${this.#times++}`
    const cancel = async (): Promise<void> => {
      await cancelAll(this.#resources.env, tenant, parent, [child])
      this.#orphanCancels.delete(word)
    }
    this.#orphanCancels.set(word, cancel)
    this.#duties.tell(word, cancel)
  }

  forget(): void {
    this.#duties.forget()
    this.#orphanCancels.clear()
    this.#canceled = 0
  }
}
