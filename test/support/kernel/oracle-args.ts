// Arguments for the oracle: a small independent [G6] for the few schemas of oracle-world.ts, and the plain forms of its paths [G7].

import { isObject, type Json, type JsonObject, type JsonSchema } from "../../../src/core/json.ts"

export type Shape = "number" | "address" | "file" | "payment" | "open"

const closed = (properties: JsonObject, required: string[]): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
})
export const SCHEMAS: Readonly<Record<Shape, JsonSchema>> = {
  number: closed({ n: { type: "integer" } }, ["n"]),
  address: closed({ url: { type: "string" }, method: { type: "string" } }, ["url"]),
  file: closed({ path: { type: "string" }, content: { type: "string" } }, ["path"]),
  payment: closed({ amount: { type: "number" }, to: { type: "string" }, urgent: { type: "boolean" } }, ["amount"]),
  open: { type: "object", properties: { q: { type: "string" } } },
}

type Kind = "integer" | "number" | "string" | "boolean"
const FIELDS: Readonly<Record<Shape, Readonly<Record<string, Kind>>>> = {
  number: { n: "integer" },
  address: { url: "string", method: "string" },
  file: { path: "string", content: "string" },
  payment: { amount: "number", to: "string", urgent: "boolean" },
  open: { q: "string" },
}
const OWED: Readonly<Record<Shape, readonly string[]>> = {
  number: ["n"],
  address: ["url"],
  file: ["path"],
  payment: ["amount"],
  open: [],
}
const NEVER = new Set(["__proto__", "constructor", "prototype"])

const shapes = new Map<string, Shape>()
export const shaped = (tool: string, shape: Shape): JsonSchema => {
  shapes.set(tool, shape)
  return SCHEMAS[shape]
}
export const shapeOf = (tool: string): Shape => shapes.get(tool) ?? "open"

/** An object of at most 256 KiB and 64 levels, or undefined. */
export function readArgs(text: string): JsonObject | undefined {
  if (text.trim() === "") return {}
  if (new TextEncoder().encode(text).length > 256 * 1024) return undefined
  try {
    const value: Json = JSON.parse(text)
    return isObject(value) && depth(value as JsonObject) <= 64 ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

const depth = (value: Json): number =>
  Array.isArray(value) || isObject(value) ? 1 + Math.max(0, ...Object.values(value as JsonObject).map((v) => depth(v))) : 0

/** The coerced value, or undefined. */
export function fitArgs(tool: string, args: JsonObject): JsonObject | undefined {
  const shape = shapeOf(tool)
  const fields = FIELDS[shape]
  if (poisoned(args) || !OWED[shape].every((key) => Object.hasOwn(args, key))) return undefined
  const out: JsonObject = {}
  for (const [key, value] of Object.entries(args)) {
    const kind = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (kind === undefined && shape !== "open") return undefined
    const fit = kind === undefined ? value : coerced(kind, value)
    if (fit === undefined) return undefined
    out[key] = fit
  }
  return out
}

function coerced(kind: Kind, value: Json): Json | undefined {
  if (kind === "string") return typeof value === "string" ? value : typeof value === "object" ? undefined : String(value)
  if (kind === "boolean") return typeof value === "boolean" ? value : value === "true" ? true : value === "false" ? false : undefined
  const n = typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
  if (typeof n !== "number" || !Number.isFinite(n)) return undefined
  return kind === "integer" && !Number.isInteger(n) ? undefined : n
}

/** [G6, threat 14] Keys that reach a prototype are refused at every level; a number that JSON cannot hold is invalid. */
function poisoned(value: Json): boolean {
  if (typeof value === "number") return !Number.isFinite(value)
  if (typeof value !== "object" || value === null) return false
  return Object.keys(value).some((k) => NEVER.has(k)) || Object.values(value as JsonObject).some(poisoned)
}

/** Spellings of paths → plain form; undefined: outside the workspace. */
export const PATHS: Readonly<Record<string, string | undefined>> = {
  "docs/a.md": "docs/a.md",
  "./docs//a.md": "docs/a.md",
  "docs/deep/er.md": "docs/deep/er.md",
  "docs/../secret.md": "secret.md",
  "docs/x/../../out/b": "out/b",
  "out/a": "out/a",
  "out/deep/a": "out/deep/a",
  "out/../docs/a.md": "docs/a.md",
  "outside/a": "outside/a",
  out: "out",
  "../etc/passwd": undefined,
  "docs/../../etc": undefined,
  "DOCS/a.md": "DOCS/a.md",
  "\uff44ocs/a.md": "\uff44ocs/a.md",
  "docs\u0000/a": undefined,
}
export const plainPath = (path: string): string | undefined => (Object.hasOwn(PATHS, path) ? PATHS[path] : path)
