// Duties: words that others must hear. Nothing waits for them; each is begun once in a life of the object, and what failed is begun anew
// in the next round. Twice is harmless: another life of the object says again what this one may have said.

export interface DutyDeps {
  readonly later: (work: Promise<unknown>) => void
  /** A word was heard. */
  readonly heard: () => void
  readonly failed: (word: string, error: unknown) => void
}

export class Duties {
  readonly #deps: DutyDeps
  /** Those that others have heard of, or are hearing. */
  readonly #done = new Set<string>()
  /** Those that were begun and have not been done: under way, or failed. */
  readonly #owed = new Set<symbol>()
  /** Those of them that failed. */
  readonly #failed = new Set<symbol>()
  /** Those that are being done. They never reject. */
  readonly #telling = new Set<Promise<void>>()

  constructor(deps: DutyDeps) {
    this.#deps = deps
  }

  /** Is anybody still to hear something? */
  get areOwed(): boolean {
    return this.#owed.size > 0
  }

  /** A round begins: what failed in the last one is no longer owed but by being said again. */
  begin(): void {
    for (const failed of this.#failed) this.#owed.delete(failed)
    this.#failed.clear()
  }

  /** What was heard is not what holds now. */
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

  /** When all that is being said has been said, or has failed. */
  async told(): Promise<void> {
    await Promise.all(this.#telling)
  }

  forget(): void {
    this.#done.clear()
    this.#owed.clear()
    this.#failed.clear()
  }
}
