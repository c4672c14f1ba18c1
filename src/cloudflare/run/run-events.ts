// Events from the parts of a run's object to the object itself. Parts know the parts below and beside them, and reach the object only
// through these events, so that its fields can be created in one pass.

import type { RunEvent } from "../../core/run/event.ts"
import type { Run } from "../../core/run/state.ts"

export interface RunListener {
  /** These events are in the journal. */
  committed(events: readonly RunEvent[], run: Run): void
  /** The run was folded and continues. Events committed before an eviction may not have been sent to readers. */
  woke(): void
  /** No one waits for this child any longer. It may not have begun yet. */
  orphaned(tenant: string, parent: string, child: string): void
  /** A message to another object has arrived. */
  delivered(): void
  /** How long the tenant now keeps ended runs [H6]. */
  retention(ms: number): void
  /** Erase everything in this object; `answer`: except the answer stored for an Idempotency-Key [H4]. */
  erase(keep?: "answer"): Promise<void>
}

export class RunEvents implements RunListener {
  #listener: RunListener | undefined

  /** Called once, when the object is complete. */
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
