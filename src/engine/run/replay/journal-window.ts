// Provides a window over a replayed journal: it contains the events of one decision, from which a signal is read.

import type { RunEvent } from "../../../core/run/event.ts"

/** Events with seq > after, ascending, at most `limit`. */
export type JournalSource = (after: number, limit: number) => readonly RunEvent[]

const AT_ONCE = 500

export class JournalWindow {
  readonly #source: JournalSource
  readonly #last: number
  #events: readonly RunEvent[] = []
  /** Where the events asked for begin in the window. */
  at = 0

  constructor(source: JournalSource, last: number) {
    this.#source = source
    this.#last = last
  }

  /** The window, with the events after this one from `at` on: at least to the end of the decision that begins there, which has one time. */
  from(after: number): readonly RunEvent[] {
    this.at = after - this.#before()
    while (!this.#isWhole()) {
      const read = this.#events.at(-1)?.seq ?? after
      const page = read < this.#last ? this.#source(read, Math.min(AT_ONCE, this.#last - read)) : []
      if (page.length === 0) break
      this.#events = [...this.#events.slice(this.at), ...page]
      this.at = 0
    }
    return this.#events
  }

  /** The last seq before the window. */
  #before(): number {
    return (this.#events[0]?.seq ?? 1) - 1
  }

  #isWhole(): boolean {
    const first = this.#events[this.at]
    return first !== undefined && this.#events.at(-1)?.at !== first.at
  }
}
