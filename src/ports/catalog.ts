// The tenant's catalog: the only writer [F71], and what a run pins at its start [F72].
//
// Over 300 lines: what is asked of a catalog, and the shape of each answer.

import type { Amount } from "../core/money/amount.ts"
import type { Diagnostic } from "../core/diagnostic.ts"
import type { JsonObject } from "../core/json.ts"
import type { Policy, Rules } from "../core/policy/policy.ts"
import type { Pins } from "../core/run/event.ts"
import type { Notice, StartCallback } from "../core/run/notice.ts"
import type { ToolRule } from "../core/run/session/step-tools.ts"
import type { ProviderSettings } from "./model.ts"

/** `rehearsal`: `flows/NAME.rehearsal.yaml`, kept under the id of its flow [M3]; `code`: a handler, kept under `FLOW/STEP` [F24]. */
export type Kind = "flow" | "agent" | "skill" | "rehearsal" | "code"
export type Tier = "local" | "package" | "built-in"

/** The seed's answer to a write. `path` is `agents/x.md`, `flows/legal/nda.yaml` or `skills/s/SKILL.md`. */
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

/** The condition of a write is not met [F73]: the hash that is stored now, or null when there is none. */
export interface Stale {
  readonly stale: string | null
}
/** The same of a whole catalog, whose tag is its revision. */
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
  /** The caller's name; null: not told. */
  readonly by: string | null
  readonly action: RevisionAction
  /** Of a rollback: the revision whose content came back. */
  readonly target?: number
  /** How many paths changed; `changes` may list fewer. */
  readonly changed: number
  readonly changes: readonly { readonly path: string; readonly before: string | null; readonly after: string | null }[]
}

/** What lies between two revisions for one path. */
export interface PathDiff {
  readonly path: string
  readonly status: "added" | "removed" | "changed"
  readonly before: string | null
  readonly after: string | null
  /** Hunks of a unified diff. Absent: the answer was long enough without it, or a body is lost; ask for the path alone. */
  readonly diff?: string
}
export type DiffResult = { readonly ok: true; readonly from: number; readonly to: number; readonly data: readonly PathDiff[] } | NoRevision

/** Exactly the body of a whole write, or the local files whose body is lost. */
export type ExportResult =
  | { readonly ok: true; readonly revision: number; readonly bundle: Required<Bundle> }
  | { readonly ok: false; readonly lost: readonly string[] }

export interface PackageBody extends Bundle {
  readonly version: string
}
export interface PackageRow {
  readonly name: string
  readonly version: string
  /** Of its list of files: what If-Match compares. */
  readonly hash: string
  readonly agents: number
  readonly flows: number
  readonly skills: number
  readonly diagnostics: readonly Diagnostic[]
}

/** What a start needs to know, or why it cannot be. */
export type PinResult =
  | {
      readonly ok: true
      readonly pins: Pins
      /** The flow's face: what a start checks its body against. */
      readonly flow: {
        readonly id: string
        readonly autonomous: boolean
        readonly task_required: boolean
        readonly task_prompt?: string
        readonly inputs: JsonObject
      }
      readonly rehearsed: boolean
      /** The tenant's rules of the same moment [T30]; the catalog alone does not know them. */
      readonly rules?: Rules
      readonly money?: PinnedMoney
      readonly limits?: Limits
      /** There is no room now: start it with `held`, and it begins when there is. */
      readonly queue?: true
    }
  /** [H6] `retry` in milliseconds. */
  | { readonly ok: false; readonly code: "quota"; readonly message: string; readonly retry: number; readonly limits: Limits }
  /** [H6] Nothing more may be stored; trying again helps only when something was deleted. */
  | { readonly ok: false; readonly code: "storage_full"; readonly message: string }
  | { readonly ok: false; readonly code: "not_found" }
  | {
      readonly ok: false
      readonly code: "invalid_flow" | "unknown_agent" | "no_model" | "unsupported"
      readonly message: string
      readonly step?: string
      readonly diagnostics: readonly Diagnostic[]
    }

/** `provider/model` → US dollars for a million tokens [B3]. */
export type PriceTable = Readonly<
  Record<string, { readonly input: number; readonly output: number; readonly cacheRead?: number; readonly cacheWrite?: number }>
>

/** The part of a flow's check that a start looks at; the rest is for people [engine/flow-check.ts]. */
export interface FlowCheckView {
  readonly valid: boolean
  readonly models: Readonly<Record<string, string>>
  readonly proof?: { readonly cost: { readonly least: number | null; readonly most: number | string | null } }
}

/** What a start must know of money [B1, B3, B4]. */
export interface PinnedMoney {
  /** At least those of the run's models that have one. */
  readonly prices: PriceTable
  /** The flow's own limit. */
  readonly budget?: Amount
  /** The flow, one of its steps, or a flow that runs as its child limits dollars. */
  readonly dollars: boolean
  /** The tenant's day; absent: nothing is limited. */
  readonly daily?: Amount
}

export interface PinOptions {
  readonly rehearse: boolean
  /** What the start says; absent: the flow's own. Only an autonomous run needs the built-in decider of a fork without an agent. */
  readonly autonomous?: boolean
  /** [H6] A run is to come of it, under this id: it takes a place. Absent: nothing is counted before the run tells of itself. */
  readonly start?: { readonly run: string; readonly kind: StartKind }
}

/** Who starts it. A delivery and a schedule's fire are never refused for want of room: they wait in the queue [H6]. */
export type StartKind = "api" | "mcp" | "webhook" | "schedule"

/** What is left of the quotas on starts. `reset`: milliseconds until one more start of the minute is free. */
export interface Limits {
  readonly concurrent: { readonly quota: number; readonly left: number }
  readonly starts: { readonly quota: number; readonly left: number; readonly reset: number }
}

