// [W6] A question that the whole run waits for was said to be one: when it is decided, the run had begun to wait for it. `run.waiting` is what
// notices, callbacks and lists are made of.

import type { RunEvent } from "../../../src/core/run/event.ts"
import type { EventLaw } from "./event-law.ts"

export class Announced implements EventLaw {
  /** Open questions, oldest first. */
  readonly #open = new Set<string>()
  readonly #said = new Set<string>()
  #isWaiting = false

  take(e: RunEvent, say: (fault: string) => void): void {
    switch (e.type) {
      case "run.waiting": {
        this.#isWaiting = e.reason === "interaction"
        const [oldest] = this.#open
        if (this.#isWaiting && oldest === undefined) say("[W6] it waits for a person, and asks nothing")
        if (this.#isWaiting && oldest !== undefined) this.#said.add(oldest)
        return
      }
      case "interaction.asked":
        this.#open.add(e.id)
        return
      case "interaction.answered":
      case "interaction.expired": {
        const [oldest] = this.#open
        if (this.#isWaiting && oldest === e.id && !this.#said.has(e.id)) say(`[W6] the run waited for ${e.id}, and nobody was told of it`)
        this.#open.delete(e.id)
        return
      }
      case "run.resumed":
      case "run.paused":
      case "run.ended":
      case "run.forked":
        this.#isWaiting = false
        return
      default:
    }
  }
}
