// RunAlarm: the single alarm of a run's object. Each part that must be woken sets a time; the earliest one counts.

/** The platform accepts no alarm after 2189. An alarm that rings early only sets the next one. */
const FARTHEST_MS = 30 * 86_400_000

export class RunAlarm {
  readonly #storage: Pick<DurableObjectStorage, "getAlarm" | "setAlarm">
  /** Milliseconds; null: no alarm is set; undefined: not read yet. */
  #at: number | null | undefined

  constructor(storage: Pick<DurableObjectStorage, "getAlarm" | "setAlarm">) {
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
    const set = this.#at ?? null
    if (set === null || set <= Date.now() || set > at) this.#set(at)
  }

  /** Sets the alarm to this time, even if an earlier one is set. */
  move(at: number): void {
    if (this.#at !== at) this.#set(at)
  }

  #set(at: number): void {
    const now = Date.now()
    // Local workerd: an alarm in the past set from within an alarm never fires.
    this.#at = Math.min(Math.max(at, now + 1), now + FARTHEST_MS)
    void this.#storage.setAlarm(this.#at)
  }
}
