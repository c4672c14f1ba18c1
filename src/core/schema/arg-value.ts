// Makes incoming arguments safe to process [G6]: a plain JSON copy within the limits of size and depth, or the reason for a refusal. Size
// and depth are checked while copying, so a value that is too large is never read to its end.

import type { Json, JsonObject } from "../json.ts"
import { isObject, quoted } from "../json.ts"
import { err, ok, type Result } from "../result.ts"
import { utf8Length } from "../text/utf8.ts"

/** A fault in arguments. `path` is a JSON pointer; "" is the whole value. */
export interface ArgError {
  readonly path: string
  readonly message: string
}

export const MAX_ARG_BYTES = 256 * 1024 // limit: bytes of a call's arguments → the call is refused: `invalid_args`
export const MAX_ARG_DEPTH = 64 // limit: levels of a call's arguments → the call is refused: `invalid_args`

/** Names that would reach behind an object instead of into it. A schema may declare an argument `constructor` or `prototype`. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])

/** `declared`: the arguments that the schema declares. */
export function copyArgs(args: unknown, declared: JsonObject = {}): Result<JsonObject, ArgError[]> {
  if (!isObject(args)) return err([{ path: "", message: `the arguments must be one JSON object, not ${kindOf(args)}` }])
  let left = MAX_ARG_BYTES
  let fault: ArgError | undefined

  const copy = (value: unknown, path: string, depth: number): Json => {
    if (fault !== undefined) return null
    if (value === null || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) left -= String(value).length
    // The length a string has as JSON text, escapes and quotes included.
    else if (typeof value === "string") left -= value.length > left ? value.length : utf8Length(quoted(value))
    else if (typeof value !== "object") fault = { path, message: `${kindOf(value)} is not a JSON value` }
    else if (depth > MAX_ARG_DEPTH) fault = { path: "", message: `the arguments are nested deeper than ${MAX_ARG_DEPTH} levels` }
    if (left < 0) fault = { path: "", message: tooLarge }
    if (fault !== undefined) return null
    if (Array.isArray(value)) {
      left -= 1 + Math.max(1, value.length)
      const list: Json[] = []
      for (let i = 0; i < value.length && fault === undefined; i++) list.push(copy(value[i], `${path}/${i}`, depth + 1))
      return list
    }
    if (isObject(value)) return copyObject(value, path, depth)
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null
  }
  const copyObject = (value: Record<string, unknown>, path: string, depth: number): JsonObject => {
    const object: Record<string, Json> = {}
    left -= 1
    for (const key of Object.keys(value)) {
      const at = `${path}/${escapePointer(key)}`
      if (FORBIDDEN_KEYS.has(key) && (depth > 1 || key === "__proto__" || !Object.hasOwn(declared, key)))
        fault = { path: at, message: `the name "${key}" is not allowed` }
      else if (/[\ud800-\udfff]/u.test(key)) fault = { path, message: "a property name is not valid Unicode" }
      if (fault !== undefined) break
      if (value[key] === undefined) continue
      left -= utf8Length(quoted(key)) + 2
      object[key] = copy(value[key], at, depth + 1)
    }
    left -= Object.keys(value).length === 0 ? 1 : 0
    return object
  }

  const object = copyObject(args, "", 1)
  if (fault === undefined && left < 0) fault = { path: "", message: tooLarge }
  return fault === undefined ? ok(object) : err([fault])
}

export const escapePointer = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1")

/** A keyword's value for a message: text unchanged, anything else as JSON. */
export const shown = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing"))

export function kindOf(value: unknown): string {
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  if (typeof value === "object") return "an object"
  return typeof value === "undefined" ? "nothing" : `a ${typeof value}`
}

const tooLarge = `the arguments are larger than ${MAX_ARG_BYTES / 1024} KiB: write long content in several calls`
