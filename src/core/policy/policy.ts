// A tenant's policy as data, after parsing [T30, Q4, Q5]: which tools there are for whom, what asks a person first, what never runs.
// Reading and checking it is parse-policy.ts, what follows from it resolve.ts, approval.ts and hooks beside this file.

export type Profile = "minimal" | "messaging" | "coding" | "full"

/** `{kind: "dynamic", value}`: a condition `args.PATH OP LITERAL` joined by `&&`, `||`, or the name of a registered predicate [Q4]. */
export type ApprovalRule = "never" | "always" | { readonly kind: "dynamic"; readonly value: string }

/** The two channels of approvals; a missing one inherits. */
export interface Approvals {
  readonly tools?: ApprovalRule
  readonly plans?: ApprovalRule
}

/** Names, globs (`*` is anything) and `group:NAME`. As an override it only narrows; one with `allow` and no `profile` is exactly that list. */
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
    /** May a more specific rule relax the tenant's floor? */
    readonly allow_relax: boolean
    /** Milliseconds after which an unanswered approval is a refusal [Q5]; default 24 h. */
    readonly expires: number
  }
  /** Globs over tool names; on a double match confirm beats log beats silent. */
  readonly hooks: { readonly confirm: readonly string[]; readonly log: readonly string[]; readonly silent: readonly string[] }
  readonly autonomy: "conservative" | "standard" | "autonomous"
  /** Refused even when approved. `args`: a linear regular expression over the canonical JSON of the arguments. */
  readonly denylist: readonly { readonly tool: string; readonly args?: string; readonly reason: string }[]
  /** Hosts (globs) to which a tainted session may still send a GET [G11]. */
  readonly network: { readonly allow: readonly string[] }
  /** Milliseconds; what a tool call may take at most [T6]. */
  readonly max_timeout?: number
}

/** What a run knows of its tenant's settings at one moment; journaled whenever it has changed, so that a history alone is enough [J6]. */
export interface Rules {
  readonly policy: Policy
  /** Scopes of the vault that hold a value. */
  readonly scopes: readonly string[]
  /** Counts the changes of either; a run never goes back to an older one. */
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

/** Why a person is asked before a call [Q1]. */
export type AskReason = "policy" | "hook" | "autonomy" | "tainted"
