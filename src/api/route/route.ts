// Defines how a route of the API is declared. One declaration has the method, path, scope, body, answers and problem codes of an operation:
// the router registers handlers by it, the OpenAPI document is generated from it, and the client infers its types from the same schemas.
//
// `X.ts` is loaded when the Worker starts, so it holds routes and the schemas that handlers parse bodies with, which are built when something
// first reads them (`later`). `X.doc.ts` is loaded for the document only: what the API answers, a description of every property, and examples.

import { z } from "zod"
import type { ErrorForm } from "./error-forms.ts"
import type { ProblemCode } from "./problem.ts"

/** The problems of any start. */
export const UNAFFORDABLE = ["no_price", "no_model", "quota", "storage_full", "key_busy"] as const
/** The problems of a start of this flow. */
export const UNSTARTABLE = ["invalid_flow", "unknown_agent", "unsupported", ...UNAFFORDABLE] as const
/** The headers of the response to a start. */
export const STARTED = ["location", "preference-applied", "ratelimit", "ratelimit-policy"] as const

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** The scopes of keys; no scope implies another [H1]. */
export const SCOPES = ["runs:write", "runs:read", "catalog:write", "catalog:read", "tools:call", "interactions:answer", "admin"] as const
export type Scope = (typeof SCOPES)[number]

/** `open` needs no key; `any` needs a tenant's key with any scope; `instance` needs the admin key of the instance [N5]. */
export type Access = Scope | "instance" | "open" | "any"

export const TAGS = {
  Runs: "Start runs of flows, watch them, steer them.",
  Trust: "Replay and compare runs; signed receipts of them.",
  Interactions: "Questions of runs to people, and their answers.",
  Effects: "Calls of runs that change something outside: their outcomes, and undoing them.",
  Insight: "Usage and failures of runs.",
  Catalog: "The tenant's flows, agents, skills and handlers.",
  Quality: "Scorers, scores, feedback and grades; datasets and experiments: how good runs are.",
  Architect: "Flows and agents written by an agent and accepted by a person.",
  Tools: "Tools called from outside a run, registered tools, MCP servers, references, plans, shared files.",
  Webhooks: "Deliveries from other services that start runs.",
  Callbacks: "Signed messages about runs, sent to your own receivers.",
  Schedules: "Runs that start at set times.",
  Settings: "Model providers, roles, prices, policy, budget, secrets, CORS, retention.",
  Keys: "The tenant's API keys.",
  Tenants: "For the instance's admin key: tenants, their quotas and their keys.",
  Doors: "Flows for clients that speak another protocol.",
  Instance: "Health, and this document.",
} as const
export type Tag = keyof typeof TAGS

/** A query parameter or a request header. `schema` is JSON Schema: parameters are read by hand, so no zod object is built at start. */
export interface Parameter {
  readonly description: string
  readonly schema: Readonly<Record<string, string | number | readonly string[]>>
}
export type Parameters = Readonly<Record<string, Parameter>>

/**
 * A shape of the document by its name; `Name[]` is a page of them [H5]. `text` and `bytes` are bodies without a shape, `json` is any JSON,
 * `object` any JSON object. A name and not a schema: the shapes, with a sentence for each field, are 37 KB (gzip) that no start needs. The
 * compiler knows the names (src/http/openapi/operations.ts).
 */
export type ShapeName<Name extends string = string> = Name | `${Name}[]` | "text" | "bytes" | "json" | "object"
/** A media type and its shape. A name alone means `application/json`. */
export type Content<Name extends string = string> = ShapeName<Name> | Readonly<Record<string, ShapeName<Name>>>

export type AnswerHeader =
  | "location"
  | "etag"
  | "preference-applied"
  | "content-disposition"
  | "content-range"
  | "ratelimit"
  | "ratelimit-policy"
  | "set-cookie"
  | "sluice-erased-within"

export interface RouteAnswer<Name extends string = string> {
  readonly description: string
  /** Absent: the answer has no body. */
  readonly body?: Content<Name>
  readonly headers?: readonly AnswerHeader[]
}

