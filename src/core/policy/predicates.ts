// The predicates that a dynamic approval may name [Q4]: questions about a call that a condition over its arguments cannot ask.
// A name that is not here is an error when it is written [C11].

import type { JsonObject } from "../json.ts"
import { goingOut, writes } from "../tool/reach.ts"
import type { ToolSpec } from "../tool/tool-spec.ts"

export interface Predicate {
  readonly about: string
  /** True asks. May throw: then the guard refuses the call [G10]. */
  readonly holds: (tool: ToolSpec, args: JsonObject) => boolean
}

export const PREDICATES: ReadonlyMap<string, Predicate> = new Map<string, Predicate>([
  ["writes", { about: "the call changes something, or sends anything but GET and HEAD", holds: writes }],
  ["leaves_run", { about: "the call leaves the run, whatever it does there", holds: (tool, args) => goingOut(tool, args) !== undefined }],
  [
    "writes_outside",
    { about: "the call leaves the run and may change something there", holds: (tool, args) => goingOut(tool, args)?.writes === true },
  ],
])
