// Refusals on the wire: RFC 9457 problem documents [H3]. The only file that knows which HTTP status a refusal has.
//
// Every 404 is the same document apart from `instance`, whatever was asked for and whoever owns it [H2].

import type { Diagnostic } from "../../core/diagnostic.ts"
import type { Call } from "./call.ts"

export const KINDS = {
  malformed_json: [400, "The body is not JSON"],
  malformed_text: [400, "The body is not text"],
  incomplete_body: [400, "The body did not arrive whole"],
  unauthorized: [401, "A valid key is needed"],
  unproven: [401, "The delivery does not prove its sender"],
  policy: [403, "The policy does not allow it"],
  approval_required: [403, "A person has to approve it"],
  forbidden: [403, "The key may not do this"],
  link_refused: [403, "The link is not valid"],
  not_found: [404, "Not found"],
  method_not_allowed: [405, "Method not allowed"],
  already_answered: [409, "The interaction is decided"],
  not_running: [409, "The step is not running"],
  run_over: [409, "The run has ended"],
  definitions_lost: [409, "The run's definitions are lost"],
  too_many_signals: [409, "Too many signals wait"],
  too_many_steers: [409, "Too many messages wait"],
  outcome_unknown: [409, "The outcome of the first try is unknown"],
  idempotency_busy: [409, "The first request with this key is not answered yet"],
  architect_working: [409, "The architect is still at work"],
  architect_not_ready: [409, "There is nothing to accept"],
  session_over: [409, "The session is over"],
  too_many_hooks: [409, "The tenant has too many hooks"],
  not_redeliverable: [409, "The delivery cannot be sent again"],
  too_many_sessions: [409, "Too many sessions are open"],
  too_many_keys: [409, "The tenant has too many keys"],
  already_delivered: [409, "The message is delivered"],
  too_many_callbacks: [409, "The tenant has too many callbacks"],
  too_many_schedules: [409, "The tenant has too many schedules"],
  too_many_kinds: [409, "The tenant has too many kinds"],
  taken: [409, "The name is taken"],
  // Of the tenant, not of the request: an Idempotency-Key does not keep it, so that the same start can be tried when there is room.
  storage_full: [409, "The tenant stores as much as it may"],
  catalog_moved: [409, "The catalog changed meanwhile"],
  catalog_lost: [409, "Bodies of the catalog are lost"],
  not_pending: [409, "This is not what waits for approval"],
  stale: [412, "The stored body is another one"],
  too_large: [413, "The body is too large"],
  unsupported_media_type: [415, "Unsupported media type"],
  catalog_full: [422, "The catalog is full"],
  invalid: [422, "The request is not valid"],
  unsupported: [422, "Not supported yet"],
  task_required: [422, "The flow needs a task"],
  invalid_flow: [422, "The flow has errors"],
  unknown_agent: [422, "The flow names an agent that does not exist"],
  no_price: [422, "A model has no price"],
  no_model: [422, "An agent has no model"],
  not_written: [422, "Nothing was written"],
  not_started: [422, "The run could not be started"],
  idempotency_mismatch: [422, "The Idempotency-Key belongs to another request"],
  quota: [429, "The quota is used up"],
  internal: [500, "Internal error"],
  mcp_unreachable: [502, "The MCP server cannot be listed"],
  not_configured: [503, "The instance is not set up for this"],
  not_ready: [503, "The instance is not ready"],
} as const satisfies Record<string, readonly [number, string]>

export type Code = keyof typeof KINDS

/** One thing that is wrong. `pointer` is a JSON Pointer into the body, or `?name` for a query parameter. */
export interface Fault {
  readonly pointer: string
  readonly line?: number
  readonly column?: number
  readonly message: string
  readonly suggestion?: string
}

export interface Refusal {
  readonly code: Code
  readonly detail: string
  readonly errors?: readonly Fault[]
  /** Members of the document beyond RFC 9457, such as the seed's `written`. */
  readonly more?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

export const NOT_FOUND: Refusal = { code: "not_found", detail: "There is nothing at this address that the key can see." }

export const UNAUTHORIZED: Refusal = {
  code: "unauthorized",
  detail: "Send `Authorization: Bearer KEY` with a key that is known and not revoked.",
  headers: { "www-authenticate": 'Bearer realm="sluice"' },
}

/** [J12] What was said to a run that stands still. */
export const lost = (why: string): Refusal => ({
  code: "definitions_lost",
  detail: `The run stands still: ${why}. When that is mended, say it again.`,
})

export const unsupported = (what: string, pointer = ""): Refusal => ({
  code: "unsupported",
  detail: `${what} is not supported yet.`,
  errors: [{ pointer, message: `${what} is not supported yet` }],
})

/** So many faults are told; a body of 1 MiB can have a hundred thousand. */
export const MOST_FAULTS = 50

export function invalid(all: readonly Fault[]): Refusal {
  const errors = all.slice(0, MOST_FAULTS)
  const told = errors.map((e) => (e.pointer === "" ? e.message : `${e.pointer}: ${e.message}`)).join("; ")
  return { code: "invalid", detail: all.length > errors.length ? `${told}; and more` : told, errors }
}

export const faultOf = (d: Diagnostic, pointer = ""): Fault => ({
  pointer,
  line: d.line,
  ...(d.column === undefined ? {} : { column: d.column }),
  message: d.message,
  ...(d.suggestion === undefined ? {} : { suggestion: d.suggestion }),
})

export function refuse(c: Call, refusal: Refusal): Response {
  const [status, title] = KINDS[refusal.code]
  const document = {
    type: `urn:sluice:problem:${refusal.code}`,
    title,
    status,
    detail: refusal.detail,
    instance: c.req.path,
    code: refusal.code,
    ...(refusal.errors === undefined ? {} : { errors: refusal.errors }),
    ...refusal.more,
  }
  return new Response(JSON.stringify(document), { status, headers: { ...refusal.headers, "content-type": "application/problem+json" } })
}
