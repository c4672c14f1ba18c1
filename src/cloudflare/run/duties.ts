// Sends duties: messages that must reach other objects. Nothing waits for them. Each is sent once per life of the object; a failed one is
// sent again in the next round. Repeats are harmless: after an eviction the object sends again what it may already have sent.

export interface DutyDeps {
  readonly later: (work: Promise<unknown>) => void
  /** A message has arrived. */
  readonly arrived: () => void
  readonly failed: (word: string, error: unknown) => void
}

export class Duties {
  readonly #deps: DutyDeps
  /** Messages that have arrived or are on their way. */
  readonly #done = new Set<string>()
  /** Messages that have not arrived: on their way, or failed. */
  readonly #owed = new Set<symbol>()
  /** The failed ones among them. */
  readonly #failed = new Set<symbol>()
  /** Messages on their way. They never reject. */
  readonly #sending = new Set<Promise<void>>()

  constructor(deps: DutyDeps) {
    this.#deps = deps
  }

  /** Whether any message has not arrived yet. */
  get areOwed(): boolean {
    return this.#owed.size > 0
  }

  /** Begins a round. A message that failed in the last round is owed only if this round sends it again. */
  begin(): void {
    for (const failed of this.#failed) this.#owed.delete(failed)
    this.#failed.clear()
  }

  /** The message under this word is out of date, so it may be sent again. */
  again(word: string): void {
    this.#done.delete(word)
  }

  tell(word: string, work: () => Promise<void>): void {
    if (this.#done.has(word)) return
    this.#done.add(word)
    const owed = Symbol(word)
    this.#owed.add(owed)
    const sent = work().then(
      () => {
        this.#owed.delete(owed)
        this.#deps.arrived()
      },
      (e: unknown) => {
        this.#done.delete(word)
        this.#failed.add(owed)
        this.#deps.failed(word, e)
      },
    )
    this.#sending.add(sent)
    this.#deps.later(sent.finally(() => this.#sending.delete(sent)))
  }

  /** Resolves when each message on its way has arrived or failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending)
  }

  forget(): void {
    this.#done.clear()
    this.#owed.clear()
    this.#failed.clear()
  }
}
