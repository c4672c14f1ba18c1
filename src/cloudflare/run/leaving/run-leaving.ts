// Deletes a run. From the first commit on, callers no longer find it. Messages about its end are delivered before the journal is
// deleted, and its children are deleted too. The alarm continues whatever cannot be done at once.

import { defined } from "../../../core/defined.ts"
import { isKey } from "../../../core/run/key.ts"
import { isOver, type Run } from "../../../core/run/state.ts"
import { runSumOf } from "../../../core/run/usage/run-sum.ts"
import { usageOf } from "../../../core/run/usage/run-usage.ts"
import { failedOf } from "../../../engine/at-once.ts"
import type { AwakeRun } from "../awake-run.ts"
import { childId } from "../family/run-family.ts"
import { PAGE_CHARS, READ_AT_ONCE } from "../journal/journal-pages.ts"
import type { RunDuties } from "../run-duties.ts"
import { fault } from "../run-fault.ts"
import type { RunResources } from "../run-resources.ts"
import { runPort } from "../../clients/run-port.ts"
import type { RunStart } from "../run-start.ts"
import { portOf } from "../../platform/port-of.ts"

/** Children deleted per invocation; the platform allows 1,000 calls per invocation. */
const CHILDREN_AT_ONCE = 200

export class RunLeaving {
  readonly #resources: RunResources
  readonly #self: AwakeRun
  readonly #starts: RunStart
  readonly #duties: RunDuties

  constructor(resources: RunResources, self: AwakeRun, starts: RunStart, duties: RunDuties) {
    this.#resources = resources
    this.#self = self
    this.#starts = starts
    this.#duties = duties
  }

  /** false: this object has no run. */
  async begin(): Promise<boolean> {
    const self = this.#self
    // A run that waits for room begins and ends in one decision, and is then deleted like any other.
    await this.#starts.release({ canceled: true })
    const conductor = await self.awake()
    if (!conductor) return false
    self.leave(0)
    this.#resources.alarm.watch("deletion")
    // From here on it goes on by itself, whatever fails now.
    try {
      await this.goOn()
    } catch (e) {
      fault("remove", e)
    }
    return true
  }

  /** Rejects while messages about the run's end have not arrived; the alarm then tries again. */
  async goOn(): Promise<void> {
    const { env, alarm, bodies, events } = this.#resources
    const [self, duties] = [this.#self, this.#duties]
    alarm.watch("deletion")
    const conductor = self.conductor ?? (await self.wake().catch((e: unknown) => this.#unread(e)))
    // The run was canceled when its deletion began, unless that commit failed.
    if (conductor && !isOver(conductor.run)) conductor.tell({ type: "cancel", by: "deleted" })
    const { tenant } = self
    const identity = self.identity()
    if (tenant !== undefined && identity) {
      if (conductor) duties.tell(conductor.run)
      await duties.settled()
      if (duties.areOwed) throw new Error("the end of the run is not reported to all receivers yet")
      const usage = conductor ? usageOf(conductor.run) : undefined
      const sum = conductor ? runSumOf(conductor.run, usage) : undefined
      const tenancy = conductor?.run.tenancy
      await portOf(env, tenant, "runs").remove(identity.run, { ...defined({ usage, sum, tenancy }), ...bodies.owned() })
      const areGone = (await this.#childrenLeave(tenant, identity.own)) && (await this.#orphansLeave(tenant, conductor?.run))
      if (!areGone) return alarm.want("deletion", Date.now() + 1)
    }
    await events.erase("answer")
    self.isGone()
  }

  /** A run that cannot be read cannot report to its waiting parent, so the alarm tries again. After too many failures it is deleted anyway. */
  #unread(e: unknown): void {
    if (!this.#resources.failures.isHopeless) throw e
    fault("remove", e)
  }

  /** Deletes some of the children, which began from event `own` on: what comes before is another run's [K10]. true: all are deleted. */
  async #childrenLeave(tenant: string, own: number): Promise<boolean> {
    const { journal } = this.#resources
    const self = this.#self
    let at = Math.max(self.left(), own - 1)
    if (at >= journal.last()) return true
    const children: string[] = []
    while (children.length < CHILDREN_AT_ONCE) {
      const events = journal.read(at, READ_AT_ONCE, PAGE_CHARS)
      const last = events.at(-1)
      if (!last) break
      for (const e of events) {
        if (e.type === "child.started") children.push(e.run)
        // [T42] A run that a call started is a child too.
        else if (e.type === "tool.returned" && e.child?.run !== undefined) children.push(e.child.run)
      }
      at = last.seq
    }
    await this.#remove(tenant, children)
    self.leave(at)
    return at >= journal.last()
  }

  /** Deletes some of the children that no event names: the run ended before the answer to their start. They count as events after the last. */
  async #orphansLeave(tenant: string, run: Run | undefined): Promise<boolean> {
    const { env, journal } = this.#resources
    const keys = run?.orphans.filter(isKey) ?? []
    if (!run || keys.length === 0) return true
    const from = Math.max(0, this.#self.left() - journal.last())
    const to = from + CHILDREN_AT_ONCE
    await this.#remove(tenant, await Promise.all(keys.slice(from, to).map((key) => childId(env, tenant, run.id, key))))
    this.#self.leave(journal.last() + to)
    return to >= keys.length
  }

  /** A child that cannot be reached keeps none of the others; all of them are asked again. */
  async #remove(tenant: string, children: readonly string[]): Promise<void> {
    const [failed] = await failedOf(children, (child) => runPort(this.#resources.env, tenant, child).remove())
    if (failed) throw failed.error
  }
}
