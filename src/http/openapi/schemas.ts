// Converts zod schemas to `components.schemas` of the document, with descriptions for fields whose schemas have none.

import { z } from "zod"
import { EXAMPLES, FIELDS, SHAPES } from "../../api/doc/api.doc.ts"
import type { ShapeName } from "../../api/route.ts"
import { pageOf, type FieldTexts } from "../../api/doc/shape.doc.ts"
import { isObject, type Json, type JsonObject } from "../../core/json.ts"

export const ROOT = "#/components/schemas/"

/** A shape by its name, or the schema of a body. */
export type Shape = ShapeName | z.ZodType

const NAMES: ReadonlyMap<z.ZodType, string> = new Map(Object.entries(SHAPES).map(([name, schema]) => [schema, name]))

/** The name of a shape in the document: a page of `Hook` is a `HookPage`. */
export function nameOf(shape: Shape): string {
  if (typeof shape === "string") return shape === "object" ? "JsonObject" : shape.replace(/\[\]$/, "Page")
  const name = NAMES.get(shape)
  if (name === undefined) throw new Error("a body of the API has no name: add it to the shapes of its .doc.ts file")
  return name
}

/** The schema of a shape; undefined for bytes. */
export function schemaNamed(name: ShapeName): z.ZodType | undefined {
  if (name === "bytes") return undefined
  if (name === "text") return z.string()
  if (name === "json") return z.json()
  const row = name.endsWith("[]") ? name.slice(0, -2) : name === "object" ? "JsonObject" : name
  const found = SHAPES[row]
  if (found === undefined) throw new Error(`the API declares the shape "${name}", and no .doc.ts file has it`)
  return name.endsWith("[]") ? pageOf(found) : found
}

/** Every named shape, and the pages among those that are used. */
export function schemasOf(used: ReadonlySet<ShapeName>): JsonObject {
  const registry = z.registry<{ id: string }>()
  for (const [name, schema] of Object.entries(SHAPES)) registry.add(schema, { id: name })
  for (const name of used) {
    const schema = name.endsWith("[]") ? schemaNamed(name) : undefined
    if (schema !== undefined) registry.add(schema, { id: nameOf(name) })
  }
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => ROOT + id, io: "input", unrepresentable: "any", override: mark })
  return Object.fromEntries(
    Object.entries(schemas)
      .filter(([name]) => name !== "__shared")
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, schema]) => [name, withExample(name, plain(schema))]),
  )
}

const withExample = (name: string, schema: JsonObject): JsonObject => {
  const example = EXAMPLES[name] as Json | undefined
  return example === undefined ? schema : { ...schema, examples: [example] }
}

const MARK = "x-fields"

/** `z.json()` becomes `{}`, because its own recursive schema adds nothing. Descriptions are added when the schema is complete. */
function mark({ zodSchema, jsonSchema }: { readonly zodSchema: z.core.$ZodType; readonly jsonSchema: Record<string, unknown> }): void {
  if (zodSchema._zod.def.type === "lazy") for (const key of Object.keys(jsonSchema)) if (key !== "description") delete jsonSchema[key]
  const texts = FIELDS.get(zodSchema)
  if (texts !== undefined) jsonSchema[MARK] = texts
}

const DROPPED: ReadonlySet<string> = new Set(["$schema", "$id", "$defs", MARK])

/** Removes keywords that OpenAPI replaces and references to `z.json()`, and adds the descriptions of fields. */
function plain(schema: unknown): JsonObject {
  const clean = (value: unknown): Json => {
    if (Array.isArray(value)) return value.map(clean)
    if (!isObject(value)) return value as Json
    const { $ref: ref, ...rest } = value
    const isAny = typeof ref === "string" && (ref.includes("__shared") || ref.startsWith("#/$defs/"))
    const made: JsonObject = Object.fromEntries(
      Object.entries(isAny ? rest : value).flatMap(([key, child]) =>
        DROPPED.has(key) ? [] : ([[key, clean(child)]] satisfies [string, Json][]),
      ),
    )
    const texts = value[MARK]
    return isObject(texts) ? described(made, texts as FieldTexts) : made
  }
  const made = clean(schema)
  return isObject(made) ? made : {}
}

/** The fields of an object, of a list's items, of a record's values, of each alternative. */
function described(schema: JsonObject, texts: FieldTexts): JsonObject {
  const made: Record<string, Json> = { ...schema }
  const { properties, items, additionalProperties } = schema
  if (isObject(properties))
    made["properties"] = Object.fromEntries(
      Object.entries(properties).map(([name, child]) => [name, isObject(child) ? fieldOf(child, texts[name]) : child]),
    )
  if (isObject(items)) made["items"] = described(items, texts)
  if (isObject(additionalProperties)) made["additionalProperties"] = described(additionalProperties, texts)
  for (const key of ["anyOf", "oneOf", "allOf"]) {
    const all = schema[key]
    if (Array.isArray(all)) made[key] = all.map((one) => (isObject(one) ? described(one, texts) : one))
  }
  return made
}

function fieldOf(schema: JsonObject, text: FieldTexts[string] | undefined): JsonObject {
  if (text === undefined) return schema
  if (typeof text === "string") return { ...schema, description: text }
  return { ...described(schema, text[1]), description: text[0] }
}
