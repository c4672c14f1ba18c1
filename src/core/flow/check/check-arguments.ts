// Finds approvals that read an argument which their tool does not have [Q4]: such a condition cannot be decided, so every call asks.

import { isObject, type JsonSchema } from "../../json.ts"
import { nearest } from "../../text/nearest.ts"
import { isPattern, sameTool } from "../../tool/policy/tool-names.ts"
import { argumentsOf } from "../../tool/policy/approval-rule.ts"
import type { Agent } from "../agent.ts"
import type { Fields } from "../parse/fields.ts"
import type { Report } from "../parse/report.ts"
import { entryOf } from "../parse/source.ts"
import type { ToolTraits } from "./check-trifecta.ts"

export function checkArguments(
  rules: NonNullable<Agent["tool_approvals"]>,
  fields: Fields,
  traits: Iterable<ToolTraits>,
  report: Report,
): void {
  const map = fields.map("tool_approvals")
  const tools = [...traits]
  for (const [name, rule] of Object.entries(rules)) {
    if (rule === "default" || isPattern(name)) continue
    const schema = tools.find((tool) => sameTool(tool.name, name))?.parameters
    const at = map && entryOf(map, name)?.value.at
    if (schema === undefined || at === undefined) continue
    for (const path of argumentsOf(rule)) {
      const lack = lacking(schema, path)
      if (lack === undefined) continue
      report.warn(
        "AV-RULE",
        at,
        `tool_approvals.${name}: the tool has no argument ${path.join(".")}, so the condition cannot be decided and every call asks`,
        hintOf(schema, path, lack),
      )
    }
  }
}

interface Lack {
  /** The part of the path that exists. */
  readonly found: readonly string[]
  /** The first part that does not. */
  readonly part: string
  /** The names that stand there. */
  readonly known: readonly string[]
}

/** undefined: the path may exist. */
function lacking(schema: JsonSchema, path: readonly string[]): Lack | undefined {
  let here: unknown = schema
  for (const [i, part] of path.entries()) {
    const properties = propertiesOf(here)
    if (properties === undefined) return undefined
    if (!Object.hasOwn(properties, part)) return { found: path.slice(0, i), part, known: Object.keys(properties) }
    here = properties[part]
  }
  return undefined
}

/** undefined: other members are allowed, or it cannot be told. */
function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(schema) || !isObject(schema["properties"])) return undefined
  const isOpen =
    OPEN.some((word) => word in schema) || (schema["additionalProperties"] !== undefined && schema["additionalProperties"] !== false)
  return isOpen ? undefined : schema["properties"]
}
const OPEN = ["$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties"]

function hintOf(schema: JsonSchema, path: readonly string[], { found, part, known }: Lack): string {
  // The parameters of a request's body are one level deeper.
  const below = known.find((name) => found.length === 0 && Object.hasOwn(propertiesOf(propertiesOf(schema)?.[name]) ?? {}, part))
  if (below !== undefined) return `did you mean args.${[below, ...path].join(".")}?`
  const near = nearest(part, known)
  const args = (name: string): string => ["args", ...found, name].join(".")
  return near === undefined ? `known: ${known.map(args).join(", ")}` : `did you mean ${args(near)}?`
}
