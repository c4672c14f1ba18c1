// Lists the keywords of JSON Schema 2020-12 that contain a schema, a list of schemas, or schemas by name. Every walk over schemas uses this table.

import { isObject, type Json } from "../json.ts"

export type KeywordHolding = "one" | "list" | "named"

const all = (holding: KeywordHolding, keywords: string): [string, KeywordHolding][] =>
  keywords.split(" ").map((keyword) => [keyword, holding])

const HOLDINGS: ReadonlyMap<string, KeywordHolding> = new Map([
  ...all("one", "items additionalProperties unevaluatedItems unevaluatedProperties propertyNames contains not if then else"),
  ...all("list", "allOf anyOf oneOf prefixItems"),
  ...all("named", "properties patternProperties $defs definitions dependentSchemas"),
])

export const holdingOf = (keyword: string): KeywordHolding | undefined => HOLDINGS.get(keyword)

/** The value of such a keyword with each of its schemas transformed. */
export function withSchemas(value: Json, holding: KeywordHolding, change: (schema: Json) => Json): Json {
  if (holding === "list" && Array.isArray(value)) return value.map(change)
  if (holding !== "named") return change(value)
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, change(part)])) : value
}
