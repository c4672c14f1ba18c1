// Times how long a complete reply waits for what may follow: a report of usage, the end of the connection.

import { GRACE_MS } from "./stream-marks.ts"

export class Grace {
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Resolves when nothing came in time; absent: the reply is not whole yet. */
  over: Promise<undefined> | undefined

  /** From now on; what came last may be followed. */
  begin(): void {
    this.end()
    this.over = new Promise((resolve) => (this.#timer = setTimeout(() => resolve(undefined), GRACE_MS)))
  }

  end(): void {
    clearTimeout(this.#timer)
    this.over = undefined
  }
}
