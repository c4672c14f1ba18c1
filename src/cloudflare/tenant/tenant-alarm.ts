// TenantAlarm: the one alarm of a tenant's object, shared by all who have something to do later: deliveries whose run is not started
// yet [W3], schedules [W5], callbacks [W6], queued runs [H6].
//
// Nobody's time is kept here: each user tells from its own rows when it wants to be woken, so a time is never lost or kept twice. Who
// writes such a row calls `want` in the same turn: row and alarm are one commit.

import { backoff } from "../../core/backoff.ts"
import { inTime } from "../../engine/time/deadline.ts"
import { logError, messageOf } from "../platform/log.ts"

/** One user. Its rows are the truth: `due` and `work` must hold after an eviction, and `work` may be called too early, or twice. */
export interface DueWork {
  readonly name: string
  /** The earliest of its rows (ms); undefined: nothing is waiting. One indexed read. */
  readonly due: () => number | undefined
  /** Does what is due at `now`, a bounded part of it at a time, and takes those rows away or puts them off. */
  readonly work: (now: number) => Promise<void>
}

/** What fails is tried again after 2 s, 4 s, … this much at most; the others' work goes on. */
const SLOWEST_TRY_MS = 300_000
const FIRST_TRY_MS = 2_000
/** Who takes longer holds nobody up: the alarm goes on, and this user is asked again later; its work holds if it is done twice. */
const LONGEST_MS = 60_000
/** The platform takes no alarm after 2189; one that comes early only looks and sets the next. */
const FARTHEST_MS = 30 * 86_400_000

export class TenantAlarm {
  readonly #storage: Pick<DurableObjectStorage, "setAlarm">
  readonly #users: DueWork[] = []
  /** ms; null: none is set; undefined: not known since this object woke. */
  #at: number | null | undefined
  readonly #failed = new Map<string, { readonly tries: number; readonly until: number }>()

  constructor(storage: Pick<DurableObjectStorage, "setAlarm">) {
    this.#storage = storage
  }

  /** In the constructor of the object. */
  share(user: DueWork): void {
    this.#users.push(user)
  }

  /** An alarm at `at` or before. One that comes early only looks: cheaper than moving it at every row. */
  want(at: number): void {
    const now = Date.now()
    const wish = Math.min(at, this.#at === undefined ? this.#earliest() : at)
    if (this.#at !== undefined && this.#at !== null && this.#at > now && this.#at <= wish) return
    // Local workerd: an alarm in the past set from within an alarm never fires.
    this.#at = Math.min(Math.max(wish, now + 1), now + FARTHEST_MS)
    void this.#storage.setAlarm(this.#at)
  }

  /** After `deleteAll`, which takes the alarm with it. */
  forget(): void {
    this.#at = null
    this.#failed.clear()
  }

  /** The object's `alarm()`. Never throws: a failing alarm would be retried by the platform six times and then forgotten. */
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
