// Deleting a run. From the first commit on no caller finds it. Those who must still hear of its end do so before the journal goes, and its
// own children go with it. What cannot be done at once is done by the alarm.

import { isOver } from "../../core/run/state.ts"
import { atOnce } from "../../engine/at-once.ts"
import { WATCHDOG_MS } from "../../engine/run/conductor.ts"
import type { AwakeRun } from "./awake-run.ts"
import { PAGE_CHARS, READ_AT_ONCE } from "./journal-pages.ts"
import type { RunDuties } from "./run-duties.ts"
import { fault } from "./run-fault.ts"
import type { RunResources } from "./run-resources.ts"
import { runPort } from "../clients/run-port.ts"
import type { RunStart } from "./run-start.ts"
import { portOf } from "../clients/port-of.ts"

/** Children that are deleted in one invocation: the platform allows one invocation 1,000 calls. */
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

  /** false: there is no run. */
  async begin(): Promise<boolean> {
    const self = this.#self
    // A run that waits for room begins, to be deleted like any other.
    await this.#starts.release()
    const conductor = await self.awake()
    if (!conductor) return false
    self.leave(0)
    this.#resources.alarm.want(Date.now() + WATCHDOG_MS)
    conductor.tell({ type: "cancel", by: "deleted" })
    try {
      await this.goOn()
    } catch (e) {
      fault("remove", e)
    }
    return true
  }

  /** Rejects while someone has not heard of its end: then the alarm tries again. */
  async goOn(): Promise<void> {
    const { env, alarm, events } = this.#resources
    const [self, duties] = [this.#self, this.#duties]
    const conductor = self.conductor ?? (await self.wake().catch((e: unknown) => this.#unread(e)))
    // The run was canceled when its deletion began, unless that commit failed.
    if (conductor && !isOver(conductor.run)) conductor.tell({ type: "cancel", by: "deleted" })
    const { tenant } = self
    const started = self.started()
    if (tenant !== undefined && started) {
      if (conductor) duties.tell(conductor.run)
      await duties.told()
      if (duties.areOwed) throw new Error("the end of the run has not reached everyone yet")
      await portOf(env, tenant, "runs").remove(started.run)
      if (!(await this.#childrenLeave(tenant))) return alarm.want(Date.now() + 1)
    }
    await events.erase("answer")
    self.isGone()
  }

  /** A run that cannot be read cannot tell its parent, which waits for it, so it is tried again. In the end it is deleted all the same. */
  #unread(e: unknown): void {
    if (!this.#resources.failures.isHopeless) throw e
    fault("remove", e)
  }

  /** Deletes some of the children. true: none is left. */
  async #childrenLeave(tenant: string): Promise<boolean> {
    const { env, journal } = this.#resources
    const self = this.#self
    let at = self.left()
    const children: string[] = []
    while (children.length < CHILDREN_AT_ONCE) {
      const events = journal.read(at, READ_AT_ONCE, PAGE_CHARS)
      const last = events.at(-1)
      if (!last) break
      for (const e of events) if (e.type === "child.started") children.push(e.run)
      at = last.seq
    }
    await atOnce(children, async (child) => void (await runPort(env, tenant, child).remove()))
    self.leave(at)
    return at >= journal.last()
  }
}
