// code-decision: runs a handler, which chooses a branch [F25].

import type { CodeDecisionStep } from "../flow/flow.ts"
import type { FieldTable } from "../flow/parse/field-table.ts"
import { readFields } from "../flow/parse/read-fields.ts"
import { BRANCHES, CAP, checkDecision, EXHAUSTED } from "./branches.ts"
import { checkHandler, GRACE_MS, HANDLER_FIELDS, handlerWishes, openHandler, readHandler } from "./handler.ts"
import type { StepKind } from "./kind.ts"

const DECISION_FIELDS = { branches: BRANCHES, max_iterations: CAP, on_exhausted: EXHAUSTED } as const satisfies FieldTable

export const codeDecision: StepKind<CodeDecisionStep> = {
  fields: { ...HANDLER_FIELDS, ...DECISION_FIELDS },
  read(common, { fields, report }) {
    if (common.on_error !== undefined)
      report.error(
        "FV-CODE-ONERROR",
        fields.keyAt("on_error"),
        `${fields.where} is a code-decision: if its handler fails, the run ends, so on_error is never taken`,
        "remove on_error, catch the error in the handler, and give it a branch",
      )
    return {
      ...common,
      type: "code-decision",
      ...readHandler(common.id, fields, report),
      ...readFields(fields, DECISION_FIELDS),
    }
  },
  check(step, placed, scope) {
    checkDecision(step, placed, scope, "code")
    checkHandler(step, placed, scope, "it fails the run")
  },
  outputs: (step) => step.outputs.map((name) => ({ name })),
  open: openHandler,
  wishes: handlerWishes,
  grace: GRACE_MS,
  chooser: () => "code",
}
