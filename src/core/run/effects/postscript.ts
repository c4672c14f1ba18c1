// Defines the postscript of a run [K34]: the only events that may follow `run.ended` in its journal.

import type { RunEvent } from "../event.ts"

/** Tells whether this event may follow the end. Runs that have not ended have such events too. */
export function isPostscript(e: RunEvent): boolean {
  switch (e.type) {
    case "effect.settled":
    case "commit.asked":
    case "undo.asked":
    case "rules.changed":
    case "run.scored":
    case "feedback.given":
      return true
    case "action.begun":
    case "action.lost":
      return e.kind === "effect"
    default:
      return false
  }
}
