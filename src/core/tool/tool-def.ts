// Tools that are data: registered by a tenant, pinned by a run under the hash of this JSON [T26, T27]. What they become is a ToolSpec.

import type { Json, JsonSchema } from "../json.ts"
import type { ApprovalRule } from "../policy/policy.ts"
import type { Effect } from "./tool-spec.ts"

export interface HttpToolDef {
  readonly kind: "http"
  readonly name: string
  readonly label?: string
  readonly description: string
  readonly parameters: JsonSchema
  readonly request: {
    readonly method: string
    /** Scheme and host are fixed; `${{args.NAME}}` in path and query. */
    readonly url: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: Json
  }
  readonly auth?: { readonly scope: string; readonly header?: string; readonly scheme?: string }
  readonly effect?: Effect
  readonly untrusted?: boolean
  readonly approval?: ApprovalRule
  readonly timeout?: number
  readonly truncate?: "head" | "tail"
}

export interface McpToolDef {
  readonly kind: "mcp"
  /** `mcp:SERVER:TOOL`. */
  readonly name: string
  readonly server: string
  /** The tool's name at its server. */
  readonly tool: string
  readonly url: string
  readonly auth?: { readonly scope: string; readonly header?: string; readonly scheme?: string }
  readonly label?: string
  readonly description: string
  readonly parameters: JsonSchema
  readonly effect: Effect
  /** The server says that the same call twice is as good as once. */
  readonly idempotent?: boolean
  readonly untrusted: boolean
  readonly approval?: ApprovalRule
  readonly timeout?: number
}

export type ToolDef = HttpToolDef | McpToolDef
