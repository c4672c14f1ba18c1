// The tenant's catalog: its one writer [F71], and what a run pins when it starts [F72].

import type { Amount } from "../core/money/amount.ts"
import type { Diagnostic } from "../core/diagnostic.ts"
import type { JsonObject } from "../core/json.ts"
import type { Rules } from "../core/policy/policy.ts"
import type { Pins } from "../core/run/event.ts"
import type { ToolRule } from "../core/run/session/step-tools.ts"

/** `rehearsal`: `flows/NAME.rehearsal.yaml`, stored under the id of its flow [M3]; `code`: a handler, stored under `FLOW/STEP` [F24]. */
export type Kind = "flow" | "agent" | "skill" | "rehearsal" | "code"
export type Tier = "local" | "package" | "built-in"

/** The answer to a write, as in pi-flows. `path` is `agents/x.md`, `flows/legal/nda.yaml` or `skills/s/SKILL.md`. */
export interface WriteResult {
  readonly written: boolean
  readonly path: string
  readonly diagnostics: readonly Diagnostic[]
  readonly error?: string
  /** Hash of the body now stored. */
  readonly hash?: string
  readonly revision?: number
}

/** One row of `agent_catalog`; `inputs`, `outputs`, `card` are left out when empty. */
export interface AgentEntry {
  readonly name: string
  readonly description: string
  readonly tools: readonly string[]
  readonly inputs?: readonly string[]
  readonly outputs?: readonly { readonly name: string; readonly description?: string }[]
  readonly card?: JsonObject
  readonly source_type: Tier
  readonly source_path?: string
  readonly architect: JsonObject
}

/** The architect's three tools, and the HTTP calls that do the same. */
export interface Author {
  agents(): Promise<readonly AgentEntry[]>
  writeAgent(path: string, content: string): Promise<WriteResult>
  writeFlow(path: string, content: string): Promise<WriteResult>
}

export interface FileRow {
  readonly kind: Kind
  /** Flow id, agent name, `skill/file`, or `flow/step` of a handler. */
  readonly id: string
  /** Of a package's file: `packages/NAME/agents/x.md`. */
  readonly path: string
  readonly tier: Tier
  /** The package's name, in the tier `package`. */
  readonly package?: string
  readonly hash: string
  readonly size: number
  readonly description?: string
  readonly diagnostics: readonly Diagnostic[]
}

export interface Bundle {
  readonly agents?: Readonly<Record<string, string>>
  readonly flows?: Readonly<Record<string, string>>
  readonly skills?: Readonly<Record<string, string>>
  readonly code?: Readonly<Record<string, string>>
}
export type BundleResult =
  | { readonly ok: true; readonly revision: number; readonly diagnostics: Readonly<Record<string, readonly Diagnostic[]>> }
  | { readonly ok: false; readonly diagnostics: Readonly<Record<string, readonly Diagnostic[]>> }

/** The condition of a write is not met [F73]. `stale`: the hash that is stored now, null if there is no such file. */
export interface Stale {
  readonly stale: string | null
}
/** The same for a whole catalog, whose tag is its revision. */
export interface StaleRevision {
  readonly stale: number
}
export interface NoRevision {
  readonly ok: false
  readonly code: "no_revision"
  readonly latest: number
}

export type RevisionAction = "write" | "remove" | "replace" | "rollback" | "register" | "unregister"

/** One accepted write [F72]. */
export interface RevisionRow {
  readonly revision: number
  /** Milliseconds. */
  readonly at: number
  /** The caller's name; null: unknown. */
  readonly by: string | null
  readonly action: RevisionAction
  /** Of a rollback: the revision whose content was restored. */
  readonly target?: number
  /** How many paths changed; `changes` may list fewer. */
  readonly changed: number
  readonly changes: readonly { readonly path: string; readonly before: string | null; readonly after: string | null }[]
}

/** The change of one path between two revisions. */
export interface PathDiff {
  readonly path: string
  readonly status: "added" | "removed" | "changed"
  readonly before: string | null
  readonly after: string | null
  /** Hunks of a unified diff. Absent: the answer would be too long, or a body is lost; ask for the path alone. */
  readonly diff?: string
}
export type DiffResult = { readonly ok: true; readonly from: number; readonly to: number; readonly data: readonly PathDiff[] } | NoRevision

/** A bundle that `replace` takes as it is, or the local files whose body is lost. */
export type ExportResult =
  | { readonly ok: true; readonly revision: number; readonly bundle: Required<Bundle> }
  | { readonly ok: false; readonly lost: readonly string[] }

export interface PackageBody extends Bundle {
  readonly version: string
}
export interface PackageRow {
  readonly name: string
  readonly version: string
  /** Of its list of files; If-Match compares it. */
  readonly hash: string
  readonly agents: number
  readonly flows: number
  readonly skills: number
  readonly diagnostics: readonly Diagnostic[]
}

