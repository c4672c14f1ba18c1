// Turns the routes of src/api into operations: the path in the document's form, media types, and all problem codes [H10].

import { API } from "../../api/api.ts"
import type { ProblemCode } from "../../api/route/problem.ts"
import type { Shape as NameOfShape } from "../../api/doc/api.doc.ts"
import type { Content, RouteDoc, Routes, ShapeName } from "../../api/route/route.ts"
import { defined } from "../../core/defined.ts"
import type { Shape } from "./schemas.ts"

/** A route with its operation's id and its path in the document's form. */
export interface Operation extends RouteDoc {
  readonly id: string
  /** With `{name}` for parameters. */
  readonly template: string
}

/** `/v1/runs/:run/files/:path{.+}` → `/v1/runs/{run}/files/{path}`; `:task{[^/]+:cancel}` → `{task}:cancel`; `:call{message:send}` →
 *  `message:send`. */
const templated = (path: string): string =>
  path.replace(/:(\w+)(?:\{([^}]*)\})?/g, (_, name: string, own = "") =>
    /^[a-z]+:[a-z]+$/.test(own) ? own : `{${name}}${/^\[\^\/\]\+(:[a-z]+)$/.exec(own)?.[1] ?? ""}`,
  )

/** The compiler refuses a route that names a shape which no .doc.ts file has. */
const DECLARED: Routes<NameOfShape> = API

export const OPERATIONS: readonly Operation[] = Object.entries(DECLARED).map(([id, route]) => ({
  ...route,
  id,
  template: templated(route.path),
}))

export const takesKey = ({ method, scope, noKey, ownRepeats }: RouteDoc): boolean =>
  method === "POST" && scope !== "open" && noKey !== true && ownRepeats !== true

/** The media types of a request's body, each with its shape. */
export const bodyOf = ({ body, media }: RouteDoc): Readonly<Record<string, Shape>> => ({
  ...defined({ "application/json": body }),
  ...media,
})

/** The media types of an answer, each with the name of its shape. */
export const mediaOf = (content: Content | undefined): Readonly<Record<string, ShapeName>> =>
  content === undefined ? {} : typeof content === "string" ? { "application/json": content } : content

/** The distinct problem codes of the operation. */
export function codesOf(operation: Operation): readonly ProblemCode[] {
  const { template, scope, headers, problems, anyQuery } = operation
  const body = Object.keys(bodyOf(operation))
  const hasJson = body.some((type) => /json/.test(type))
  const hasText = body.some((type) => /^(text\/|application\/yaml)/.test(type))
  const isOpen = scope === "open"
  const hasParameters = headers !== undefined || anyQuery !== true
  const isKeyed = takesKey(operation)
  const all: ProblemCode[] = [
    ...(hasJson ? (["malformed_json"] as const) : []),
    ...(hasText ? (["malformed_text"] as const) : []),
    ...(body.length > 0 ? (["incomplete_body", "too_large"] as const) : []),
    ...(isOpen ? [] : (["unauthorized", "forbidden"] as const)),
    ...(!isOpen && template.includes("{") ? (["not_found"] as const) : []),
    ...(isKeyed ? (["idempotency_busy", "idempotency_mismatch"] as const) : []),
    ...(body.length > 0 ? (["unsupported_media_type"] as const) : []),
    ...(body.length > 0 || hasParameters || isKeyed ? (["invalid"] as const) : []),
    ...(headers !== undefined && "if-match" in headers ? (["unsupported"] as const) : []),
    ...(problems ?? []),
    ...(template.startsWith("/v1/runs/{") ? (["not_begun"] as const) : []),
    "internal",
    "disk_full",
    "not_ready",
    "vault_changed",
    "other_format",
  ]
  return [...new Set(all)]
}
