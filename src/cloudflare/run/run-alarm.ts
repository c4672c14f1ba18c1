// RunAlarm: the single alarm of a run's object. Each part that must be woken sets a time; the earliest one counts.

import { WATCHDOG_MS } from "../../engine/run/conduct/next-alarm.ts"

/** A watchdog this much later is as good: setting the alarm again costs a commit here and one in the platform's list of alarms. */
const SLACK_MS = 1_000
/** The platform accepts no alarm after 2189. An alarm that rings early only sets the next one. */
const FARTHEST_MS = 30 * 86_400_000

export class RunAlarm {
  readonly #storage: Pick<DurableObjectStorage, "getAlarm" | "setAlarm" | "deleteAlarm">
  /** Milliseconds; null: no alarm is set; undefined: not read yet. */
  #at: number | null | undefined

  constructor(storage: Pick<DurableObjectStorage, "getAlarm" | "setAlarm" | "deleteAlarm">) {
    this.#storage = storage
  }

  /** Reads the stored alarm once per life of the object. */
  async look(): Promise<void> {
    if (this.#at === undefined) this.#at = await this.#storage.getAlarm()
  }

  /** The alarm rang, or was erased with the storage. */
  gone(): void {
    this.#at = null
  }

  /** Sets the alarm unless an earlier one is set. An alarm that rings too early only sets the next one; that is cheaper than moving it at
   *  every step, which costs a fifth of the throughput. undefined removes no alarm: an ended run keeps its watchdog until all its messages
   *  about the end have arrived. */
  want(at: number | undefined): void {
    if (at === undefined) return
    const isWatch = at >= Date.now() + WATCHDOG_MS - SLACK_MS
    const set = this.#at ?? null
    if (set === null || set <= Date.now() || set > (isWatch ? at + SLACK_MS : at)) this.#set(at)
  }

  /** Sets the alarm so that the object looks after itself: at the latest when the longest time between two checks is over. */
  watch(): void {
    this.want(Date.now() + WATCHDOG_MS)
  }

  /** Sets the alarm to this time, even if an earlier one is set; undefined: to none. */
  move(at: number | undefined): void {
    if (at !== undefined) {
      if (this.#at !== at) this.#set(at)
    } else if (this.#at !== null) {
      this.#at = null
      void this.#storage.deleteAlarm()
    }
  }

  #set(at: number): void {
    const now = Date.now()
    // Local workerd: an alarm in the past set from within an alarm never fires.
    this.#at = Math.min(Math.max(at, now + 1), now + FARTHEST_MS)
    void this.#storage.setAlarm(this.#at)
  }
}
