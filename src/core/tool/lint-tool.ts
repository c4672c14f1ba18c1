// Finds weaknesses in a valid tool that make models use it badly [A6, A19]. A registration returns them as warnings and still succeeds.

import { isObject } from "../json.ts"
import { pointerStep } from "../text/pointer.ts"
import type { ToolSpec } from "./tool-spec.ts"

export interface ToolWarning {
  readonly code: "missing-description" | "naming" | "enum-as-const"
  /** JSON Pointer into the tool's definition. */
  readonly pointer: string
  readonly message: string
}

const MAX_WARNINGS = 50 // limit: warnings told of a tool → further ones are not told
const MAX_DEPTH = 20 // limit: levels of a schema that are looked at for warnings → deeper levels are not looked at

export function lintTool(spec: Pick<ToolSpec, "name" | "description" | "parameters">): readonly ToolWarning[] {
  const warnings: ToolWarning[] = []
  if (!/^[a-z0-9]+(?:[_.:/-][a-z0-9]+)*$/.test(spec.name))
    warnings.push({
      code: "naming",
      pointer: "/name",
      message: `${JSON.stringify(spec.name)} is not snake_case; start the name of a service's tool with the service, such as linear_search`,
    })
  if (spec.description.trim() === "")
    warnings.push({
      code: "missing-description",
      pointer: "/description",
      message: "say what the tool does: models choose tools by their description",
    })
  look(spec.parameters, "/parameters", 0, warnings)
  return warnings.slice(0, MAX_WARNINGS)
}

function look(schema: unknown, pointer: string, depth: number, warnings: ToolWarning[]): void {
  if (!isObject(schema) || depth > MAX_DEPTH) return
  const { properties, items, anyOf, oneOf } = schema
  if (isObject(properties))
    for (const [name, property] of Object.entries(properties)) {
      const at = `${pointer}/properties${pointerStep(name)}`
      if (!isObject(property) || typeof property["description"] !== "string" || property["description"].trim() === "")
        warnings.push({ code: "missing-description", pointer: at, message: `say what ${name} is: models fill it in by its description` })
      look(property, at, depth + 1, warnings)
    }
  look(items, `${pointer}/items`, depth + 1, warnings)
  for (const [key, choices] of Object.entries({ anyOf, oneOf })) {
    if (!Array.isArray(choices)) continue
    if (choices.length > 1 && choices.every((choice) => isObject(choice) && typeof choice["const"] === "string"))
      warnings.push({
        code: "enum-as-const",
        pointer: `${pointer}/${key}`,
        message: "write the choices as {type: string, enum: […]}: not every provider accepts constants",
      })
    choices.forEach((choice, i) => look(choice, `${pointer}/${key}/${i}`, depth + 1, warnings))
  }
}
