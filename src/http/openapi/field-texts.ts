// Adds the descriptions of fields to a JSON Schema that zod made: those of FIELDS, for schemas that carry none themselves.

import type { z } from "zod"
import { FIELDS } from "../../api/doc/api.doc.ts"
import type { FieldTexts } from "../../api/doc/shape.doc.ts"
import { isObject, type Json, type JsonObject } from "../../core/json.ts"

const MARK = "x-fields"

/** `z.json()` becomes `{}`, because its own recursive schema adds nothing. Descriptions are added when the schema is complete. */
export function mark({
  zodSchema,
  jsonSchema,
}: {
  readonly zodSchema: z.core.$ZodType
  readonly jsonSchema: Record<string, unknown>
}): void {
  if (zodSchema._zod.def.type === "lazy") for (const key of Object.keys(jsonSchema)) if (key !== "description") delete jsonSchema[key]
  const texts = FIELDS.get(zodSchema)
  if (texts !== undefined) jsonSchema[MARK] = texts
}

const DROPPED: ReadonlySet<string> = new Set(["$schema", "$id", "$defs", MARK])

/** Removes keywords that OpenAPI replaces and references to `z.json()`, and adds the descriptions of fields. */
export function plain(schema: unknown): JsonObject {
  const clean = (value: unknown): Json => {
    if (Array.isArray(value)) return value.map(clean)
    if (!isObject(value)) return value as Json
    const { $ref: ref, ...rest } = value
    const isAny = typeof ref === "string" && /__shared|^#\/(?:\$defs|definitions)\//.test(ref)
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
