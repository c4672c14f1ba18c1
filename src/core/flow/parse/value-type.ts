// Which JSON type a reference gives when it stands alone [F24]: what a map may go over, what a child's input may be wired with.

import type { Json } from "../../json.ts"
import { agentOf, type Scope } from "../check/check-scope.ts"
import type { InputType, Step } from "../flow.ts"
import { references, type Reference } from "../template.ts"

/** `any`: known only when it runs. */
export type ValueType = InputType | "any"

/** The reference when the template is nothing but one; spaces around it do not count. */
export function onlyReference(text: string, ids: readonly string[]): Reference | undefined {
  const [only, ...more] = references(text, ids)
  return only !== undefined && more.length === 0 && only.raw === text.trim() ? only.ref : undefined
}

export function typeOfReference(scope: Scope, ref: Reference): ValueType {
  switch (ref.root) {
    case "flow.input":
      return scope.flow.inputs[ref.name]?.type ?? "any"
    case "config": {
      const value = Object.hasOwn(scope.flow.config, ref.key) ? scope.flow.config[ref.key] : undefined
      return value === undefined || value === null ? "any" : typeOfJson(value)
    }
    case "result":
      return ref.field === undefined ? "string" : typeOfField(scope, scope.step(ref.step), ref.field)
    case "index":
    // Its text is a number's: an input that wants one reads it as such.
    case "loop":
      return "number"
    case "item":
    case "trigger":
      return "any"
    case "task":
    case "input":
    case "fork":
    case "run":
    case "session":
      return "string"
  }
}

function typeOfField(scope: Scope, step: Step | undefined, field: string): ValueType {
  if (field === "files") return "array"
  if (["status", "summary", "artifacts", "fullOutput"].includes(field)) return "string"
  if (step === undefined) return "any"
  if (step.type === "map") return field === "results" ? "array" : "number"
  return agentOf(scope, step)?.outputs.find((o) => o.name === field)?.type ?? "any"
}

const typeOfJson = (value: Exclude<Json, null>): InputType => {
  if (Array.isArray(value)) return "array"
  return typeof value === "string" ? "string" : typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "object"
}
