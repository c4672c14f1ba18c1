// Defines a keyword of JSON Schema for the walk in `judge.ts`: a rule over one part of a schema and one part of a value.

import { defined } from "../defined.ts"
import { isObject, type Json, type JsonObject, type JsonSchema } from "../json.ts"
import { small, spend, type Measure } from "./measure.ts"
import type { ReferenceIndex } from "./reference-index.ts"
import type { Finding } from "./sentence.ts"

/** The names of an object and indexes of a list that a keyword has checked. */
export type JudgedParts = Set<string | number>

/** A part of the value, and the path to it. */
export interface Spot {
  readonly references: ReferenceIndex
  readonly on: Measure
  /** The schema has an `unevaluated…` somewhere, so what was judged is noted. */
  readonly tracks: boolean
  readonly value: Json
  /** JSON Pointer into the value. */
  readonly path: string
  readonly depth: number
  /** undefined: only whether it fits is asked, and the first fault decides. */
  readonly faults: Finding[] | undefined
}

export interface Case extends Spot {
  readonly schema: JsonSchema
  readonly seen: JudgedParts | undefined
}

/** Tells whether the value fits. `said`: the keyword's value in the schema. */
export type Rule = (c: Case, said: Json) => boolean

export type JsonKind = "string" | "number" | "boolean" | "null" | "object" | "array"

export function kindOf(value: Json): JsonKind {
  if (value === null) return "null"
  if (typeof value === "string") return "string"
  if (typeof value === "number") return "number"
  if (typeof value === "boolean") return "boolean"
  return Array.isArray(value) ? "array" : "object"
}

export const fail = (at: Spot, tell: () => string, inside?: readonly Finding[]): false =>
  note(at, { path: at.path, tell, ...defined({ inside }) })

export function note(at: Spot, finding: Finding): false {
  if (at.faults) {
    spend(at.on)
    at.faults.push(finding)
  }
  return false
}

export function listIn(said: Json): readonly Json[] {
  if (!Array.isArray(said)) throw new Error("a keyword of the schema must be a list")
  return said
}

export function namedIn(said: Json): JsonObject {
  if (!isObject(said)) throw new Error("a keyword of the schema must be an object")
  return said
}

export function numberIn(said: Json): number {
  if (typeof said !== "number") throw new Error("a limit in the schema must be a number")
  return said
}

/** The property names of an object. */
export function namesOf({ value, on }: Case): readonly string[] {
  const names = isObject(value) ? Object.keys(value) : []
  spend(on, small(names.length))
  return names
}

/** Caches a value for each schema, which must not change. */
export function bySchema<T>(make: (schema: JsonSchema) => T): (schema: JsonSchema) => T {
  const made = new WeakMap<JsonSchema, T>()
  return (schema) => {
    const known = made.get(schema)
    if (known !== undefined) return known
    const fresh = make(schema)
    made.set(schema, fresh)
    return fresh
  }
}
