// The postscript of a run [K34]: what its journal says after `run.ended`. Nothing else may follow the end.

import type { RunEvent } from "../event.ts"

/** May this event stand after the end? A run that goes on has such events too. */
export function isPostscript(e: RunEvent): boolean {
  switch (e.type) {
    case "effect.settled":
    case "commit.asked":
    case "undo.asked":
    case "rules.changed":
      return true
    case "action.begun":
    case "action.lost":
      return e.kind === "effect"
    default:
      return false
  }
}
