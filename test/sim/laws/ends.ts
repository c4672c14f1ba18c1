// [S7], [F34], [H5] A run begins once and ends once. Nothing but its postscript [K34] follows the end, and nothing begins while it is paused.

import type { RunEvent } from "../../../src/core/run/event.ts"
import type { EventLaw } from "./event-law.ts"

const BEGINS: ReadonlySet<string> = new Set([
  "action.begun",
  "step.opened",
  "step.reopened",
  "tool.called",
  "run.waiting",
  "steer.delivered",
])
const AFTER: ReadonlySet<string> = new Set([
  "effect.settled",
  "commit.asked",
  "undo.asked",
  "rules.changed",
  // [V11, V19] What is said of it.
  "run.scored",
  "feedback.given",
])

const isPostscript = (e: RunEvent): boolean =>
  AFTER.has(e.type) || ((e.type === "action.begun" || e.type === "action.lost") && e.kind === "effect")

export class Ends implements EventLaw {
  #hasBegun = false
  #end: number | undefined
  #isPaused = false

  take(e: RunEvent, say: (fault: string) => void): void {
    if (this.#hasBegun === (e.type === "run.started")) say(`[J14] a journal begins with one start`)
    this.#hasBegun = true
    if (e.type === "run.forked") {
      this.#end = undefined
      this.#isPaused = false
    }
    if (this.#end !== undefined && !isPostscript(e)) say(`[S7] it follows the end of the run, event ${this.#end}`)
    if (this.#isPaused && BEGINS.has(e.type)) say("[H5] it begins while the run is paused")
    if (e.type === "run.paused" || e.type === "run.resumed") this.#isPaused = e.type === "run.paused"
    if (e.type === "run.ended") this.#end = e.seq
  }
}
