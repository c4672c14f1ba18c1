// Defines a tenant's policy as data, after parsing [T30, Q4, Q5]: who gets which tools, which calls need a person's approval, which never
// run. parse-policy.ts reads and checks it; resolve.ts, approval.ts and denylist.ts apply it.

import type { EffectsMode } from "./effects-modes.ts"

export type Profile = "minimal" | "messaging" | "coding" | "full"

/** In `{kind: "dynamic", value}`, `value` is a condition (`args.PATH OP LITERAL` joined by `&&` or `||`) or the name of a predicate [Q4]. */
export type ApprovalRule = "never" | "always" | { readonly kind: "dynamic"; readonly value: string }

/** The two channels of approvals; a missing one inherits. */
export interface Approvals {
  readonly tools?: ApprovalRule
  readonly plans?: ApprovalRule
}

/** Names, globs (`*` matches anything) and `group:NAME`. An override only narrows; with `allow` and no `profile`, it allows only that list. */
export interface ToolRules {
  readonly profile?: Profile
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
}

export interface Policy {
  readonly tools: ToolRules & {
    readonly agents: Readonly<Record<string, ToolRules>>
    readonly providers: Readonly<Record<string, ToolRules>>
  }
  readonly approvals: Approvals & {
    /** Whether a more specific rule may relax the tenant's floor. */
    readonly allow_relax: boolean
    /** Milliseconds after which an unanswered approval counts as a refusal [Q5]; default 24 h. */
    readonly expires: number
  }
  /** Globs over tool names. When several lists match, confirm beats log and log beats silent. */
  readonly hooks: { readonly confirm: readonly string[]; readonly log: readonly string[]; readonly silent: readonly string[] }
  readonly autonomy: "conservative" | "standard" | "autonomous"
  /** Refused even when approved. `args`: a linear regular expression over the canonical JSON of the arguments. */
  readonly denylist: readonly { readonly tool: string; readonly args?: string; readonly reason: string }[]
  /** Hosts (globs) to which a tainted session may still send a GET [G11]. */
  readonly network: { readonly allow: readonly string[] }
  /** The most milliseconds that a tool call may take [T6]. */
  readonly max_timeout?: number
  /** [K30] The least care with which runs of these flows (globs) treat what they change outside. */
  readonly effects?: readonly { readonly flows: string; readonly mode: EffectsMode }[]
}

/** A run's snapshot of its tenant's settings. Every change is journaled, so the journal alone is enough to replay the run [J6]. */
export interface Rules {
  readonly policy: Policy
  /** Scopes of the vault that hold a value. */
  readonly scopes: readonly string[]
  /** Increases with every change to the policy or the scopes; a run never returns to an older version. */
  readonly version: number
}

const DAY = 86_400_000

export const DEFAULT_POLICY: Policy = {
  tools: { agents: {}, providers: {} },
  approvals: { allow_relax: false, expires: DAY },
  hooks: { confirm: [], log: [], silent: [] },
  autonomy: "standard",
  denylist: [],
  network: { allow: [] },
}

export const DEFAULT_RULES: Rules = { policy: DEFAULT_POLICY, scopes: [], version: 0 }

/** Why a call needs a person's approval [Q1]. */
export type AskReason = "policy" | "hook" | "autonomy" | "tainted"
