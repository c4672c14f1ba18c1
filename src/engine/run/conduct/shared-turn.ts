// The event loop's turn, shared by the effects of one run [N4]. Effects that play from data let others have the thread; a fan of a hundred with a
// timer for each would wait for a hundred of them, 1.3 ms apart in workerd. Runs share none: what one object awaits, another must not settle.

import { pause } from "../../time/deadline.ts"

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
