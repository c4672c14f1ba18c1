// Folds a journal up to any of its events [K5], each event under the plan that applied at the time.

import { apply } from "../apply.ts"
import type { RunEvent } from "../event.ts"
import type { Plan } from "../plan.ts"
import { newRun, type Run } from "../state.ts"
import { replan } from "./replan.ts"

/** A plan and the event from which it applies, up to the next era. The first era begins at event 1. */
export interface Era {
  readonly from: number
  readonly plan: Plan
}

export class Fold {
  readonly #eras: readonly Era[]
  run: Run

  /** Eras in order, at least one. */
  constructor(eras: readonly [Era, ...Era[]]) {
    this.#eras = eras
    this.run = newRun(eras[0].plan)
  }

  take(e: RunEvent): void {
    const era = this.#eras.find(({ from }) => from === e.seq)
    if (era) this.run = replan(this.run, era.plan)
    this.run = apply(this.run, e)
  }
}
