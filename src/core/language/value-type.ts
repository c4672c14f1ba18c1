// Finds the JSON type of a template that is a single reference [F24]: for the list of a map and the inputs of a child.

import type { Json } from "../json.ts"
import type { InputType, Step } from "../flow/flow.ts"
import type { TemplateReference } from "../flow/template.ts"
import { KINDS } from "../steps/kinds.ts"
import type { CheckScope, ValueType } from "../flow/check/check-scope.ts"

export function typeOfReference(scope: CheckScope, ref: TemplateReference): ValueType {
  switch (ref.root) {
    case "flow.input":
      return (Object.hasOwn(scope.flow.inputs, ref.name) ? scope.flow.inputs[ref.name]?.type : undefined) ?? "any"
    case "config": {
      const value = Object.hasOwn(scope.flow.config, ref.key) ? scope.flow.config[ref.key] : undefined
      return value === undefined || value === null ? "any" : typeOfJson(value)
    }
    case "result":
      if (ref.path) return "any"
      return ref.field === undefined ? "string" : typeOfField(scope, scope.step(ref.step), ref.field)
    // Both are text, but an input of type number reads them as a number.
    case "index":
    case "loop":
      return "number"
    case "item":
    case "trigger":
      return "any"
    case "until":
      return ref.field === "reason" ? "string" : "number"
    case "task":
    case "input":
    case "fork":
    case "run":
    case "session":
    case "conversation":
    case "thread":
      return "string"
  }
}

function typeOfField(scope: CheckScope, step: Step | undefined, field: string): ValueType {
  if (field === "files") return "array"
  if (["status", "summary", "artifacts", "fullOutput"].includes(field)) return "string"
  if (step === undefined) return "any"
  return KINDS[step.type].outputs(step, scope)?.find((o) => o.name === field)?.type ?? "any"
}

const typeOfJson = (value: Exclude<Json, null>): InputType => {
  if (Array.isArray(value)) return "array"
  return typeof value === "string" ? "string" : typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "object"
}
