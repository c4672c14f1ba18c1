// Converts zod schemas to `components.schemas` of the document, with descriptions for fields whose schemas have none.

import { z } from "zod"
import { EXAMPLES, SHAPES } from "../../api/doc/api.doc.ts"
import type { ShapeName } from "../../api/route/route.ts"
import { pageOf } from "../../api/doc/shape.doc.ts"
import type { Json, JsonObject } from "../../core/json.ts"
import { mark, plain } from "./field-texts.ts"

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
