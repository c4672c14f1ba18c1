// Extracts the parts of a delivery that its run sees: `trigger.headers`, `trigger.body`, `trigger.query` [W1]. All of it is untrusted text [W4].
//
// Headers that prove the sender or contain a secret are removed [W2].

import type { Json, JsonObject } from "../json.ts"
import { readJson } from "../outside/json-pieces.ts"
import type { Pieces } from "../pieces.ts"
import { proofHeader, type HookSettings } from "./hook.ts"

export interface Payload {
  readonly headers: JsonObject
  readonly body: Json
  readonly query: JsonObject
}

/** Header names that mark a secret, in any provider's convention: `x-shopify-hmac-sha256`, `x-gitlab-token`, `x-api-key`. */
const SECRET_HEADER = /authorization|cookie|signature|hmac|token|secret|password|api-?key/

/** The headers that the run sees, with lowercase names. */
export function headersOf(given: Iterable<readonly [string, string]>, hook: Pick<HookSettings, "kind" | "header">): JsonObject {
  const proof = proofHeader(hook)
  return objectOf(
    [...given].map(([name, value]) => [name.toLowerCase(), value] as const).filter(([name]) => name !== proof && !SECRET_HEADER.test(name)),
  )
}

/** The fields of a query or a form. A repeated name has a list of its values. */
export function fieldsOf(pairs: Iterable<readonly [string, string]>): JsonObject {
  const all = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    const values = all.get(name)
    if (values) values.push(value)
    else all.set(name, [value])
  }
  return objectOf([...all].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values] as const))
}

/** The fields of a form. GitHub and Slack send JSON in the field `payload`; it is parsed. */
export function* formBody(pairs: Iterable<readonly [string, string]>): Pieces<JsonObject> {
  const fields = fieldsOf(pairs)
  const payload = fields["payload"]
  return typeof payload === "string" ? { ...fields, payload: yield* jsonOr(payload) } : fields
}

function* jsonOr(text: string): Pieces<Json> {
  const read = yield* readJson(text)
  return read.ok ? (read.value as Json) : text
}

/** The form of the body; without a content type it is text. */
export function formOf(contentType: string | undefined): "json" | "form" | "text" {
  const type = (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? ""
  if (type === "application/json" || type.endsWith("+json")) return "json"
  return type === "application/x-www-form-urlencoded" ? "form" : "text"
}

/** Drops the key `__proto__`, which could change the prototype of a careless copy. */
const objectOf = (entries: readonly (readonly [string, Json])[]): JsonObject =>
  Object.fromEntries(entries.filter(([key]) => key !== "__proto__"))