export type RunRow = {
  readonly id: string
  readonly flow: string
  readonly status: string
  /** Milliseconds. */
  readonly created: number
  readonly ended?: number
  readonly view: JsonObject
  /** What the outside is to be told of it, all that may not be known yet, and the receiver that its start named [W6]. */
  readonly notices?: readonly Notice[]
  readonly callback?: StartCallback
}

/** What a run hears when it tells of itself: for how long it is kept once it has ended [H6], in milliseconds; `gone`: its tenant was
 *  deleted, and it has to go with it [N3]. */
export type Noted = { readonly retention: number } | "gone"

/** Scoped to one tenant at the door. Every call is asked of the tenant's one object. */
export interface TenantPort extends Author {
  validate(kind: Kind, content: string, path?: string): Promise<readonly Diagnostic[]>
  /** `ifMatch`: the hash the caller saw; a stale one answers `{stale: currentHash}` and writes nothing [F73]. */
  put(kind: Kind, path: string, content: string, ifMatch?: string): Promise<WriteResult | Stale>
  /** `revision`: as it was then; undefined when there is no such file or no such revision. */
  read(kind: Kind, id: string, revision?: number): Promise<(FileRow & { readonly content: string }) | undefined>
  /** false: there is no such file of the tenant's own. */
  remove(kind: Kind, id: string, ifMatch?: string): Promise<boolean | Stale>
  files(kind?: Kind): Promise<{ readonly revision: number; readonly data: readonly FileRow[] }>
  /** The catalog as it was, built-ins as they are [F72]. */
  filesAt(revision: number): Promise<{ readonly revision: number; readonly data: readonly FileRow[] } | NoRevision>
  /** `ifRevision`: the revision the caller saw. */
  replace(bundle: Bundle, ifRevision?: number): Promise<BundleResult | StaleRevision>
  export(): Promise<ExportResult>
  /** Newest first. `cursor` is what the page before gave. */
  history(query: {
    readonly limit: number
    readonly cursor?: string
  }): Promise<{ readonly data: readonly RevisionRow[]; readonly next_cursor: string | null } | { readonly badCursor: true }>
  /** `to` absent: the present; `from` absent: the revision before `to`. `path`: that one alone. */
  diff(query: { readonly from?: number; readonly to?: number; readonly path?: string }): Promise<DiffResult>
  /** A new revision with the content of an old one, judged by the checks of today [F72]. */
  rollback(revision: number, ifRevision?: number): Promise<BundleResult | StaleRevision | NoRevision>
  packages(): Promise<readonly PackageRow[]>
  package(name: string): Promise<(PackageRow & { readonly bundle: Required<Bundle> }) | undefined>
  /** Judged as a whole against itself and the built-ins [F70]; a package of this name is replaced and keeps its place in the order. */
  putPackage(name: string, body: PackageBody, ifMatch?: string): Promise<(BundleResult & { readonly hash?: string }) | Stale>
  removePackage(name: string, ifMatch?: string): Promise<boolean | Stale>
  /** Pins flow, agents, skills and models for a start, as they are or were. `agent` pins the one-step flow `@subagent/NAME` instead. */
  pin(target: { readonly flow: string; readonly revision?: number } | { readonly agent: string }, options: PinOptions): Promise<PinResult>

  /** What can be proven of a flow before it runs; undefined: there is none of this id. */
  check(id: string): Promise<FlowCheckView | undefined>

  /** Settings; keys are write-only: `providers()` tells `apiKey: true|false` in their place. */
  providers(): Promise<Readonly<Record<string, JsonObject>>>
  putProvider(name: string, settings: ProviderSettings): Promise<void>
  removeProvider(name: string): Promise<boolean>
  /** For the run object only; never leaves the Worker. */
  provider(name: string): Promise<ProviderSettings | undefined>
  roles(): Promise<Readonly<Record<string, string>>>
  putRoles(roles: Readonly<Record<string, string>>): Promise<void>
  policy(): Promise<Policy>
  /** Replaces the whole of it. */
  putPolicy(policy: Policy): Promise<void>
  /** What a run judges by [G1]: the policy, and the scopes that hold a secret. */
  rules(): Promise<Rules>
  /** [T33] Every tool there is, whether this agent is granted it and by which rule; undefined: no agent of this name loads. */
  agentTools(name: string): Promise<readonly ToolRule[] | undefined>
  prices(): Promise<PriceTable>
  putPrices(prices: PriceTable): Promise<void>

  /** The run object tells of its run; a late or repeated word is harmless (rows are replaced only by a newer `view.seq`). */
  noteRun(row: RunRow): Promise<Noted>
  /** The run is gone: so is its row. */
  removeRun(id: string): Promise<void>
  /** For how long an ended run is kept, in milliseconds [H6]. */
  retention(): Promise<number>
  /** Runs with open questions, oldest first. */
  askingRuns(query: {
    readonly limit: number
    readonly cursor?: string
  }): Promise<
    | { readonly data: readonly { readonly id: string; readonly flow: string }[]; readonly next_cursor: string | null }
    | { readonly badCursor: true }
  >
  listRuns(query: {
    readonly limit: number
    readonly cursor?: string
    readonly flow?: readonly string[]
    readonly status?: readonly string[]
    readonly tag?: string
    /** Kinds of trigger. */
    readonly trigger?: readonly string[]
    /** Milliseconds: not before, and before. */
    readonly createdAfter?: number
    readonly createdBefore?: number
  }): Promise<{ readonly data: readonly JsonObject[]; readonly next_cursor: string | null } | { readonly badCursor: true }>
}
