// Resolves the references of a JSON Schema: pointers, anchors, and ids within the schema. Nothing is fetched.

import { isObject, type Json, type JsonSchema } from "../json.ts"
import { short } from "../text/pointer.ts"
import { holdingOf, withSchemas } from "./schema-keyword.ts"

export interface ReferenceIndex {
  /** The schema that the `$ref` of `from` names; throws when there is none. `from` is a part of the indexed schema itself, not a copy. */
  target(from: JsonSchema): Json
}

/** `root` must not change afterwards. The first reference that is followed builds the index. */
export function referenceIndex(root: JsonSchema): ReferenceIndex {
  const targets = new Map<JsonSchema, Json>()
  let places: Places | undefined
  return {
    target(from) {
      const known = targets.get(from)
      if (known !== undefined) return known
      const found = find((places ??= placesOf(root)), from)
      if (!isObject(found) && typeof found !== "boolean")
        throw new Error(`a $ref leads to ${short(JSON.stringify(from["$ref"]))}, where no schema is`)
      targets.set(from, found)
      return found
    },
  }
}

/** The base of a schema without `$id`. */
const BASE = "schema:///"

interface Places {
  /** Resources by URL, anchors by URL with fragment. */
  readonly byUrl: Map<string, JsonSchema>
  /** Of each part with a `$ref`, the URL that it is relative to. */
  readonly bases: Map<JsonSchema, string>
}

function placesOf(root: JsonSchema): Places {
  const places: Places = { byUrl: new Map([[BASE, root]]), bases: new Map() }
  note(places, root, BASE, true)
  return places
}

/** `isSchema` is false below an unknown keyword: a pointer may lead there, but an `$id` means nothing. */
function note(places: Places, part: Json, outer: string, isSchema: boolean): void {
  if (Array.isArray(part)) for (const item of part) note(places, item, outer, isSchema)
  if (!isObject(part)) return
  const base = isSchema ? identified(places, part, outer) : outer
  if (part["$ref"] !== undefined) places.bases.set(part, base)
  for (const [key, value] of Object.entries(part)) {
    const holding = isSchema ? holdingOf(key) : undefined
    if (holding)
      withSchemas(value, holding, (inner) => {
        note(places, inner, base, true)
        return inner
      })
    else if (typeof value === "object") note(places, value, base, false)
  }
}

/** Notes the id and the anchors of a schema, and returns the base of what is in it. */
function identified({ byUrl }: Places, schema: JsonSchema, outer: string): string {
  const { $id } = schema
  const base = (typeof $id === "string" ? split($id, outer)?.resource : undefined) ?? outer
  if (typeof $id === "string") {
    const other = byUrl.get(base)
    if (other !== undefined && other !== schema && base !== BASE) throw new Error(`two parts of the schema have the $id ${short($id)}`)
    byUrl.set(base, schema)
  }
  for (const anchor of [schema["$anchor"], schema["$dynamicAnchor"]]) if (typeof anchor === "string") byUrl.set(`${base}#${anchor}`, schema)
  return base
}

function find({ byUrl, bases }: Places, from: JsonSchema): Json | undefined {
  const { $ref } = from
  if (typeof $ref !== "string") throw new Error("a $ref must be a text")
  const at = split($ref, bases.get(from) ?? BASE)
  if (!at) return undefined
  const resource = byUrl.get(at.resource)
  if (at.fragment === "") return resource
  if (at.fragment.startsWith("/")) return resource && atPointer(resource, at.fragment)
  return byUrl.get(`${at.resource}#${at.fragment}`)
}

function split(reference: string, base: string): { readonly resource: string; readonly fragment: string } | undefined {
  if (!URL.canParse(reference, base)) return undefined
  const url = new URL(reference, base)
  const fragment = decoded(url.hash.slice(1))
  url.hash = ""
  return { resource: url.href, fragment }
}

/** The value at a JSON Pointer. */
export function atPointer(root: JsonSchema, pointer: string): Json | undefined {
  let at: Json | undefined = root
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~")
    if (Array.isArray(at)) at = at[Number(key)]
    else at = isObject(at) && Object.hasOwn(at, key) ? (at[key] as Json) : undefined
  }
  return at
}

/** Percent signs that encode nothing are left as they are. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