/** What a start needs, or why it is refused. */
export type PinResult =
  | {
      readonly ok: true
      readonly pins: Pins
      /** What a start checks its body against. */
      readonly flow: {
        readonly id: string
        readonly autonomous: boolean
        readonly task_required: boolean
        readonly task_prompt?: string
        readonly inputs: JsonObject
      }
      readonly rehearsed: boolean
      /** The tenant's rules at the same moment [T30]; added by the tenant's object, because the catalog does not know them. */
      readonly rules?: Rules
      readonly money?: PinnedMoney
      readonly limits?: Limits
      /** There is no room now: start the run with `held`, and it begins once there is. */
      readonly queue?: true
    }
  /** [H6] `retry` in milliseconds. */
  | { readonly ok: false; readonly code: "quota"; readonly message: string; readonly retry: number; readonly limits: Limits }
  /** [H6] Nothing more may be stored; trying again helps only after something was deleted. */
  | { readonly ok: false; readonly code: "storage_full"; readonly message: string }
  | { readonly ok: false; readonly code: "not_found" }
  | {
      readonly ok: false
      readonly code: "invalid_flow" | "unknown_agent" | "no_model" | "unsupported"
      readonly message: string
      readonly step?: string
      readonly diagnostics: readonly Diagnostic[]
    }

/** `provider/model` → US dollars per million tokens [B3]. */
export type PriceTable = Readonly<
  Record<string, { readonly input: number; readonly output: number; readonly cacheRead?: number; readonly cacheWrite?: number }>
>

/** The part of a flow's check that a start uses; the rest is for people (engine/catalog/flow-check.ts). */
export interface FlowCheckView {
  readonly valid: boolean
  readonly models: Readonly<Record<string, string>>
  readonly proof?: { readonly cost: { readonly least: number | null; readonly most: number | string | null } }
}

/** What a start needs to know about prices and budgets [B1, B3, B4]. */
export interface PinnedMoney {
  /** At least the prices of those of the run's models that have one. */
  readonly prices: PriceTable
  /** The flow's own limit. */
  readonly budget?: Amount
  /** The flow, one of its steps, or a flow that runs as its child has a limit in dollars. */
  readonly dollars: boolean
  /** The tenant's budget for a day; absent: no limit. */
  readonly daily?: Amount
}

export interface PinOptions {
  readonly rehearse: boolean
  /** As the start says; absent: as the flow says. Only an autonomous run needs the built-in decider for a fork without an agent. */
  readonly autonomous?: boolean
  /** [H6] A run is to start under this id: it takes a place. Absent: nothing is counted before the run reports itself. */
  readonly start?: { readonly run: string; readonly kind: StartKind }
}

/** What starts the run. A delivery or a schedule's fire is never refused for lack of room: it waits in the queue [H6]. */
export type StartKind = "api" | "mcp" | "webhook" | "schedule"

/** What is left of the quotas on starts. `reset`: milliseconds until one more start of the minute is free. */
export interface Limits {
  readonly concurrent: { readonly quota: number; readonly left: number }
  readonly starts: { readonly quota: number; readonly left: number; readonly reset: number }
}

/** One tenant's catalog and what a start needs of it. Every call goes to the tenant's one object. */
export interface TenantPort extends Author {
  validate(kind: Kind, content: string, path?: string): Promise<readonly Diagnostic[]>
  /** `ifMatch`: the hash the caller saw; a stale one answers `{stale: currentHash}` and writes nothing [F73]. */
  put(kind: Kind, path: string, content: string, ifMatch?: string): Promise<WriteResult | Stale>
  /** `revision`: the file as it was then. undefined: there is no such file or no such revision. */
  read(kind: Kind, id: string, revision?: number): Promise<(FileRow & { readonly content: string }) | undefined>
  /** false: there is no such file of the tenant's own. */
  remove(kind: Kind, id: string, ifMatch?: string): Promise<boolean | Stale>
  files(kind?: Kind): Promise<{ readonly revision: number; readonly data: readonly FileRow[] }>
  /** The catalog as it was, with the built-in files as they are now [F72]. */
  filesAt(revision: number): Promise<{ readonly revision: number; readonly data: readonly FileRow[] } | NoRevision>
  /** `ifRevision`: the revision the caller saw. */
  replace(bundle: Bundle, ifRevision?: number): Promise<BundleResult | StaleRevision>
  export(): Promise<ExportResult>
  /** Newest first. `cursor`: `next_cursor` of the page before. */
  history(query: {
    readonly limit: number
    readonly cursor?: string
  }): Promise<{ readonly data: readonly RevisionRow[]; readonly next_cursor: string | null } | { readonly badCursor: true }>
  /** `to` absent: the present; `from` absent: the revision before `to`. `path`: that one alone. */
  diff(query: { readonly from?: number; readonly to?: number; readonly path?: string }): Promise<DiffResult>
  /** Makes a new revision with the content of an old one, which has to pass today's checks [F72]. */
  rollback(revision: number, ifRevision?: number): Promise<BundleResult | StaleRevision | NoRevision>
  packages(): Promise<readonly PackageRow[]>
  package(name: string): Promise<(PackageRow & { readonly bundle: Required<Bundle> }) | undefined>
  /** Checked as a whole against itself and the built-in files [F70]. A package of this name is replaced and keeps its place in the order. */
  putPackage(name: string, body: PackageBody, ifMatch?: string): Promise<(BundleResult & { readonly hash?: string }) | Stale>
  removePackage(name: string, ifMatch?: string): Promise<boolean | Stale>
  /** Pins flow, agents, skills and models for a start, of now or of `revision`. `agent` pins the one-step flow `@subagent/NAME` instead. */
  pin(target: { readonly flow: string; readonly revision?: number } | { readonly agent: string }, options: PinOptions): Promise<PinResult>

  /** What can be proven about a flow before it runs; undefined: there is no flow of this id. */
  check(id: string): Promise<FlowCheckView | undefined>

  /** [T33] All tools, with whether this agent is granted each and by which rule; undefined: no agent of this name loads. */
  agentTools(name: string): Promise<readonly ToolRule[] | undefined>
}
