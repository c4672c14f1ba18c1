// Conducts a run whose definitions are lost: shows it from its journal, says why it is stopped, and ends it on request. Nothing else
// happens to such a run, so that it can continue if its definitions are found again.
//
// It also records a run that cannot start [W8]: such a run begins and fails at once.

import type { FailureSource } from "../../core/run/event-parts.ts"
import type { RunEvent } from "../../core/run/event.ts"
import type { Plan } from "../../core/run/plan.ts"
import type { Refusal, Signal } from "../../core/run/signal.ts"
import { isOver, type Run } from "../../core/run/state.ts"
import { err, type Result } from "../../core/result.ts"
import { Conductor } from "./conductor.ts"
import type { Stage } from "./conduct/stage.ts"

export class StrandedConductor extends Conductor {
  /** Why the run is stopped. */
  readonly why: string
  readonly #source: FailureSource

  constructor(plan: Plan, stage: Stage, why: string, source: FailureSource = "engine") {
    super(plan, stage)
    this.why = why
    this.#source = source
  }

  /** Adds the reason for readers. It is not in the journal, so the run itself does not change. */
  override get run(): Run {
    const run = super.run
    return isOver(run) ? run : { ...run, error: { source: this.#source, message: this.why } }
  }

  override tick(): void {
    // Without its definitions the run cannot decide anything.
  }

  override early(): void {
    // As little as in a tick.
  }

  override tell(signal: Signal): Result<RunEvent[], Refusal> {
    switch (signal.type) {
      case "cancel":
      case "broken":
        return super.tell(signal)
      case "start":
        // A run that waited for room, or cannot start, begins and fails at once.
        if (signal.canceled) return super.tell(signal)
        return super.tell({ type: "start", started: signal.started, cannot: { source: this.#source, message: this.why } })
      case "child.end":
        // The child repeats its report until the run can accept it.
        throw new Error(this.why)
      default:
        return err(isOver(this.run) ? { code: "run_over" } : { code: "definitions_lost", why: this.why })
    }
  }
}
