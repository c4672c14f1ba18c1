// What the core knows of a tool: its name, its schema, what it does to the world. How it runs is ports/tool.ts. [T1]

import type { JsonSchema } from "../json.ts"
import type { ApprovalRule } from "../policy/policy.ts"
import type { RenderMap } from "./render.ts"

/** `none`: touches nothing. `read`: looks only. `write`: changes something; not repeated blindly after a crash [J11]. */
export type Effect = "none" | "read" | "write"

/** Who may be offered a tool: a caller outside a run (`main`), an agent's session, an agent of role architect [G8]. */
export type ToolContext = "main" | "agent" | "architect"

/** `group:fs` and so on in policies [T30]. */
export type ToolGroup = "fs" | "runtime" | "web" | "memory" | "mcp" | "media" | "flow"

/** Where a call goes when it leaves the run [G11]. A value is fixed, or stands in an argument. */
export interface Reach {
  /** `{arg}`: an argument that is a URL; `{host}`: always this one (lower case, no port). Absent: somewhere, e.g. a chat channel. */
  readonly to?: { readonly arg: string } | { readonly host: string }
  /** HTTP method; `{arg}` with its default when the argument is absent. Anything but GET and HEAD counts as a write [G11]. */
  readonly method: { readonly fixed: string } | { readonly arg: string; readonly fallback: string }
}

export interface ToolSpec {
  readonly name: string
  readonly label?: string
  readonly description: string
  /** JSON Schema 2020-12 of the arguments, an object with `additionalProperties: false` for built-ins [G6]. */
  readonly parameters: JsonSchema
  readonly effect: Effect
  /** The same call (same callId) twice leaves the world as once: it may be asked again when its answer was lost [J11]. */
  readonly idempotent?: boolean
  readonly contexts: readonly ToolContext[]
  /** Arguments that are workspace paths, judged against the agent's `access` globs [G7]. */
  readonly paths?: { readonly read?: readonly string[]; readonly write?: readonly string[] }
  /** Milliseconds; default 30,000 [T6]. */
  readonly timeout?: number
  /** Which end survives truncation [T5]; default `tail`. */
  readonly truncate?: "head" | "tail"
  /** Tools with one `same` are one tool for policy, hooks, approvals, denylist and access: `file.write` has `same: "write"` [T30]. */
  readonly same?: string
  readonly groups?: readonly ToolGroup[]
  /** What it answers is text from outside: it taints the session that reads it [G11]. */
  readonly untrusted?: boolean
  /** It shows what is private to the tenant (memory, what a secret opens): with taint, what goes out afterwards is asked about [G11]. */
  readonly private?: boolean
  /** Present: a call leaves the run. */
  readonly reach?: Reach
  /** Unset inherits; it is not `never` [Q4]. */
  readonly approval?: ApprovalRule
  /** Scopes of the tenant's vault whose values it may be given, and without which it is not run [T32]. */
  readonly requiredSecretScopes?: readonly string[]
  /** A small summary of an older result, shown in its place when the conversation is compacted [C6, J23]: the member of `details`. */
  readonly glimpse?: boolean
  /** How its calls and results look to people, as data [T7]; absent: core/render.ts does what it can. */
  readonly render?: RenderMap
}
