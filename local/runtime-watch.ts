// Watches miniflare's messages about its runtime, workerd. miniflare restarts a runtime that dies and gives up silently after the first
// failed start; the launcher would then hold the data folder and the port for nothing. So a runtime that cannot be started, or that dies
// again and again, ends the launcher with an error, and its supervisor restarts it with a delay of its own. One that was told to end is not
// started again.

import { Log, LogLevel } from "./miniflare.ts"

const CRASHED = "The Workers runtime crashed unexpectedly"
const FAILED = "The Workers runtime failed to restart"

/** As many deaths in a row end the launcher. A runtime that has served for a while between two begins anew. */
const MOST_CRASHES = 8
const WHILE_MS = 60_000

export class RuntimeWatch extends Log {
  readonly #lost: (why: string) => void
  readonly #now: () => number
  #crashes: readonly number[] = []
  #ended: (() => void) | undefined

  constructor(lost: (why: string) => void, now: () => number = Date.now) {
    super(LogLevel.WARN)
    this.#lost = lost
    this.#now = now
  }

  /** From now on its end is wanted. `ended` runs before miniflare could start another. */
  expectEnd(ended: () => void): void {
    this.#ended = ended
  }

  override warn(message: string): void {
    const isDeath = message.startsWith(CRASHED)
    if (isDeath && this.#ended) return this.#ended()
    super.warn(message)
    if (!isDeath) return
    const now = this.#now()
    this.#crashes = [...this.#crashes.filter((at) => now - at < WHILE_MS), now]
    if (this.#crashes.length >= MOST_CRASHES) this.#lost(`it died ${this.#crashes.length} times within a minute`)
  }

  override error(error: Error): void {
    super.error(error)
    if (error.message.startsWith(FAILED)) this.#lost("it could not be started again after it had died")
  }
}
