// RunAlarm: the one alarm of a run's object. Each part that wants to be woken says when; the earliest time counts.

/** The platform accepts no alarm after 2189. An alarm that comes early only looks and sets the next one. */
const FARTHEST_MS = 30 * 86_400_000

export class RunAlarm {
  readonly #storage: Pick<DurableObjectStorage, "getAlarm" | "setAlarm">
  /** ms; null: none is set; undefined: not read yet. */
  #at: number | null | undefined

  constructor(storage: Pick<DurableObjectStorage, "getAlarm" | "setAlarm">) {
    this.#storage = storage
  }

  /** Reads the stored alarm, once in a life of the object. */
  async look(): Promise<void> {
    if (this.#at === undefined) this.#at = await this.#storage.getAlarm()
  }

  /** The alarm rang, or was erased with the rest. */
  gone(): void {
    this.#at = null
  }

  /** Sets the alarm unless an earlier one is set. An alarm that comes too early only looks and sets the next one: cheaper than moving it at
   *  every step, which costs a fifth of the throughput. undefined removes no alarm: an ended run keeps its watchdog until everyone has heard
   *  of the end. */
  want(at: number | undefined): void {
    if (at === undefined) return
    const set = this.#at ?? null
    if (set === null || set <= Date.now() || set > at) this.#set(at)
  }

  /** Sets the alarm to this time, whatever is set. */
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