export interface RouteDoc<Name extends string = string> {
  readonly method: Method
  /** With `:name` for a parameter and `:name{.+}` for one that may contain slashes. */
  readonly path: string
  readonly scope: Access
  /** Scopes that it needs besides: what it answers, or does, is more than `scope` opens alone. */
  readonly also?: readonly Scope[]
  readonly tag: Tag
  /** One line. */
  readonly summary: string
  readonly description?: string
  readonly query?: Parameters
  readonly headers?: Parameters
  /** The schema that the handler parses a JSON body with. */
  readonly body?: z.ZodType
  /** Bodies of other media types, or JSON that has its own parser. */
  readonly media?: Readonly<Record<string, ShapeName<Name>>>
  /** Bytes of the body, for routes that take files; otherwise 1 MiB [H3]. */
  readonly bodyLimit?: number
  /** The handler unpacks or refuses a body with a Content-Encoding; of every other route the door refuses it [H3]. */
  readonly readsEncoding?: true
  /** Only a JSON body with this member may be that large. */
  readonly largeWith?: string
  /** The body may be left out. */
  readonly optional?: true
  readonly answers: Readonly<Record<number, RouteAnswer<Name>>>
  /** Problem codes beyond those that every route of this kind can answer. */
  readonly problems?: readonly ProblemCode[]
  /** The route detects repeats by itself, so it takes no Idempotency-Key [H4]. */
  readonly noKey?: true
  /** A repeated message is the same run, answered again from its beginning [P8]: an Idempotency-Key is read by the handler. */
  readonly ownRepeats?: true
  /** The form of its refusals; absent: problem documents [H3]. */
  readonly errors?: ErrorForm
  /** The token of a run opens this route too [H1]: any token the run and its events, a public one also its questions and files. */
  readonly token?: true
  /** Whether a session's cookie opens it [H13]; absent: under /v1/ it does, unless it is a protocol's. */
  readonly session?: boolean
  /** The names of the query are not checked [H3]: a hook's sender chooses them, and mail programs add their own to a link for people. */
  readonly anyQuery?: true
}

/** [H13] Tells whether a session's cookie opens the route. */
export const takesSession = ({ session, path, scope, tag }: RouteDoc): boolean =>
  session ?? (path.startsWith("/v1/") && scope !== "open" && scope !== "instance" && tag !== "Doors")

/** The routes of one resource. A key is the operation's id: unique in the API, and stable once it is published. */
export type Routes<Name extends string = string> = Readonly<Record<string, RouteDoc<Name>>>

/** [H3] Limit: bytes of a body with files, an import or a document → 413 `too_large`. */
export const LARGE_BODY = 10 * 1_048_576

/** The body of requests without content. */
export const NoBody = z.strictObject({})

/** Limit: rows of a page of a list that is read as a whole. */
export const MAX_PAGE = 200 // limit: rows of a page → 422 at `?limit`

/** Characters of a query parameter or a header, unless its route says otherwise. */
const MAX_WORDS = 1_024 // limit: characters of a query parameter or a header → 422 at the parameter
/** Words that the rows of a list are found by. */
export const MAX_SOUGHT = 200 // limit: characters of `q` → 422 at `?q`
/** A cursor holds the path of its list and the name of a row. */
const MAX_CURSOR = 8_192 // limit: characters of a cursor → 422 at `?cursor`
/** Characters of a parameter in a path. The longest is the token of a signed link. */
export const MAX_PATH_PARAMETER = 4_096 // limit: characters of a part of a path → 404
const WORDS = { type: "string", maxLength: MAX_WORDS } as const

export const CURSOR: Parameter = {
  description: "The `next_cursor` of the previous page.",
  schema: { type: "string", maxLength: MAX_CURSOR },
}
export const limitTo = (maximum: number, otherwise: number): Parameter => ({
  description: "The maximum number of rows.",
  schema: { type: "integer", minimum: 1, maximum, default: otherwise },
})
/** The parameters of a list that is read page by page. */
export const PAGES: Parameters = { limit: limitTo(MAX_PAGE, 50), cursor: CURSOR }
/** The parameters of a list that is read as a whole. */
export const PAGE: Parameters = {
  limit: {
    description: "The maximum number of rows; by default all.",
    schema: { type: "integer", minimum: 1, maximum: MAX_PAGE },
  },
  cursor: CURSOR,
}
export const PREFER: Parameter = {
  description: "`wait=N`: the answer may take up to N seconds, at most 90.",
  schema: WORDS,
}
export const REVISION: Parameter = {
  description: "Read the state at this revision of the catalog.",
  schema: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
}
export const IF_MATCH: Parameter = {
  description: "Change it only if this is the ETag of the stored version; `*` matches any stored version.",
  schema: WORDS,
}
export const IF_NONE_MATCH: Parameter = { description: "The ETags of versions that you already have.", schema: WORDS }

export const IF_RANGE: Parameter = {
  description: "The ETag of the file for the range; if the file has changed, all of it is returned.",
  schema: WORDS,
}

export const ZERO_OR_ONE = { type: "string", enum: ["0", "1"] } as const
export const flag = (description: string): Parameter => ({ description, schema: ZERO_OR_ONE })
/** [F76] The parameter `force` of a DELETE. */
export const FORCE: Parameter = flag(
  "1 removes a definition even if it is in use, which is otherwise a 409 with the list of uses. With the scope admin it also passes the gate.",
)
/** [K24] The parameter `force` of a write of the catalog. */
export const PAST_GATE: Parameter = flag("1 bypasses the gate; needs the scope admin.")
export const words = (description: string, maxLength = MAX_WORDS): Parameter => ({ description, schema: { type: "string", maxLength } })

export const NOT_MODIFIED = { description: "You already have the current version.", headers: ["etag"] } as const satisfies RouteAnswer
