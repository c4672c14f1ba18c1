// Runs the work of the single alarm of a tenant's object, shared by everything that has work to do later: deliveries whose run has not
// started yet [W3], schedules [W5], callbacks [W6], queued runs [H6].
//
// Each user computes its next time from its own rows, so a time is never lost and never stored twice, and the law for alarms
// (platform/alarm-owners.ts) keeps it. Code that writes such a row calls `want` in the same turn, so the row and the alarm are one commit.

import { backoff } from "../../core/backoff.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import { inTime } from "../../ports/timers.ts"
import { AlarmOwners } from "../platform/alarm-owners.ts"
import { logError } from "../platform/log.ts"

/** A user of the alarm. It keeps its state in rows: `due` and `work` must be correct after an eviction, and `work` may be called too
 *  early or twice. */
export interface DueWork {
  readonly name: string
  /** When the earliest row is due (ms); undefined: nothing is waiting. One indexed read. */
  readonly due: () => number | undefined
  /** Does a bounded amount of the work that is due at `now`, and deletes or postpones its rows. */
  readonly work: (now: number) => Promise<void>
  /** Computes anew what lies further ahead than it can: it was written before the clock was set back. */
  readonly mend?: (now: number) => void
}

/** Failed work is retried after 2 s, 4 s, and so on, up to this delay. The other users are not affected. */
const SLOWEST_TRY_MS = 300_000
const FIRST_TRY_MS = 2_000
/** The alarm does not wait longer for one user: it calls that user again later, which is safe because work may be done twice. */
const LONGEST_MS = 60_000 // limit: milliseconds that the alarm waits for one user → it calls that user again later
/** A clock that is corrected by less is not set back. */
const BACK_MS = 10_000

/** The owner of times that rows were just written for. They follow from the rows once the alarm has rung. */
const WRITTEN = "written"

export class TenantAlarm {
  readonly #owners: AlarmOwners
  readonly #users: DueWork[] = []
  readonly #failed = new Map<string, { readonly tries: number; readonly until: number }>()
  /** The time when this object last looked; undefined: it has not since it woke. */
  #seen: number | undefined

  constructor(storage: Pick<DurableObjectStorage, "setAlarm">) {
    this.#owners = new AlarmOwners(storage)
  }

  /** Call this in the constructor of the object. */
  share(user: DueWork): void {
    this.#users.push(user)
    this.#owners.share(user.name, () => this.#dueAt(user))
  }

  /** Sets an alarm for `at` or earlier. An early alarm is harmless, and cheaper than moving the alarm for every row. */
  want(at: number): void {
    this.look()
    this.#owners.want(WRITTEN, at)
  }

  /** First in each turn: an object that wakes, or whose clock was set back, goes by no time that was written before. */
  look(): void {
    const now = Date.now()
    const before = this.#seen
    this.#seen = now
    if (before !== undefined && now >= before - BACK_MS) return
    const due = this.#owners.next
    for (const user of this.#users) user.mend?.(now)
    if (before !== undefined) {
      this.#owners.forget()
      this.#failed.clear()
    }
    const next = this.#owners.next
    if (next !== undefined && next !== due) this.#owners.want(WRITTEN, next)
  }

  /** A user whose time no alarm keeps: the law [J12] is broken. */
  get unkept(): string | undefined {
    return this.#owners.unkept
  }

  /** Call this after `deleteAll`, which also deletes the alarm. */
  forget(): void {
    this.#owners.forget()
    this.#failed.clear()
  }

  /** The object's `alarm()`. Never throws, because the platform retries a failed alarm six times and then drops it. */
  async ring(): Promise<void> {
    this.#owners.rang()
    this.look()
    await Promise.all(this.#users.map((user) => this.#wake(user)))
    this.#owners.settle()
  }

  async #wake(user: DueWork): Promise<void> {
    try {
      const now = Date.now()
      if ((this.#dueAt(user) ?? Number.POSITIVE_INFINITY) > now) return
      const work = user.work(now)
      await inTime(work, LONGEST_MS, () => this.#outlived(work))
      this.#failed.delete(user.name)
    } catch (e) {
      const tries = (this.#failed.get(user.name)?.tries ?? 0) + 1
      this.#failed.set(user.name, { tries, until: Date.now() + backoff(FIRST_TRY_MS, tries - 1, SLOWEST_TRY_MS) })
      logError("tenant.alarm", { user: user.name, tries, error: e instanceof Error ? e.name : "Error", message: messageOf(e) })
    }
  }

  /** The work goes on, and what it writes at its end needs an alarm as well. */
  #outlived(work: Promise<void>): never {
    const settle = (): void => this.#owners.settle()
    void work.then(settle, settle)
    throw new Error(`took longer than ${LONGEST_MS} ms`)
  }

  #dueAt(user: DueWork): number | undefined {
    const due = user.due()
    return due === undefined ? undefined : Math.max(due, this.#failed.get(user.name)?.until ?? 0)
  }
}
