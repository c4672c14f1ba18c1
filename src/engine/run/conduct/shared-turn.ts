// Lets the event loop turn once for all effects of a run [N4]. Rehearsed effects finish at once and would starve others; a timer for each
// effect of a fan of a hundred would cost 1.3 ms each in workerd. Runs share no turn: a promise that one object awaits must not be settled
// by another.

import { pause } from "../../../ports/timers.ts"

/** Effects that go on after one turn: about 5 ms of steps. */
const TOGETHER = 16

export class SharedTurn {
  #next: { readonly over: Promise<void>; waiting: number } | undefined

  wait(): Promise<void> {
    if (this.#next === undefined || this.#next.waiting === TOGETHER) {
      const next = { waiting: 0, over: pause(0).then(() => void (this.#next === next && (this.#next = undefined))) }
      this.#next = next
    }
    this.#next.waiting++
    return this.#next.over
  }
}
