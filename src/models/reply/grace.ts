// Limits how long a complete reply waits for a usage report or the end of the connection.

import { GRACE_MS } from "./stream-marks.ts"
import { later } from "../../ports/timers.ts"

export class Grace {
  #cancel: (() => void) | undefined
  /** Resolves when nothing came in time; absent: the reply is not whole yet. */
  over: Promise<undefined> | undefined

  /** From now on; what came last may be followed. */
  begin(): void {
    this.end()
    this.over = new Promise((resolve) => (this.#cancel = later(() => resolve(undefined), GRACE_MS)))
  }

  end(): void {
    this.#cancel?.()
    this.over = undefined
  }
}
