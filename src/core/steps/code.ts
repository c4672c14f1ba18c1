// code: runs a handler in a sandbox [F24].

import type { CodeStep } from "../flow/flow.ts"
import { checkHandler, GRACE_MS, HANDLER_FIELDS, handlerWishes, openHandler, readHandler } from "./handler.ts"
import type { StepKind } from "./kind.ts"

export const code: StepKind<CodeStep> = {
  fields: HANDLER_FIELDS,
  hints: ["outputs", "target"],
  read: (common, { fields, report }) => ({ ...common, type: "code", ...readHandler(common.id, fields, report) }),
  check: (step, placed, scope) => checkHandler(step, placed, scope, "the step fails"),
  outputs: (step) => step.outputs.map((name) => ({ name })),
  open: openHandler,
  wishes: handlerWishes,
  grace: GRACE_MS,
}
