// Deleting a run. From the first commit on nobody finds it. Who must still hear of its end hears of it before the journal goes, and its
// own children go with it; what cannot be done at once the alarm does.

import { isOver } from "../../core/run/state.ts"
import { atOnce } from "../../engine/at-once.ts"
import { WATCHDOG_MS } from "../../engine/run/conductor.ts"
import type { AwakeRun } from "./awake-run.ts"
import type { Duties } from "./duties.ts"
import type { Env } from "../platform/env.ts"
import type { HeldStart } from "./held-start.ts"
import { PAGE_CHARS, READ_AT_ONCE } from "./journal-pages.ts"
import type { SqlJournal } from "./journal-sql.ts"
import type { RunAlarm } from "./run-alarm.ts"
import type { RunDuties } from "./run-duties.ts"
import { fault } from "./run-fault.ts"
import { runPort } from "../clients/run-port.ts"
import type { RunStart } from "./run-start.ts"
import { tenantPort } from "../clients/tenant-port.ts"

/** Children that are deleted in one invocation: the platform allows it 1,000 calls. */
const CHILDREN_AT_ONCE = 200

export interface LeavingDeps {
  readonly env: Env
  readonly self: AwakeRun
  readonly held: HeldStart
  readonly starts: RunStart
  readonly journal: SqlJournal
  readonly alarm: RunAlarm
  readonly duties: Duties
  readonly words: RunDuties
  readonly erase: (keep: "answer") => Promise<void>
  /** It has been tried so often that nobody hopes any more. */
  readonly isHopeless: () => boolean
}

export class RunLeaving {
  readonly #deps: LeavingDeps

  constructor(deps: LeavingDeps) {
    this.#deps = deps
  }

  /** false: there is no run. */
  async begin(): Promise<boolean> {
    const { self, held, starts, alarm } = this.#deps
    // What waits for room begins, to be taken away like any other.
    if (held.read()) await starts.release()
    const conductor = await self.awake()
    if (!conductor) return false
    self.leave(0)
    alarm.want(Date.now() + WATCHDOG_MS)
    conductor.tell({ type: "cancel", by: "deleted" })
    try {
      await this.goOn()
    } catch (e) {
      fault("remove", e)
    }
    return true
  }

  /** Rejects while somebody has not heard of its end: then it is tried again. */
  async goOn(): Promise<void> {
    const { env, self, alarm, duties, words, erase } = this.#deps
    const conductor = self.conductor ?? (await self.wake().catch((e: unknown) => this.#unread(e)))
    // It was told so when it began to go, but for a commit that failed.
    if (conductor && !isOver(conductor.run)) conductor.tell({ type: "cancel", by: "deleted" })
    const { tenant } = self
    const started = self.started()
    if (tenant !== undefined && started) {
      if (conductor) words.tell(conductor.run)
      await duties.told()
      if (duties.areOwed) throw new Error("not everybody has heard of its end")
      await tenantPort(env, tenant).removeRun(started.run)
      if (!(await this.#childrenLeave(tenant))) return alarm.want(Date.now() + 1)
    }
    await erase("answer")
    self.isGone()
  }

  /** Who cannot be read can tell nobody: its parent would wait for it for ever. What can be read no more goes all the same, in the end. */
  #unread(e: unknown): void {
    if (!this.#deps.isHopeless()) throw e
    fault("remove", e)
  }

  /** A part of them at a time. true: none is left. */
  async #childrenLeave(tenant: string): Promise<boolean> {
    const { env, self, journal } = this.#deps
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
