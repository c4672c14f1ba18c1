// Reads a kind of reference [C20]: the schema of its values, their lifetime, and the fields of their glimpse. glimpseOf makes the glimpse,
// once, when a value is created [C21].

import { defined } from "../defined.ts"
import { glimpse } from "../text/glimpse.ts"
import { isObject, type Json, type JsonObject, type JsonSchema } from "../json.ts"
import { pointerStep } from "../text/pointer.ts"
import { err, ok, type Result } from "../result.ts"
import { schemaFault } from "../schema/strict-value.ts"
import { utf8Length } from "../text/utf8.ts"

export interface ReferenceKind {
  readonly name: string
  readonly schema: JsonSchema
  /** How many milliseconds a value can be resolved; absent: without limit. */
  readonly ttl_ms?: number
  /** Which members of a value its glimpse shows, and how many items of a list. Absent: all members and 3 items. */
  readonly glimpse?: { readonly fields?: readonly string[]; readonly max_items?: number }
}

export interface SettingFault {
  readonly pointer: string
  readonly message: string
}

const FIELDS = ["schema", "ttl_ms", "glimpse"]
const MAX_FIELDS = 50 // limit: fields of a glimpse → 422 at `/glimpse/fields`
const MAX_ITEMS = 100 // limit: items of a list in a glimpse → 422 at `/glimpse/max_items`

export const isKindName = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name)

/** Reads the body of PUT /v1/references/KIND. */
export function readReferenceKind(name: string, body: unknown): Result<ReferenceKind, readonly SettingFault[]> {
  if (!isObject(body)) return err([{ pointer: "", message: "must be a JSON object with schema" }])
  const faults: SettingFault[] = []
  for (const key of Object.keys(body))
    if (!FIELDS.includes(key)) faults.push({ pointer: pointerStep(key), message: "is not a field of a kind" })
  const { schema, ttl_ms, glimpse: shown } = body
  const wrong = schema === undefined ? "is required: the JSON Schema of the values" : schemaFault(schema)
  if (wrong !== undefined) faults.push({ pointer: "/schema", message: wrong })
  if (ttl_ms !== undefined && !isCount(ttl_ms, Number.MAX_SAFE_INTEGER))
    faults.push({ pointer: "/ttl_ms", message: "must be a whole number of milliseconds, 0 or more" })
  if (shown !== undefined) for (const fault of glimpseFaults(shown)) faults.push(fault)
  if (faults.length > 0 || !isObject(schema)) return err(faults)
  return ok({
    name,
    schema: schema as JsonSchema,
    ...(typeof ttl_ms === "number" ? { ttl_ms } : {}),
    ...(isObject(shown) ? { glimpse: shown as NonNullable<ReferenceKind["glimpse"]> } : {}),
  })
}

const isCount = (value: unknown, max: number): boolean =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= max

function glimpseFaults(shown: unknown): SettingFault[] {
  if (!isObject(shown)) return [{ pointer: "/glimpse", message: "must be {fields?: [NAME], max_items?}" }]
  const faults: SettingFault[] = []
  const { fields, max_items, ...others } = shown
  for (const key of Object.keys(others)) faults.push({ pointer: `/glimpse${pointerStep(key)}`, message: "is not a field of a glimpse" })
  if (fields !== undefined && !(Array.isArray(fields) && fields.length <= MAX_FIELDS && fields.every((f) => typeof f === "string")))
    faults.push({ pointer: "/glimpse/fields", message: `must be a list of names, at most ${MAX_FIELDS}` })
  if (max_items !== undefined && !isCount(max_items, MAX_ITEMS))
    faults.push({ pointer: "/glimpse/max_items", message: `must be a whole number from 0 to ${MAX_ITEMS}` })
  return faults
}

const MAX_GLIMPSE_BYTES = 4_096 // limit: bytes of a glimpse → the glimpse gives only the value's size and names

/** The glimpse of a value. If it would exceed its limit, it has only the size and the count or the field names. */
export function glimpseOf(kind: Pick<ReferenceKind, "glimpse">, value: Json): JsonObject {
  const { fields, max_items } = kind.glimpse ?? {}
  const seen = fields !== undefined && isObject(value) ? picked(value as JsonObject, fields) : value
  const made = glimpse(seen, defined({ maxItems: max_items }))
  const bytes = utf8Length(JSON.stringify(made))
  if (bytes <= MAX_GLIMPSE_BYTES) return made
  const size = { bytes: utf8Length(JSON.stringify(value)) }
  if (Array.isArray(value)) return { count: value.length, ...size }
  return isObject(value)
    ? {
        fields: Object.keys(value)
          .slice(0, MAX_FIELDS)
          .map((key) => key.slice(0, 64)),
        ...size,
      }
    : size
}

const picked = (value: JsonObject, fields: readonly string[]): JsonObject =>
  Object.fromEntries(fields.flatMap((name): [string, Json][] => (Object.hasOwn(value, name) ? [[name, value[name] ?? null]] : [])))
