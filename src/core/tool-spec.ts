// What the core knows of a tool: its name, its schema, what it does to the world. How it runs is ports/tool.ts. [T1]

import type { JsonSchema } from "./json.ts"

/** `none`: touches nothing. `read`: looks only. `write`: changes something; not repeated blindly after a crash [J11]. */
export type Effect = "none" | "read" | "write"

/** Who may be offered a tool: a caller outside a run (`main`), an agent's session, an agent of role architect [G8]. */
export type ToolContext = "main" | "agent" | "architect"

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
}
