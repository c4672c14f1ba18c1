// Checks the arguments of a tool step against the tool's schema [F26], at every depth. What the file says must fit as it stands: nothing is
// turned into another type, as a model's slips are. What is filled in at run time is judged then; here only its type is, where the file has it.

import type { Placed, CheckScope, ValueType } from "../flow/check/check-scope.ts"
import type { ToolStep } from "../flow/flow.ts"
import { onlyReference, references } from "../flow/template.ts"
import { isObject, type Json, type JsonSchema } from "../json.ts"
import { nearest } from "../text/nearest.ts"
import { pointerStep } from "../text/pointer.ts"
import { valueFaults } from "../schema/strict-value.ts"
import { validateArgs } from "../schema/validate-args.ts"
import { textsIn } from "./arguments.ts"

interface Fault {
  readonly path: readonly (string | number)[]
  /** Where it stands: at the value, or at its key. */
  readonly of: "key" | "value"
  readonly message: string
  readonly suggestion: string
}

export function checkGivenArguments({ tool, args }: ToolStep, schema: JsonSchema, placed: Placed, scope: CheckScope): void {
  const { report } = scope
  if (!isObject(schema["properties"])) return
  for (const fault of objectFaults({ root: schema, scope }, schema, args, [])) {
    const path = ["args", ...fault.path]
    const at = fault.of === "key" ? placed.keyAt(...path) : placed.valueAt(...path)
    const message = `${placed.where}: ${tool}${fault.message}`
    // A stored flow whose call works keeps working; the same fault in a file that is written is an error.
    if (fitsWhenRead(schema, fault.path[0], args, scope)) report.warn("FV-TOOL-ARGS", at, message, fault.suggestion)
    else report.error("FV-TOOL-ARGS", at, message, fault.suggestion)
  }
}

/** Whether the call takes the argument all the same, because it is read as a model's is. */
function fitsWhenRead(
  schema: JsonSchema,
  name: string | number | undefined,
  args: Readonly<Record<string, Json>>,
  scope: CheckScope,
): boolean {
  const value = typeof name === "string" && Object.hasOwn(args, name) ? args[name] : undefined
  if (typeof name !== "string" || value === undefined || !isObject(schema["properties"]) || !Object.hasOwn(schema["properties"], name))
    return false
  if (isFilled(value, scope)) return typeof value !== "string"
  return validateArgs({ ...schema, required: [] }, { [name]: value }).ok
}

interface Ground {
  /** The tool's schema, which has the definitions that its parts name. */
  readonly root: JsonSchema
  readonly scope: CheckScope
}

const isFilled = (value: Json, { ids }: CheckScope): boolean => textsIn(value).some(({ text }) => references(text, ids).length > 0)

function objectFaults(ground: Ground, schema: JsonSchema, value: Readonly<Record<string, Json>>, path: Fault["path"]): readonly Fault[] {
  const { required, additionalProperties } = schema
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const names = Object.keys(properties)
  const where = path.length === 0 ? "" : ` in ${path.join(".")}`
  const strange = Object.keys(value).filter((name) => !Object.hasOwn(properties, name))
  return [
    ...(Array.isArray(required) ? required : []).flatMap((name): Fault[] =>
      typeof name !== "string" || Object.hasOwn(value, name)
        ? []
        : [{ path, of: "key", message: ` needs the argument "${name}"${where}`, suggestion: lineFor(name, strange, path) }],
    ),
    ...Object.entries(value).flatMap(([name, member]): readonly Fault[] => {
      const property = Object.hasOwn(properties, name) ? (properties[name] as Json) : additionalProperties
      const here = [...path, name]
      if (isObject(property)) return partFaults(ground, property as JsonSchema, member, here)
      if (property !== false) return []
      const suggestion = ground.scope.report.hint(name, names) ?? "remove it"
      return [{ path: here, of: "key", message: ` takes no argument "${name}"${where}`, suggestion }]
    }),
  ]
}

