// Describes the content of a request or an answer as OpenAPI objects: headers, media types, schemas by name, examples.

import type { JsonObject, Json } from "../../core/json.ts"
import { EXAMPLES, TEXT_EXAMPLES } from "../../api/doc/api.doc.ts"
import type { RouteAnswer } from "../../api/route/route.ts"
import { defined } from "../../core/defined.ts"
import { nameOf, ROOT, type Shape } from "./schemas.ts"
import { mediaOf } from "./operations.ts"

export function answerObject({ description, headers = [], body }: RouteAnswer, method: string): JsonObject {
  const names = ["x-request-id", ...headers, ...(method === "POST" ? ["idempotent-replayed"] : [])]
  return {
    description,
    headers: headersOf(names),
    ...(body === undefined ? {} : { content: contentObject(mediaOf(body)) }),
  }
}

export const headersOf = (names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

export const contentObject = (media: Readonly<Record<string, Shape>>): JsonObject =>
  Object.fromEntries(
    Object.entries(media).map(([type, shape]) => {
      const example = exampleOf(type, shape)
      return [type, { ...schemaOf(shape), ...defined({ example }) }]
    }),
  )

function schemaOf(shape: Shape): JsonObject {
  if (shape === "bytes") return {}
  if (shape === "text") return { schema: { type: "string" } }
  if (shape === "json") return { schema: {} }
  return { schema: { $ref: ROOT + nameOf(shape) } }
}

/** undefined for bytes, which have no example. */
export function exampleOf(type: string, shape: Shape): Json | undefined {
  if (shape === "bytes") return undefined
  if (shape === "text") return TEXT_EXAMPLES[type]
  if (shape === "json") return { approved: true }
  if (typeof shape === "string" && shape.endsWith("[]")) return { data: [EXAMPLES[shape.slice(0, -2)] as Json], next_cursor: null }
  const name = shape === "object" ? "JsonObject" : typeof shape === "string" ? shape : nameOf(shape)
  return EXAMPLES[name] as Json | undefined
}
