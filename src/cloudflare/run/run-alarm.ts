// RunAlarm: the one alarm of a run's object. Whoever wants to be woken says when; the earliest stands.

/** The platform takes no alarm after 2189; one that comes early only looks and sets the next. */
const FARTHEST_MS = 30 * 86_400_000

export class RunAlarm {
  readonly #storage: Pick<DurableObjectStorage, "getAlarm" | "setAlarm">
  /** ms; null: none is set; undefined: not asked yet. */
  #at: number | null | undefined

  constructor(storage: Pick<DurableObjectStorage, "getAlarm" | "setAlarm">) {
    this.#storage = storage
  }

  /** What is set is asked for once in a life of the object. */
  async look(): Promise<void> {
    if (this.#at === undefined) this.#at = await this.#storage.getAlarm()
  }

  /** It rang, or was taken away with the rest. */
  gone(): void {
    this.#at = null
  }

  /** At the earliest time asked for. One that comes too early only looks and sets the next: cheaper than moving it at every step, which
   *  costs a fifth of the throughput. Nothing to wait for takes no alarm away: an ended run keeps its watchdog until
   *  everybody has heard of the end. */
  want(at: number | undefined): void {
    if (at === undefined) return
    const set = this.#at ?? null
    if (set === null || set <= Date.now() || set > at) this.#set(at)
  }

  /** At this time and not before, whatever was asked for. */
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
