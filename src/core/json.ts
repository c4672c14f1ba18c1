// Defines JSON as a type: the content of a journal row, a tool argument or an output.

export type Json = string | number | boolean | null | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}
/** A JSON Schema (2020-12) document. */
export type JsonSchema = JsonObject

export const isObject = (x: unknown): x is Record<string, unknown> => typeof x === "object" && x !== null && !Array.isArray(x)

/** JSON from outside may nest this deep: deeper values overflow the stack of whatever walks them, `canonical` first. */
// Limit: levels of a call's arguments in a reply, of a handler's value, of a dispatcher's answer → the call is refused, and only the
// start of its arguments is kept; the step or the plan fails.
export const MOST_LEVELS = 64

export function isTooDeep(value: unknown, left: number = MOST_LEVELS): boolean {
  if (typeof value !== "object" || value === null) return false
  if (left === 0) return true
  return Object.values(value).some((v) => isTooDeep(v, left - 1))
}

/** Detects numbers such as `1e400`: valid JSON, but Infinity in memory and null when written again, so the value would change. */
export function isEndless(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value)
  return typeof value === "object" && value !== null && Object.values(value).some(isEndless)
}

/** Texts that JSON writes as they are, and short enough to see so faster than JSON.stringify writes them. */
const PLAIN = /^[ !#-[\]-~]{0,48}$/

/** JSON.stringify of a text, fast for plain texts such as names of members. */
export const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))

/** JSON with sorted keys: equal values give equal text. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((v) => canonical(v ?? null)).join(",")}]`
  if (typeof value === "string") return quoted(value)
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return String(value)
  if (!isObject(value)) return JSON.stringify(value ?? null)
  const cached = unchanged.get(value)
  return cached ? (cached.text ??= sorted(value)) : sorted(value)
}

function sorted(value: Readonly<Record<string, unknown>>): string {
  const keys = Object.keys(value)
    .filter((k) => value[k] !== undefined)
    .sort()
  return `{${keys.map((k) => `${quoted(k)}:${canonical(value[k])}`).join(",")}}`
}

const unchanged = new WeakMap<object, { text: string | undefined }>()

/** Declares that this object never changes, so its canonical text is computed once. */
export function unchanging<T extends object>(value: T): T {
  if (!unchanged.has(value)) unchanged.set(value, { text: undefined })
  return value
}
