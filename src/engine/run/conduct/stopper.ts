// Ends one effect. An AbortController and its listeners are objects of the platform, and an effect that stays in the run's object never
// asks for its signal, so the signal is created at first use.

import type { Stop } from "../../../ports/model.ts"
import { SharedTurn } from "./shared-turn.ts"

export class Stopper implements Stop {
  #controller: AbortController | undefined
  #isAborted = false
  readonly #turns: SharedTurn

  /** `turns`: those of the effect's run. */
  constructor(turns = new SharedTurn()) {
    this.#turns = turns
  }

  turn(): Promise<void> {
    return this.#turns.wait()
  }

  get aborted(): boolean {
    return this.#isAborted
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#isAborted) this.#controller.abort()
    }
    return this.#controller.signal
  }

  abort(): void {
    this.#isAborted = true
    this.#controller?.abort()
  }
}
