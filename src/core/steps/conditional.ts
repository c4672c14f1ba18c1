// conditional: chooses a step by whether a value exists [F22].

import type { ConditionalStep } from "../flow/flow.ts"
import type { FieldTable } from "../flow/parse/field-table.ts"
import { readFields } from "../flow/parse/read-fields.ts"
import type { Fact } from "../run/event.ts"
import { stepState, type Run } from "../run/state.ts"
import { lostBytesOf } from "../run/steps/lost-list.ts"
import { resultField } from "../run/steps/scope.ts"
import type { StepKind } from "./kind.ts"

const FIELDS = {
  check: { kind: "text", required: true, about: "STEP or STEP.FIELD; the default field is artifacts" },
  present: { kind: "step", required: true, about: "the step to go to if the value is not empty" },
  absent: { kind: "step", required: true, about: "the step to go to if the value is empty, or its step was skipped" },
} as const satisfies FieldTable

export const conditional: StepKind<ConditionalStep> = {
  fields: FIELDS,
  mark: "check",
  read(common, { fields, ids }) {
    const { check, present, absent } = readFields(fields, FIELDS)
    return { ...common, type: "conditional", check: readCheck(check.trim(), ids), present, absent }
  },
  reads: (step) => ({ key: "check", ...step.check }),
  outputs: () => [],
  open,
  chooser: () => "check",
}

/** Splits `STEP.FIELD` at the last dot, unless the whole text is the id of a step: old ids may contain dots. */
function readCheck(text: string, ids: readonly string[]): ConditionalStep["check"] {
  const dot = text.lastIndexOf(".")
  return dot < 0 || ids.includes(text) ? { step: text, field: "artifacts" } : { step: text.slice(0, dot), field: text.slice(dot + 1) }
}

function open(run: Run, step: ConditionalStep): Fact[] {
  const { pass } = stepState(run, step.id)
  const { check } = step
  // A value is present if its text is not blank.
  const text = resultField(run, check.step, check.field) ?? ""
  const isLost = check.field === "results" && lostBytesOf(run, check.step) !== undefined
  const branch = text.trim() === "" && !isLost ? "absent" : "present"
  return [
    { type: "step.opened", step: step.id, stepType: step.type, pass, tools: [] },
    {
      type: "step.finished",
      step: step.id,
      pass,
      status: "complete",
      summary: `${check.step}.${check.field} is ${branch}`,
      files: [],
      outputs: {},
      branch,
    },
  ]
}
