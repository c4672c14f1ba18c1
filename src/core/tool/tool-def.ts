// Defines tools as data: a tenant registers them, and a run pins them by the hash of this JSON [T26, T27]. Each becomes a ToolSpec.

import type { Json, JsonSchema } from "../json.ts"
import type { ApprovalRule } from "./policy/policy.ts"
import type { Styles } from "./http-template.ts"
import type { RenderMap } from "./render.ts"
import type { Effect } from "./tool-spec.ts"

export interface HttpToolDef {
  readonly kind: "http"
  readonly name: string
  readonly label?: string
  readonly description: string
  readonly parameters: JsonSchema
  readonly request: {
    readonly method: string
    /** Scheme and host are fixed; path and query may contain `${{args.NAME}}`. */
    readonly url: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: Json
    /** How objects and lists are written in the query and in a form. */
    readonly styles?: { readonly query?: Styles; readonly body?: Styles }
  }
  readonly auth?: { readonly scope: string; readonly header?: string; readonly scheme?: string }
  readonly effect?: Effect
  /** [K31] The service sends a repeated request, with the same Idempotency-Key, the answer of the first one. */
  readonly idempotent?: boolean
  /** [K32] */
  readonly simulate?: string
  /** [K35] The request that takes a call back, at the same host. */
  readonly undo?: {
    readonly method: string
    readonly url: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: Json
  }
  readonly untrusted?: boolean
  readonly approval?: ApprovalRule
  readonly timeout?: number
  readonly truncate?: "head" | "tail"
  /** [T7] How calls and results look to people. */
  readonly render?: RenderMap
}

/**
 * A header with the secret itself; with `client_id`, OAuth client credentials, and the secret goes to `issuer` alone. With `grant:
 * authorization_code`, a person connects the server; `client_id` and `scope` then belong to a client that the issuer has registered.
 */
export interface McpAuth {
  /** Absent only when a person connects the server. */
  readonly scope?: string
  readonly grant?: "authorization_code"
  readonly header?: string
  readonly scheme?: string
  readonly client_id?: string
  readonly issuer?: string
}

export interface McpToolDef {
  readonly kind: "mcp"
  /** `mcp:SERVER:TOOL`. */
  readonly name: string
  readonly server: string
  /** The tool's name on its server. */
  readonly tool: string
  readonly url: string
  readonly auth?: McpAuth
  readonly label?: string
  readonly description: string
  readonly parameters: JsonSchema
  readonly effect: Effect
  /** The server says that repeating a call has no further effect. */
  readonly idempotent?: boolean
  readonly untrusted: boolean
  readonly approval?: ApprovalRule
  readonly timeout?: number
}

export type ToolDef = HttpToolDef | McpToolDef
