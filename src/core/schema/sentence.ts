// Describes the faults of a value in sentences that a model can act on: what is missing, what is unknown, and what was expected instead.

import { isObject, type Json, type JsonSchema } from "../json.ts"
import { NOT_EXACT, wholeIn } from "../outside/exact-json.ts"
import { nearest } from "../text/nearest.ts"
import { escapePointer, kindOf, shown, type ArgError } from "./arg-value.ts"

/** A fault of a value. Its sentence is built when it is read, because a value may have far more faults than a message lists. */
export interface Finding {
  /** JSON Pointer into the value. */
  readonly path: string
  readonly tell: () => string
  /** Of a choice: why none of its alternatives fits. */
  readonly inside?: readonly Finding[]
}

const MAX_TOLD = 20 // limit: faults told of a call's arguments → further ones are not told
/** Reasons of one choice that are looked at, and those that are told. */
const MAX_REASONS = 100 // limit: reasons of one choice that are looked at → further ones are not told
const MAX_REASONS_TOLD = 4 // limit: reasons told of one choice → further ones are not told

/** Each fault once, in the order found, the first 20 of them. */
export function argErrors(findings: readonly Finding[]): ArgError[] {
  const once = new Map<string, ArgError>()
  for (const [i, { path, tell }] of findings.entries()) {
    if (once.size >= MAX_TOLD) return [...once.values(), { path: "", message: `and ${findings.length - i} more errors` }]
    const message = tell()
    once.set(`${path}\n${message}`, { path, message })
  }
  return [...once.values()]
}

export const leaves = (findings: readonly Finding[]): readonly Finding[] => findings.flatMap((one) => one.inside ?? [one])

export function noneFits(path: string, inside: readonly Finding[]): string {
  const reasons = new Set(inside.slice(0, MAX_REASONS).map((one) => `${one.path.slice(path.length)} ${one.tell()}`.trim()))
  return `fits none of the allowed forms: ${[...reasons].slice(0, MAX_REASONS_TOLD).join("; ")}`
}

export function ofType(types: readonly Json[], got: Json): string {
  const words = types.map((type) => article(shown(type)))
  const either = words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`
  const isLong = wholeIn(got) !== undefined && types.some((type) => type === "integer" || type === "number")
  return `must be ${either}, not ${glimpse(got)}${isLong ? `: ${NOT_EXACT}` : ""}`
}

export const oneOf = (values: readonly Json[], got: Json): string => `must be one of ${list(values)}, not ${glimpse(got)}`

/** A required name that the value does not have. `schema`: the object's. */
export function missing(path: string, schema: JsonSchema, name: string): Finding {
  const properties = schema["properties"]
  const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  return { path: `${path}/${escapePointer(name)}`, tell: () => `"${name}" is missing${wanted(property)}` }
}

function wanted(property: unknown): string {
  if (!isObject(property)) return ""
  if (Array.isArray(property["enum"])) return `: it must be one of ${list(property["enum"])}`
  const type = typeof property["type"] === "string" ? article(property["type"]) : ""
  const about = typeof property["description"] === "string" ? property["description"] : ""
  return type === "" && about === "" ? "" : `: ${[type, about].filter((x) => x !== "").join(", ")}`
}

/** A name that the schema does not allow. `schema`: the object's. */
export function unknown(schema: JsonSchema, name: string): string {
  const known = isObject(schema["properties"]) ? Object.keys(schema["properties"]) : []
  const near = nearest(name, known)
  const hint =
    near !== undefined
      ? `did you mean "${near}"?`
      : known.length > 0
        ? `known: ${known.slice(0, 20).join(", ")}`
        : "no other property is allowed"
  return `"${name.slice(0, 64)}" is not known; ${hint}`
}

const article = (type: string): string => (type === "null" ? "null" : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)

const list = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(", ")

export function glimpse(value: Json): string {
  if (value === null || typeof value === "object") return kindOf(value)
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
