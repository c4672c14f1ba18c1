// Defines a tool as core sees it: name, schema and effects on the outside world [T1]. ports/tool.ts defines how it runs.

import type { Json, JsonObject, JsonSchema } from "../json.ts"
import type { ApprovalRule } from "./policy/policy.ts"
import type { RenderMap } from "./render.ts"

/** `none`: touches nothing. `read`: only reads. `write`: changes something, so it is not simply repeated after a crash [J11]. */
export type Effect = "none" | "read" | "write"

/** Where a tool can be offered: a caller outside a run (`main`), an agent's session, or an agent with the role architect [G8]. */
export type ToolContext = "main" | "agent" | "architect"

/** A group of tools. Policies refer to it as `group:fs` and so on [T30]. */
export type ToolGroup = "fs" | "runtime" | "web" | "memory" | "mcp" | "media" | "flow"

/** The target of a call that leaves the run [G11]. Each value is fixed or comes from an argument. */
export interface Reach {
  /** `{arg}`: an argument that is a URL. `{host}`: always this host (lowercase, no port). `{within}`: what other runs of the tenant see,
   *  such as its memory. Absent: no known host, e.g. a chat channel. */
  readonly to?: { readonly arg: string } | { readonly host: string } | { readonly within: "tenant" }
  /** The HTTP method; `fallback` applies when the argument is absent. Anything but GET and HEAD counts as a write [G11]. */
  readonly method: { readonly fixed: string } | { readonly arg: string; readonly fallback: string }
  /** An argument with the request's headers, name → value: some of them replace the method. */
  readonly headers?: { readonly arg: string }
}

export interface RequestShown {
  readonly method: string
  readonly url: string
  /** Names of the headers that hold a secret. */
  readonly secretHeaders?: readonly string[]
  readonly body?: Json
}

export interface ToolSpec {
  readonly name: string
  readonly label?: string
  readonly description: string
  /** JSON Schema 2020-12 of the arguments. For built-ins, an object with `additionalProperties: false` [G6]. */
  readonly parameters: JsonSchema
  readonly effect: Effect
  /** Repeating a call (same callId) has no further effect, so it may be repeated when its result is lost [J11]. */
  readonly idempotent?: boolean
  /** [K32] What a model reads in place of the result of a call that is kept: a template over `args`. */
  readonly simulate?: string
  /** [K35] A confirmed call can be taken back. */
  readonly undoable?: true
  /** [K31] The request that a call makes, as people see it before it is sent. */
  readonly preview?: (args: JsonObject) => RequestShown | undefined
  /** A call that is made again goes on with what the first one began, so it is made again however often it is lost [J11]. */
  readonly resumes?: boolean
  readonly contexts: readonly ToolContext[]
  /** Arguments that are workspace paths, checked against the agent's `access` globs [G7]. */
  readonly paths?: { readonly read?: readonly string[]; readonly write?: readonly string[] }
  /** Milliseconds; default 30,000 [T6]. */
  readonly timeout?: number
  /** Which end survives truncation [T5]; default `tail`. */
  readonly truncate?: "head" | "tail"
  /** Tools with the same `same` are one tool for policy, hooks, approvals, denylist and access: `file.write` has `same: "write"` [T30]. */
  readonly same?: string
  readonly groups?: readonly ToolGroup[]
  /** The result is text from outside, which taints the session that reads it [G11]. */
  readonly untrusted?: boolean
  /** The result is private to the tenant (memory, data behind a secret). In a tainted session, calls that then leave the run ask first [G11]. */
  readonly private?: boolean
  /** Present: a call leaves the run. A tool that writes and does not say where (core/tool/reach.ts) leaves it too. */
  readonly reach?: Reach
  /** [G11] The request of these arguments replaces its method by a header or a parameter, though the definition alone does not say so. */
  readonly overrides?: (args: JsonObject) => boolean
  /** Unset inherits; it is not `never` [Q4]. */
  readonly approval?: ApprovalRule
  /** Scopes of the tenant's vault whose values the tool receives; without them it does not run [T32]. */
  readonly requiredSecretScopes?: readonly string[]
  /** `details.glimpse` holds a short summary, shown in place of an older result when the conversation is compacted [C6, J23]. */
  readonly glimpse?: boolean
  /** How calls and results look to people, as data [T7]. Absent: render.ts uses its defaults. */
  readonly render?: RenderMap
}
