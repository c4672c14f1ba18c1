// What the parts of a run's object tell the object that holds them. Parts know what is below and beside them; upwards they speak only
// through these few events, so that the object can be made in one order, each field once.

import type { RunEvent } from "../../core/run/event.ts"
import type { Run } from "../../core/run/state.ts"

export interface RunListener {
  /** These events are in the journal. */
  committed(events: readonly RunEvent[], run: Run): void
  /** The run was folded and goes on: what was committed before a sleep may not have been sent. */
  woke(): void
  /** No one waits for this child any more. It may not have begun yet. */
  orphaned(tenant: string, parent: string, child: string): void
  /** Another object has heard what this one owed it. */
  delivered(): void
  /** How long the tenant keeps ended runs, as it says now [H6]. */
  retention(ms: number): void
  /** Everything in this object has to go; `answer`: except the answer kept for an Idempotency-Key [H4]. */
  erase(keep?: "answer"): Promise<void>
}

export class RunEvents implements RunListener {
  #listener: RunListener | undefined

  /** Once, when the object is complete. */
  listen(listener: RunListener): void {
    this.#listener = listener
  }

  committed(events: readonly RunEvent[], run: Run): void {
    this.#to.committed(events, run)
  }

  woke(): void {
    this.#to.woke()
  }

  orphaned(tenant: string, parent: string, child: string): void {
    this.#to.orphaned(tenant, parent, child)
  }

  delivered(): void {
    this.#to.delivered()
  }

  retention(ms: number): void {
    this.#to.retention(ms)
  }

  erase(keep?: "answer"): Promise<void> {
    return this.#to.erase(keep)
  }

  get #to(): RunListener {
    if (!this.#listener) throw new Error("the object of this run is not complete yet")
    return this.#listener
  }
}
