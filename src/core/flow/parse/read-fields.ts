// Reads a mapping by its field table [F3], the only place for kinds, bounds, defaults and required keys.
//
// Names (of steps, agents, flows, models, and paths) are trimmed, and an empty name counts as absent. Other text is left as is.
// A missing required key is reported, and read as the empty value of its kind.

import type { Branch } from "../flow.ts"
import type { FieldKind, FieldSpec, FieldTable } from "./field-table.ts"
import type { Fields, Item } from "./fields.ts"
import type { JsonObject } from "../../json.ts"
import { parseDuration } from "../../text/duration.ts"
import { MAX_MODELS } from "../model-ref.ts"
import { shown } from "./report.ts"
import { jsonOf } from "./source.ts"

type Name = "step" | "agent" | "flow" | "path" | "model" | "tool"
type Value<K extends FieldKind> = K extends Name | "text" | "template"
  ? string
  : K extends "integer" | "number" | "duration"
    ? number
    : K extends "flag"
      ? boolean
      : K extends "texts" | "steps"
        ? readonly Item[]
        : K extends "templates"
          ? Record<string, string>
          : K extends "arguments"
            ? JsonObject
            : K extends "branches"
              ? Branch[]
              : never

/** Keys that always have a value: required, or with a default. Lists and mappings of templates default to empty ones. */
type Sure<T extends FieldTable> = {
  [K in keyof T]: T[K] extends
    | { readonly required: true }
    | { readonly fallback: unknown }
    | { readonly kind: "texts" | "steps" | "templates" | "arguments" }
    ? K
    : never
}[keyof T]
type Readable<T extends FieldTable> = { [K in keyof T]: Value<T[K]["kind"]> extends never ? never : K }[keyof T]

/** The values of a table's fields, without kinds that have separate readers (`outputs`, `mapping`, …). */
export type FieldValues<T extends FieldTable> = { [K in keyof T & Sure<T> & Readable<T>]: Value<T[K]["kind"]> } & {
  [K in Exclude<Readable<T>, Sure<T>>]?: Value<T[K]["kind"]>
}

export function readFields<const T extends FieldTable>(fields: Fields, table: T): FieldValues<T> {
  const entries = Object.entries(table).flatMap(([key, spec]) => {
    const value = read(fields, key, spec)
    return value === undefined ? [] : [[key, value] as const]
  })
  // The compiler cannot follow the table key by key; `read` gives each kind the type in `Value`.
  return Object.fromEntries(entries) as FieldValues<T>
}

function read(fields: Fields, key: string, spec: FieldSpec): unknown {
  const { least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER, fallback } = spec
  switch (spec.kind) {
    case "text":
    case "template":
      return spec.required ? fields.required(key, spec.example) : (fields.text(key) ?? fallback)
    case "step":
    case "agent":
    case "flow":
    case "path":
    case "tool":
      return spec.required ? fields.required(key, spec.example).trim() : fields.text(key)?.trim() || fallback
    case "model":
      return modelsOf(fields, key)
    case "integer":
      return integer(fields, key, spec) ?? fallback ?? (spec.required ? least : undefined)
    case "number":
      return fields.number(key, least, most) ?? fallback
    case "flag":
      return fields.flag(key) ?? fallback
    case "duration":
      return fields.duration(key) ?? (fallback === undefined ? undefined : parseDuration(fallback))
    case "texts":
      if (spec.required && fields.node(key) === undefined) missing(fields, key, spec)
      return fields.list(key, false)
    case "steps":
      return fields.list(key, true)
    case "templates":
      return fields.texts(key) ?? {}
    case "arguments": {
      const map = fields.map(key)
      return map === undefined ? {} : jsonOf(map)
    }
    case "branches":
      return branches(fields, key, spec)
    case "outputs":
    case "inputs":
    case "mapping":
    case "approval":
    case "approvals":
    case "any":
    case "list":
      return undefined
  }
}

function modelsOf(fields: Fields, key: string): string | undefined {
  const refs = fields.list(key, true)
  if (refs.length > MAX_MODELS)
    fields.wrong(fields.valueAt(key), `"${key}" names ${refs.length} models, but at most ${MAX_MODELS} may take turns`)
  return refs.length === 0 ? undefined : refs.map(({ text }) => text).join(", ")
}

const missing = (fields: Fields, key: string, spec: FieldSpec): void =>
  fields.wrong(fields.keyAt(key), `"${key}" is missing`, spec.example ?? `${key}: …`)

function integer(fields: Fields, key: string, spec: FieldSpec): number | undefined {
  if (spec.required && !fields.has(key)) missing(fields, key, spec)
  const value = fields.integer(key, spec.least ?? Number.MIN_SAFE_INTEGER)
  if (value === undefined || spec.most === undefined || value <= spec.most) return value
  fields.wrong(fields.valueAt(key), `"${key}" must be at most ${spec.most}, not ${value}`, `${key}: ${spec.most}`, spec.beyond)
  return spec.most
}

/** Label → step id, in the order of the file. */
function branches(fields: Fields, key: string, spec: FieldSpec): Branch[] {
  if (fields.node(key) === undefined) missing(fields, key, spec)
  return (fields.map(key)?.entries ?? []).flatMap((e): Branch[] => {
    if (e.value.kind === "scalar" && e.value.text.trim() !== "") return [{ label: e.key, target: e.value.text.trim() }]
    fields.wrong(e.at, `the branch ${shown(e.key)} must name a single step`, `${e.key}: step-id`)
    return [{ label: e.key, target: "" }]
  })
}
