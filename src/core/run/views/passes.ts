// Lists every pass of every step of a run [K17], with its outcome if it has ended. A fold of the journal.

import { defined } from "../../defined.ts"
import type { JsonObject } from "../../json.ts"
import type { FailureSource } from "../event-parts.ts"
import type { RunEvent } from "../event.ts"

export interface Pass {
  readonly step: string
  readonly pass: number
  readonly shown: ShownPass
}
export interface ShownPass {
  readonly status: string
  readonly summary: string
  readonly outputs: JsonObject
  readonly branch?: string
  readonly source?: FailureSource
}

export class Passes {
  readonly #passes = new Map<string, Pass>()

  take(e: RunEvent): void {
    if (e.type === "step.opened") this.#put(e.step, e.pass, { status: "running", summary: "", outputs: {} })
    else if (e.type === "step.skipped") this.#put(e.step, e.pass, { status: "skipped", summary: "", outputs: {} })
    else if (e.type === "step.finished") {
      const { status, summary, outputs, branch, source } = e
      const more = defined({ branch, source })
      this.#put(e.step, e.pass, { status, summary, outputs, ...more })
    }
  }

  /** In the order in which they were first seen. */
  get all(): readonly Pass[] {
    return [...this.#passes.values()]
  }

  #put(step: string, pass: number, shown: ShownPass): void {
    this.#passes.set(`${step}/${pass}`, { step, pass, shown })
  }
}
