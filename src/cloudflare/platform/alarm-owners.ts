// AlarmOwners: derives the single alarm of an object from the times of its owners: the parts that wait for a time or have work to do. The
// rule [J12]: at the end of every turn, if any owner has a time, an alarm is set, at the latest for the earliest of them. An owner sets and
// removes only its own time, so no part of an object can remove the alarm of another. A time is set (`want`), or computed from rows or
// memory on demand (`share`).

/** A far time may ring so much later: setting the alarm again costs a commit here and one in the platform's list of alarms. */
const SLACK_MS = 1_000
const AHEAD_MS = 9_000
/** The platform's clock may be so much ahead of this isolate's, and rings by its own. */
const SKEW_MS = 5_000
/** The platform accepts no alarm after 2189. An alarm that rings early only sets the next one. */
const FARTHEST_MS = 30 * 86_400_000 // limit: milliseconds to the next alarm → it rings then, and is set again

/** The alarm that the object found set when it woke: nobody remembers whose it is, so it stays until it rings. */
const EARLIER_LIFE = "before the object restarted"

type AlarmStorage = Pick<DurableObjectStorage, "setAlarm"> & Partial<Pick<DurableObjectStorage, "getAlarm" | "deleteAlarm">>

export class AlarmOwners<Owner extends string = string> {
  readonly #storage: AlarmStorage
  /** Owners that said their time. */
  readonly #said = new Map<Owner | typeof EARLIER_LIFE, number>()
  /** Owners whose time follows from something else. */
  readonly #shared = new Map<Owner, () => number | undefined>()
  /** When the alarm rings (ms); null: none is set; undefined: not known since the object woke. */
  #at: number | null | undefined
  /** Milliseconds that the platform rang before the time that was set, the last time: a time that is set again for the same owner would have
   *  passed there already, and ring at once, hundreds of times. */
  #early = 0

  constructor(storage: AlarmStorage) {
    this.#storage = storage
  }

  /** An owner whose time is asked for at the end of each turn. Must be cheap. A time that has passed is due now. undefined: it waits for nothing. */
  share(owner: Owner, due: () => number | undefined): void {
    this.#shared.set(owner, due)
  }

  /** Reads the stored alarm once per life of the object. An object whose times all follow from rows need not do it. */
  async look(): Promise<void> {
    if (this.#at !== undefined) return
    const at = (await this.#storage.getAlarm?.()) ?? null
    if (this.#at !== undefined) return
    this.#at = at
    if (at !== null) this.#said.set(EARLIER_LIFE, at)
  }

  /** From now on the owner waits for this time; undefined: for none. The alarm is set in the same turn, unless it is set early enough: an
   *  early alarm is harmless, and cheaper than moving it for every change. */
  want(owner: Owner, at: number | undefined): void {
    if (at === undefined) return this.drop(owner)
    this.#said.set(owner, at)
    // An alarm that is not known, not set or overdue is everybody's: this owner must not put its own later time in its place.
    const isAhead = typeof this.#at === "number" && this.#at > Date.now()
    this.#keep(isAhead ? at : Math.min(at, this.#earliest()))
  }

  /** The owner waits no more. An alarm that was set for it may ring in vain. */
  drop(owner: Owner): void {
    this.#said.delete(owner)
  }

  /** First in the object's `alarm()`: no alarm is set any more. An owner whose time has come says it again if it still waits. */
  rang(): void {
    const now = Date.now()
    const early = typeof this.#at === "number" ? this.#at - now : 0
    this.#early = early > 0 && early <= SKEW_MS ? early : 0
    this.#at = null
    this.#said.delete(EARLIER_LIFE)
    for (const [owner, at] of this.#said) if (at <= now) this.#said.delete(owner)
  }

  /** The end of a turn: sets the alarm if the earliest time needs it. Moves it never to a later time. */
  settle(): void {
    const next = this.#earliest()
    if (this.#at !== undefined && next < Number.POSITIVE_INFINITY) this.#keep(next)
  }

  /** Moves the alarm to the earliest time, also to a later one; removes it if nobody waits. For an object that has nothing to do for long. */
  rest(): void {
    const next = this.#earliest()
    if (next < Number.POSITIVE_INFINITY) {
      if (this.#at !== reachable(next + this.#early)) this.#set(next)
    } else if (this.#at !== null) {
      this.#at = null
      void this.#storage.deleteAlarm?.()
    }
  }

  /** The storage is deleted, and the alarm with it. */
  forget(): void {
    this.#at = null
    this.#said.clear()
  }

  /** Whether an alarm is set, as far as this object knows. */
  get isSet(): boolean {
    return this.#at !== null
  }

  /** The earliest time of all; undefined: nobody waits. */
  get next(): number | undefined {
    const next = this.#earliest()
    return next === Number.POSITIVE_INFINITY ? undefined : next
  }

  /** An owner whose time no alarm keeps: the law is broken. undefined: it holds, as far as this object knows. */
  get unkept(): string | undefined {
    const at = this.#at
    if (at === undefined) return undefined
    const latest = (due: number): number => Math.max(due, Date.now() + 1) + SLACK_MS + this.#early
    for (const [owner, due] of this.#times()) if (at === null || at > latest(due)) return owner
    return undefined
  }

  *#times(): Generator<readonly [string, number]> {
    yield* this.#said
    for (const [owner, of] of this.#shared) {
      const due = of()
      if (due !== undefined) yield [owner, due]
    }
  }

  #earliest(): number {
    let least = Number.POSITIVE_INFINITY
    for (const [, due] of this.#times()) least = Math.min(least, due)
    return least
  }

  #keep(due: number): void {
    const now = Date.now()
    const slack = due >= now + AHEAD_MS ? SLACK_MS : 0
    const isKept = typeof this.#at === "number" && this.#at > now && this.#at <= due + slack + this.#early
    if (!isKept) this.#set(due)
  }

  #set(due: number): void {
    this.#at = reachable(due + this.#early)
    void this.#storage.setAlarm(this.#at)
  }
}

/** Local workerd: an alarm in the past set from within an alarm never fires. */
function reachable(due: number): number {
  const now = Date.now()
  return Math.min(Math.max(due, now + 1), now + FARTHEST_MS)
}