/** `strange`: the given names that the tool does not know. */
function lineFor(name: string, strange: readonly string[], path: Fault["path"]): string {
  const near = nearest(name, strange)
  const [last = "args"] = path.slice(-1)
  if (near !== undefined) return `${name} instead of ${near}`
  return typeof last === "number" ? `{ ${name}: … }` : `${last}: { ${name}: … }`
}

function partFaults(ground: Ground, part: JsonSchema, value: Json, path: Fault["path"]): readonly Fault[] {
  if (!isFilled(value, ground.scope)) {
    const inside = membersFaults(ground, part, value, path)
    return inside.length > 0 ? inside : literalFaults(ground, part, value, path)
  }
  const { scope } = ground
  const wanted = part["type"]
  if (typeof value === "string") {
    const only = onlyReference(value, scope.ids)
    const is = only === undefined ? "any" : scope.typeOf(only)
    return is === "any" || typeof wanted !== "string" || !clashes(is, wanted) ? [] : [typeFault(part, wanted, { value, path, is })]
  }
  const is = Array.isArray(value) ? "array" : "object"
  if (typeof wanted === "string" && wanted !== is) return wanted === "string" ? [] : [typeFault(part, wanted, { value, path, is })]
  return membersFaults(ground, part, value, path)
}

/** Each at its own place. */
function membersFaults(ground: Ground, part: JsonSchema, value: Json, path: Fault["path"]): readonly Fault[] {
  if (Array.isArray(value)) {
    const { items } = part
    return isObject(items) ? value.flatMap((item, i) => partFaults(ground, items as JsonSchema, item, [...path, i])) : []
  }
  return isObject(value) ? objectFaults(ground, part, value as Readonly<Record<string, Json>>, path) : []
}

function literalFaults({ root }: Ground, part: JsonSchema, value: Json, path: Fault["path"]): readonly Fault[] {
  const { $defs, definitions } = root
  const alone = { ...($defs === undefined ? {} : { $defs }), ...(definitions === undefined ? {} : { definitions }), ...part }
  const faults = valueFaults(alone, value)
  if (faults.length === 0) return []
  const start = path.map((name) => pointerStep(String(name))).join("")
  const message = faults.map((fault) => `${start}${fault.path}: ${fault.message}`).join("; ")
  return [{ path, of: "value", message: `, ${message}`, suggestion: `${path.at(-1)}: ${exampleOf(part, value)}` }]
}

interface Misfit extends Pick<Fault, "path"> {
  readonly value: Json
  readonly is: ValueType
}

const typeFault = (part: JsonSchema, wanted: string, { value, path, is }: Misfit): Fault => ({
  path,
  of: "value",
  message: `, ${path.map((name) => pointerStep(String(name))).join("")}: must be of type ${wanted}, and ${shortly(value)} is of type ${is}`,
  suggestion: `${path.at(-1)}: ${exampleOf(part)}`,
})

const shortly = (value: Json): string => (typeof value === "string" ? JSON.stringify(value) : "what is here")

/** The value itself, where only its quotes are wrong. */
function exampleOf({ enum: words, type }: JsonSchema, value?: Json): string {
  if (Array.isArray(words) && words.length > 0) return JSON.stringify(words[0])
  if (type === "string" && (typeof value === "number" || typeof value === "boolean")) return JSON.stringify(String(value))
  if ((type === "number" || type === "integer") && typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)))
    return String(Number(value))
  return (typeof type === "string" && EXAMPLES[type]) || "…"
}

const EXAMPLES: Readonly<Record<string, string>> = {
  string: "some text",
  number: "3",
  integer: "3",
  boolean: "true",
  array: "[first, second]",
  object: "{ key: value }",
}

/** Text is read as a number or a boolean where one is wanted, and anything is text where text is. */
const clashes = (is: ValueType, wanted: string): boolean =>
  wanted !== "string" && is !== wanted && [is, wanted].some((type) => type === "array" || type === "object")
