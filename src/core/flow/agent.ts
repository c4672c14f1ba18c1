// Defines an agent as data, after parsing its Markdown file [F50–F53].

import type { ApprovalRule, Approvals } from "../tool/policy/policy.ts"

export type Thinking = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max"
export const THINKING: readonly Thinking[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"]

/** [F50] Limit: context files of one agent. */
export const MAX_CONTEXT_FILES = 50 // limit: context files of an agent → further ones are not read

/** [F51] An output of `finish`. A bare name is an optional string; `type`, `pattern` and `required` are checked. */
export interface OutputSpec {
  readonly name: string
  readonly description?: string
  readonly type: "string" | "number" | "boolean" | "object" | "array"
  readonly pattern?: string
  /** The texts to choose from. */
  readonly enum?: readonly string[]
  readonly required: boolean
}

/** [F53] The tools that an agent asks for: a list, or all of its caller's tools except some. */
export type ToolWish =
  | { readonly kind: "list"; readonly names: readonly string[] }
  | { readonly kind: "inherit"; readonly denied: readonly string[] }

export interface Agent {
  readonly name: string
  readonly description: string
  readonly tools: ToolWish
  /** `@role`, `provider/model` or `model`, without the thinking suffix; further ones, with it, follow after commas. Absent: the tenant's
   *  `default` [F52]. */
  readonly model?: string
  readonly thinking?: Thinking
  readonly skills: readonly string[]
  /** [F50] Files of the workspace that stand in the prompt. */
  readonly context_files?: readonly string[]
  readonly inputs: readonly string[]
  readonly outputs: readonly OutputSpec[]
  readonly card?: { readonly label?: string; readonly metric?: string; readonly role?: string; readonly type?: string }
  readonly architect?: {
    readonly use_when?: string
    readonly produces?: string
    readonly depends_on?: string
    readonly domain?: string
  }
  /** [G7] Globs over workspace paths; absent means every path. */
  readonly access: { readonly read?: readonly string[]; readonly write?: readonly string[] }
  /** [G7] Globs over simple shell commands; advice, not a boundary. */
  readonly denied_commands?: readonly string[]
  readonly approvals?: Approvals
  /** [Q4] By tool name or glob; `default` defers to the other rules. */
  readonly tool_approvals?: Readonly<Record<string, ApprovalRule | "default">>
  /** [G11] `allow`: outgoing writes need no approval even after untrusted text. */
  readonly effects?: { readonly after_untrusted: "ask" | "allow" }
  /** [C42] Sets of tools in addition to `tools`. */
  readonly toolkits?: readonly string[]
  /** [C40] Agents that a coordinator may call. */
  readonly routes?: readonly string[]
  /** [C40] The kind of plan that the agent makes or executes. */
  readonly plan?: string
  readonly role?: string
  readonly finalizer: "finish" | "subagent_finalize"
  readonly max_turns: number
  readonly temperature?: number
  readonly top_p?: number
  readonly seed?: number
  readonly stop?: readonly string[]
  readonly max_output_tokens?: number
  /** [T8] Tokens of registered tools beyond which they are searched for instead of listed. */
  readonly max_tool_tokens?: number
  /** The system prompt, trimmed; a template. */
  readonly body: string
}
