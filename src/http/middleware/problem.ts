// Sends refusals as RFC 9457 problem documents [H3]; src/api/route/problem.ts has their statuses and titles.
//
// Every 404 is the same document apart from `instance`, no matter what the address names and who owns it [H2].

import type { Diagnostic } from "../../core/diagnostic.ts"
import { PROBLEMS, type ProblemCode } from "../../api/route/problem.ts"
import { defined } from "../../core/defined.ts"
import type { Call } from "./call.ts"

/** A fault of a request. `pointer` is a JSON Pointer into the body, or `?name` for a query parameter. */
export interface Fault {
  readonly pointer: string
  readonly line?: number
  readonly column?: number
  readonly message: string
  readonly suggestion?: string
}

export interface Refusal {
  readonly code: ProblemCode
  readonly detail: string
  readonly errors?: readonly Fault[]
  /** Members of the document beyond RFC 9457, such as `written`. */
  readonly more?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

export const NOT_FOUND: Refusal = { code: "not_found", detail: "There is nothing at this address that this key can see." }

export const UNAUTHORIZED: Refusal = {
  code: "unauthorized",
  detail: "Send `Authorization: Bearer KEY` with a valid key that is not revoked.",
  headers: { "www-authenticate": 'Bearer realm="sluice"' },
}

/** [J12] The refusal of requests to a run whose definitions are lost. */
export const lost = (why: string): Refusal => ({
  code: "definitions_lost",
  detail: `The run is stopped: ${why}. Fix that, then send the request again.`,
})

export const unsupported = (what: string, pointer = ""): Refusal => ({
  code: "unsupported",
  detail: `${what} is not supported.`,
  errors: [{ pointer, message: `${what} is not supported` }],
})

/** Limit: faults in a response; a body of 1 MiB can have a hundred thousand. */
export const MAX_FAULTS = 50 // limit: faults told of a request → further ones are not told

export function invalid(all: readonly Fault[]): Refusal {
  const errors = all.slice(0, MAX_FAULTS)
  const detail = errors.map((e) => (e.pointer === "" ? e.message : `${e.pointer}: ${e.message}`)).join("; ")
  return { code: "invalid", detail: all.length > errors.length ? `${detail}; and more faults` : detail, errors }
}

export const faultOf = (d: Diagnostic, pointer = ""): Fault => ({
  pointer,
  line: d.line,
  ...defined({ column: d.column }),
  message: d.message,
  ...defined({ suggestion: d.suggestion }),
})

export function refuse(c: Call, refusal: Refusal): Response {
  const [status, title] = PROBLEMS[refusal.code]
  const own = c.get("inOwnForm")(c.req.path, refusal)
  if (own) return own
  const document = {
    type: `urn:sluice:problem:${refusal.code}`,
    title,
    status,
    detail: refusal.detail,
    instance: c.req.path,
    code: refusal.code,
    ...defined({ errors: refusal.errors }),
    ...refusal.more,
  }
  return new Response(JSON.stringify(document), { status, headers: { ...refusal.headers, "content-type": "application/problem+json" } })
}
