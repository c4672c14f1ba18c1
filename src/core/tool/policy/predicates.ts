// Lists the predicates that a dynamic approval may name [Q4]: tests on a call that a condition over its arguments cannot express. An
// unknown name is an error when the rule is saved [C11].

import type { JsonObject } from "../../json.ts"
import { goingOut, writes } from "../reach.ts"
import type { ToolSpec } from "../tool-spec.ts"

export interface Predicate {
  readonly about: string
  /** True: a person is asked. May throw; the guard then refuses the call [G10]. */
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
