// TenantAlarm: the single alarm of a tenant's object, shared by everything that has work to do later: deliveries whose run has not started
// yet [W3], schedules [W5], callbacks [W6], queued runs [H6].
//
// The alarm stores no times. Each user computes its next time from its own rows, so a time is never lost and never stored twice. Code that
// writes such a row calls `want` in the same turn, so the row and the alarm are one commit.

import { backoff } from "../../core/backoff.ts"
import { inTime } from "../../engine/time/deadline.ts"
import { logError, messageOf } from "../platform/log.ts"

/** A user of the alarm. It keeps its state in rows: `due` and `work` must be correct after an eviction, and `work` may be called too early or twice. */
export interface DueWork {
  readonly name: string
  /** When the earliest row is due (ms); undefined: nothing is waiting. One indexed read. */
  readonly due: () => number | undefined
  /** Does a bounded amount of the work that is due at `now`, and deletes or postpones its rows. */
  readonly work: (now: number) => Promise<void>
}

/** Failed work is retried after 2 s, 4 s, and so on, up to this delay. The other users are not affected. */
const SLOWEST_TRY_MS = 300_000
const FIRST_TRY_MS = 2_000
/** The alarm does not wait longer for one user: it calls that user again later, which is safe because work may be done twice. */
const LONGEST_MS = 60_000
/** The platform accepts no alarm after the year 2189. An alarm that rings early only sets the next one. */
const FARTHEST_MS = 30 * 86_400_000

export class TenantAlarm {
  readonly #storage: Pick<DurableObjectStorage, "setAlarm">
  readonly #users: DueWork[] = []
  /** When the alarm rings (ms); null: no alarm is set; undefined: unknown since this object woke. */
  #at: number | null | undefined
  readonly #failed = new Map<string, { readonly tries: number; readonly until: number }>()

  constructor(storage: Pick<DurableObjectStorage, "setAlarm">) {
    this.#storage = storage
  }

  /** Call this in the constructor of the object. */
  share(user: DueWork): void {
    this.#users.push(user)
  }

  /** Sets an alarm for `at` or earlier. An early alarm is harmless, and cheaper than moving the alarm for every row. */
  want(at: number): void {
    const now = Date.now()
    const wish = Math.min(at, this.#at === undefined ? this.#earliest() : at)
    if (this.#at !== undefined && this.#at !== null && this.#at > now && this.#at <= wish) return
    // Local workerd: an alarm in the past set from within an alarm never fires.
    this.#at = Math.min(Math.max(wish, now + 1), now + FARTHEST_MS)
    void this.#storage.setAlarm(this.#at)
  }

  /** Call this after `deleteAll`, which also deletes the alarm. */
  forget(): void {
    this.#at = null
    this.#failed.clear()
  }

  /** The object's `alarm()`. Never throws, because the platform retries a failed alarm six times and then drops it. */
  async ring(): Promise<void> {
    this.#at = null
    await Promise.all(this.#users.map((user) => this.#wake(user)))
    const next = this.#earliest()
    if (next < Number.POSITIVE_INFINITY) this.want(next)
  }

  async #wake(user: DueWork): Promise<void> {
    try {
      const now = Date.now()
      if (this.#dueAt(user) > now) return
      await inTime(user.work(now), LONGEST_MS, tooLong)
      this.#failed.delete(user.name)
    } catch (e) {
      const tries = (this.#failed.get(user.name)?.tries ?? 0) + 1
      this.#failed.set(user.name, { tries, until: Date.now() + backoff(FIRST_TRY_MS, tries - 1, SLOWEST_TRY_MS) })
      logError("tenant.alarm", { user: user.name, tries, error: e instanceof Error ? e.name : "Error", message: messageOf(e) })
    }
  }

  #earliest(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...this.#users.map((user) => this.#dueAt(user)))
  }

  #dueAt(user: DueWork): number {
    const due = user.due() ?? Number.POSITIVE_INFINITY
    return Math.max(due, this.#failed.get(user.name)?.until ?? 0)
  }
}

function tooLong(): never {
  throw new Error(`took longer than ${LONGEST_MS} ms`)
}
