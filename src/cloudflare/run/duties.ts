// Duties: messages that others must hear. Nothing waits for them. Each is sent once in a life of the object, and one that failed is sent
// again in the next round. A repeated message is harmless: another life of the object repeats what this one may have sent.

export interface DutyDeps {
  readonly later: (work: Promise<unknown>) => void
  /** A message has arrived. */
  readonly heard: () => void
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
  readonly #telling = new Set<Promise<void>>()

  constructor(deps: DutyDeps) {
    this.#deps = deps
  }

  /** A message has not arrived yet. */
  get areOwed(): boolean {
    return this.#owed.size > 0
  }

  /** A round begins: a message that failed in the last round is owed only if this round sends it again. */
  begin(): void {
    for (const failed of this.#failed) this.#owed.delete(failed)
    this.#failed.clear()
  }

  /** What was said under this word no longer holds: it may be sent again. */
  again(word: string): void {
    this.#done.delete(word)
  }

  tell(word: string, work: () => Promise<void>): void {
    if (this.#done.has(word)) return
    this.#done.add(word)
    const owed = Symbol(word)
    this.#owed.add(owed)
    const told = work().then(
      () => {
        this.#owed.delete(owed)
        this.#deps.heard()
      },
      (e: unknown) => {
        this.#done.delete(word)
        this.#failed.add(owed)
        this.#deps.failed(word, e)
      },
    )
    this.#telling.add(told)
    this.#deps.later(told.finally(() => this.#telling.delete(told)))
  }

  /** Resolves when each message on its way has arrived or failed. */
  async told(): Promise<void> {
    await Promise.all(this.#telling)
  }

  forget(): void {
    this.#done.clear()
    this.#owed.clear()
    this.#failed.clear()
  }
}
