// Writes types of TypeScript: of an input or output of a flow, and of a tool's arguments by their JSON Schema. Pure.

import { isObject, type Json, type JsonSchema } from "../../src/core/json.ts"

/** Names that every file of declarations has. */
export const JSON_TYPE = "Json"

const BY_NAME: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
  array: `readonly ${JSON_TYPE}[]`,
  object: `{ readonly [key: string]: ${JSON_TYPE} }`,
}

/** `^(low|high)$` names every value that it allows. */
export function typeNamed(type: string, pattern?: string): string {
  const values = type === "string" ? /^\^\(?(?:\?:)?([A-Za-z0-9_ -]+(?:\|[A-Za-z0-9_ -]+)*)\)?\$$/.exec(pattern ?? "")?.[1] : undefined
  // Without the brackets, ^ and $ belong to the first and the last value alone.
  if (values !== undefined && (pattern?.startsWith("^(") === true || !values.includes("|"))) return unionOf(values.split("|"))
  return BY_NAME[type] ?? JSON_TYPE
}

export const unionOf = (values: readonly Json[]): string => values.map((value) => JSON.stringify(value)).join(" | ")

export const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

export interface Member {
  readonly name: string
  readonly type: string
  readonly isOptional: boolean
  readonly about?: string | undefined
}

/** An object of these members, on lines of its own. */
export function objectOf(members: readonly Member[], indent: string): string {
  if (members.length === 0) return "Record<never, never>"
  const lines = members.flatMap(({ name, type, isOptional, about }) => [
    ...(about === undefined ? [] : [`${indent}  /** ${about.replaceAll("*/", "*\\/").replaceAll(/\s+/g, " ").trim()} */`]),
    `${indent}  readonly ${keyOf(name)}${isOptional ? "?" : ""}: ${type}`,
  ])
  return `{\n${lines.join("\n")}\n${indent}}`
}

const MOST_LEVELS = 12

/** What the schema allows, or more: whatever it says in words that types do not have is left out. */
export function typeOfSchema(schema: Json | undefined, indent: string, level = 0): string {
  if (!isObject(schema) || level > MOST_LEVELS) return JSON_TYPE
  const { enum: values, const: only, type, anyOf, oneOf, allOf } = schema
  if (only !== undefined && !isObject(only) && !Array.isArray(only)) return unionOf([only])
  if (Array.isArray(values) && values.length > 0 && values.every((one) => !isObject(one) && !Array.isArray(one))) return unionOf(values)
  for (const some of [anyOf, oneOf])
    if (Array.isArray(some)) return some.map((one) => bracketed(typeOfSchema(one, indent, level + 1))).join(" | ")
  if (Array.isArray(allOf)) return allOf.map((one) => bracketed(typeOfSchema(one, indent, level + 1))).join(" & ")
  if (Array.isArray(type)) return type.map((one) => bracketed(typeOfSchema({ ...schema, type: one }, indent, level + 1))).join(" | ")
  if (type === "array") return `readonly ${bracketed(typeOfSchema(schema["items"], indent, level + 1))}[]`
  if (type === "object" || isObject(schema["properties"])) return objectType(schema, indent, level)
  return typeof type === "string" ? (BY_NAME[type] ?? JSON_TYPE) : JSON_TYPE
}

function objectType(schema: JsonSchema, indent: string, level: number): string {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  const members = Object.entries(properties).map(([name, one]): Member => {
    const about = isObject(one) && typeof one["description"] === "string" ? one["description"] : undefined
    return { name, type: typeOfSchema(one, `${indent}  `, level + 1), isOptional: !required.includes(name), about }
  })
  if (members.length === 0) return schema["additionalProperties"] === false ? "Record<never, never>" : (BY_NAME["object"] ?? JSON_TYPE)
  return objectOf(members, indent)
}

const bracketed = (type: string): string => (/[|&]|^readonly /.test(type) && !type.startsWith("{") ? `(${type})` : type)
