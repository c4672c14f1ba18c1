// Accepts what clients of the protocol send in place of absent values [H12]: null, an empty cursor, a wildcard in `Accept`. Each has only
// one possible meaning.

import { isObject } from "../core/json.ts"

/** Members of `params` that may be left out. */
const OPTIONAL: readonly string[] = ["cursor", "arguments", "_meta"]

export function lenient(message: unknown): unknown {
  if (!isObject(message) || !("params" in message)) return message
  const { params, ...rest } = message
  if (params === null) return rest
  if (!isObject(params) || !OPTIONAL.some((name) => isLeftOut(name, params[name]))) return message
  return { ...rest, params: Object.fromEntries(Object.entries(params).filter(([name, value]) => !isLeftOut(name, value))) }
}

const isLeftOut = (name: string, value: unknown): boolean =>
  OPTIONAL.includes(name) && (value === null || (name === "cursor" && value === ""))

/** Accepts both forms of an answer for a client that accepts everything or sends no `Accept`. */
export function accepting(request: Request): Request {
  const said = request.headers.get("accept")
  if (said !== null && !said.split(",").some((range) => range.split(";")[0]?.trim() === "*/*")) return request
  const headers = new Headers(request.headers)
  headers.set("accept", "application/json, text/event-stream")
  return new Request(request.url, { method: request.method, headers })
}
