// Defines the tenant's catalog, which has one writer [F71], and the pins of a run at its start [F72].

import type { Diff, Revision } from "../../api/doc/catalog.doc.ts"
import type { Row, Shown } from "../../api/rows.ts"
import type { Amount, RunPrice } from "../../core/money/amount.ts"
import type { RunBudget } from "../../core/money/budget-setting.ts"
import type { Diagnostic } from "../../core/diagnostic.ts"
import type { ConfigKind, Folder, CatalogKind, NamedKind, PACKED_FOLDERS, WHOLE_FOLDERS } from "../../core/flow/catalog-kinds.ts"
import type { JsonObject } from "../../core/json.ts"
import type { ScoringSetting } from "../../core/score/scoring-setting.ts"
import type { GateSetting } from "../../core/tool/policy/gate-setting.ts"
import type { NameFault } from "../../core/tool/policy/policy-names.ts"
import type { SaidStart } from "../../core/start/start-block.ts"
import type { Policy, Rules } from "../../core/tool/policy/policy.ts"
import type { Pins, Trigger } from "../../core/run/event-parts.ts"
import type { EffectsMode } from "../../core/tool/policy/effects-modes.ts"
import type { Origin } from "../../core/flow/origin.ts"
import type { ToolRule } from "../../core/run/session/step-tools.ts"

export type { ConfigKind, CatalogKind }
export type Tier = "local" | "package" | "built-in"

/** The result of a write, as in pi-flows. `path` is `agents/x.md`, `flows/legal/nda.yaml` or `skills/s/SKILL.md`. */
export interface WriteResult {
  readonly written: boolean
  readonly path: string
  readonly diagnostics: readonly Diagnostic[]
  readonly error?: string
  /** Hash of the stored body. */
  readonly hash?: string
  readonly revision?: number
}

/** One of several files to write, each independent of the others. */
export interface Arrival {
  readonly kind: CatalogKind
  readonly path: string
  readonly content: string
}

export interface ImportedFile {
  /** As it came. */
  readonly path: string
  /** It has no errors together with the others: it is written, or would be. */
  readonly accepted: boolean
  readonly diagnostics: readonly Diagnostic[]
}

/** One row of `agent_catalog`. Empty `inputs`, `outputs` and `card` are left out. */
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

/** The operations of the architect's three tools and the equivalent HTTP calls. */
export interface Author {
  agents(): Promise<readonly AgentEntry[]>
  writeAgent(path: string, content: string): Promise<WriteResult>
  writeFlow(path: string, content: string): Promise<WriteResult>
}

export interface FileRow {
  readonly kind: CatalogKind
  /** Flow id, agent name, `skill/file`, or `flow/step` for a handler. */
  readonly id: string
  /** A package's file has a path such as `packages/NAME/agents/x.md`. */
  readonly path: string
  readonly tier: Tier
  /** The package's name, if the tier is `package`. */
  readonly package?: string
  readonly hash: string
  readonly size: number
  readonly description?: string
  /** Of a flow that loads. */
  readonly steps?: number
  readonly diagnostics: readonly Diagnostic[]
}

export type Bundle = { readonly [Name in (typeof PACKED_FOLDERS)[number]]?: Readonly<Record<string, string>> }
/** [F79] A bundle with the files that configure the tenant. */
/** Every folder that an export always has, and others that have files. */
export type WholeBundle = { readonly [Name in (typeof WHOLE_FOLDERS)[number]]: Readonly<Record<string, string>> } & Bundle

export type ProjectBundle = { readonly [Name in Folder]?: Readonly<Record<string, string>> }
export type BundleResult =
  | { readonly ok: true; readonly revision: number; readonly diagnostics: Readonly<Record<string, readonly Diagnostic[]>> }
  | { readonly ok: false; readonly diagnostics: Readonly<Record<string, readonly Diagnostic[]>> }

/** The `If-Match` of a write failed [F73]. `stale`: the current hash; null: there is no such file. */
export interface Stale {
  readonly stale: string | null
}
/** The same failure for the whole catalog, whose ETag is its revision. */
export interface StaleRevision {
  readonly stale: number
}
export interface NoRevision {
  readonly ok: false
  readonly code: "no_revision"
  readonly latest: number
}

/** One accepted write [F72]. `changed` counts all paths; `changes` may list fewer. */
export type RevisionRow = Row<typeof Revision>
export type RevisionAction = RevisionRow["action"]

type DiffShown = Shown<typeof Diff>
/** The change of one path between two revisions. `diff` is absent if it would be too long, or if a body is lost. */
export type PathDiff = DiffShown["data"][number]
export type DiffResult = ({ readonly ok: true } & DiffShown) | NoRevision

/** A bundle that `replace` accepts unchanged, or the local files whose bodies are lost. */
export type ExportResult =
  | { readonly ok: true; readonly revision: number; readonly bundle: WholeBundle & ProjectBundle }
  | { readonly ok: false; readonly lost: readonly string[] }

export interface PackageBody extends Bundle {
  readonly version: string
}
export interface PackageRow {
  readonly name: string
  readonly version: string
  /** Hash of its file list; `If-Match` is compared with it. */
  readonly hash: string
  readonly agents: number
  readonly flows: number
  readonly skills: number
  readonly diagnostics: readonly Diagnostic[]
}

/** The data for a start, or the reason for its refusal. */
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
        /** [P2] The flow places the conversation before a message itself, or an agent of it remembers it. */
        readonly remembers?: true
        /** [G11] What the flow does not take for text from outside. */
        readonly trusted?: readonly Origin[]
        readonly inputs: JsonObject
        /** [R1] The flow's own block, and the constants that its keys may name. */
        readonly start?: SaidStart
        readonly config?: JsonObject
      }
      readonly rehearsed: boolean
      /** The tenant's rules at that moment [T30]. The tenant's object adds them, because the catalog does not have them. */
      readonly rules?: Rules
      /** [N3] Which tenant of its name this is, if another one had it shortly before; the run says so in each report. */
      readonly tenancy?: number
      readonly money?: PinnedMoney
      readonly limits?: Limits
      /** There is no room now: start the run with `held`, and it begins when there is room. */
      readonly queue?: true
      /** The tenant's list has the run, so the run need not report its start at once. */
      readonly listed?: true
      /** The desk that gave the run its place, and how many desks this tenant's starts are spread over (ports/desks.ts). */
      readonly desk?: RunDesk
      readonly desks?: number
    }
  /** [H6] `retry`: milliseconds to wait. */
  | { readonly ok: false; readonly code: "quota"; readonly message: string; readonly retry: number; readonly limits: Limits }
  /** [H6] The tenant's storage is full; a retry works only after something is deleted. */
  | { readonly ok: false; readonly code: "storage_full"; readonly message: string }
  /** `message`: it is not the flow that is missing. */
  | { readonly ok: false; readonly code: "not_found"; readonly message?: string }
  | {
      readonly ok: false
      readonly code: "invalid_flow" | "unknown_agent" | "no_model" | "unsupported"
      readonly message: string
      readonly step?: string
      readonly diagnostics: readonly Diagnostic[]
    }

/** `provider/model` → US dollars per million tokens [B3]. */
export type PriceTable = Readonly<Record<string, RunPrice>>

/** The part of a flow check that a start uses. engine/catalog/check/flow-check.ts has the rest, for people. */
export interface FlowCheckView {
  readonly valid: boolean
  readonly models: Readonly<Record<string, string>>
  readonly proof?: { readonly cost: { readonly least: number | null; readonly most: number | string | null } }
}

/** The prices and budgets for a start [B1, B3, B4, B6]. */
export interface PinnedMoney {
  /** Includes the price of every model of the run that has a price. */
  readonly prices: PriceTable
  /** The flow's limit. */
  readonly budget?: Amount
  /** Whether the flow, one of its steps or a child flow has a limit in dollars. */
  readonly dollars: boolean
  /** The tenant's daily budget; absent: no limit. */
  readonly daily?: Amount
  /** [B6] What the tenant says of one run's budget. */
  readonly run?: RunBudget
  /** [R13] Of a start in line: says whether rules, prices and money are still these. */
  readonly mark?: string
}

export interface PinOptions {
  readonly rehearse: boolean
  /** Overrides the flow's setting. Only an autonomous run needs the built-in decider for a fork without an agent. */
  readonly autonomous?: boolean
  /** [H6] Reserves a slot for the run with this id. Absent: nothing is counted until the run reports itself. */
  readonly start?: {
    readonly run: string
    readonly kind: StartKind
    /** When the tenant was created by whose key it is asked for (ms): the next tenant of the name starts nothing for it [N3]. */
    readonly since?: number
  }
  /** [R21] The start's body, hook or schedule has a block that the tenant's object judges: no place is taken before it is in line. The same if the
   *  flow has one. */
  readonly lined?: true
  /** For the list, which then has the run before it reports itself. */
  readonly row?: PromisedRow
}

/** The row of a run that is about to start in the tenant's list, until the run reports itself. */
export interface PromisedRow {
  readonly trigger: Trigger
  readonly tags?: readonly string[] | undefined
  readonly thread?: string | undefined
  readonly session?: string | undefined
  readonly effects?: EffectsMode | undefined
}

/** The desk that receives a run's reports, and the number of desks of its tenant. */
export interface RunDesk {
  readonly number: number
  readonly of: number
}

/** The kind of a start. A webhook delivery or a scheduled fire is never refused for lack of room: it waits in the queue [H6]. */
export type StartKind = "api" | "mcp" | "webhook" | "schedule"

/** What remains of the quotas on starts. `reset`: milliseconds until the per-minute quota allows one more start. */
export interface Limits {
  readonly concurrent: { readonly quota: number; readonly left: number }
  readonly starts: { readonly quota: number; readonly left: number; readonly reset: number }
}

/** The kinds of things that others refer to: an agent, a skill by its file, a flow, or a provider of the settings. */
export type UsableKind = NamedKind | "provider"

/** A use of a definition. `id`: a flow's id, the name of an agent, scorer, of the setting `scoring`, a role, or the id of a hook or schedule. */
export interface Use {
  readonly kind: "flow" | "agent" | "scorer" | "scoring" | "gate" | "role" | "hook" | "schedule"
  readonly id: string
  /** The step of the flow. */
  readonly step?: string
}

/** A step that runs an agent. */
export interface ToolPlace {
  readonly flow: string
  readonly step: string
}

/** [T33] A tool of an agent, and the rule that decides. */
export interface AgentTool extends ToolRule {
  /** Whether a person is asked before its calls, by the rules; what a session reads may ask more. */
  readonly asks: "always" | "sometimes" | "never"
  /** About how many tokens it takes in the prompt. */
  readonly tokens: number
  /** The entry of the agent's file that names it, or `toolkits` or `role`; null: none does. */
  readonly by: string | null
  readonly line: number | null
}

/** An agent or a skill with its uses. */
export interface Used {
  readonly id: string
  readonly tier: Tier
  readonly package?: string
  readonly description: string
  /** Of an agent: as its file says. */
  readonly model?: string
  readonly thinking?: string
  readonly role?: string
  /** Of an agent: how many tools its file names. null: it has all of its caller's. */
  readonly tools?: number | null
  readonly skills?: readonly string[]
  /** Of an agent: the inputs that steps set, and the outputs that its finish declares. */
  readonly inputs?: readonly string[]
  readonly outputs?: readonly string[]
  /** The first of them. */
  readonly uses: readonly Use[]
  /** How many there are. */
  readonly used: number
  readonly errors: number
}

/** A flow in its current version, in an older revision [F72], or in a draft [F80]. */
export interface FlowPlace {
  readonly flow: string
  readonly revision?: number
  readonly draft?: string
}

export interface Rulebook {
  readonly policy?: Policy
  readonly gate?: GateSetting
  readonly scoring?: ScoringSetting
}

/** A tenant's catalog, and the data for starts. Every call goes to the tenant's object. */
export interface CatalogPort extends Author {
  validate(kind: CatalogKind, content: string, path?: string): Promise<readonly Diagnostic[]>
  /** [T30b] What rules that are about to be stored name, and is not there. */
  ruleFaults(rules: Rulebook): Promise<readonly NameFault[]>
  /** `ifMatch`: the hash that the caller saw. If it is stale, the result is `{stale: currentHash}` and nothing is written [F73]. */
  put(kind: CatalogKind, path: string, content: string, ifMatch?: string): Promise<WriteResult | Stale>
  /** Writes those of the files that have no errors, in one revision; without `write`, says which they are. The answers are in their order. */
  importFiles(files: readonly Arrival[], write: boolean): Promise<readonly ImportedFile[]>
  /** `revision`: the file as of that revision. undefined: there is no such file or no such revision. */
  read(kind: CatalogKind, id: string, revision?: number): Promise<(FileRow & { readonly content: string }) | undefined>
  /** [F76] What would break if this were removed; at most 50. Empty if there is no such local file, or if it hides another one. */
  uses(kind: UsableKind, id: string): Promise<readonly Use[]>
  /** [F3] The name closest to one that does not exist, if any is close. */
  nearest(kind: "flow" | "agent", id: string): Promise<string | undefined>
  /** false: the tenant has no such local file. */
  remove(kind: CatalogKind, id: string, ifMatch?: string): Promise<boolean | Stale>
  files(kind?: CatalogKind): Promise<{ readonly revision: number; readonly data: readonly FileRow[] }>
  /** The catalog as of that revision, with today's built-in files [F72]. */
  filesAt(revision: number): Promise<{ readonly revision: number; readonly data: readonly FileRow[] } | NoRevision>
  export(): Promise<ExportResult>
  /** Newest first. `cursor`: `next_cursor` of the previous page. */
  history(query: {
    readonly limit: number
    readonly cursor?: string
  }): Promise<{ readonly data: readonly RevisionRow[]; readonly next_cursor: string | null } | { readonly badCursor: true }>
  /** `to` defaults to the current revision, `from` to the revision before `to`. `path`: only that path. */
  diff(query: { readonly from?: number; readonly to?: number; readonly path?: string }): Promise<DiffResult>
  /** Makes a new revision with the content of an old one [F72]. */
  rollback(revision: number, ifRevision?: number): Promise<BundleResult | StaleRevision | NoRevision>
  packages(): Promise<readonly PackageRow[]>
  package(name: string): Promise<(PackageRow & { readonly bundle: WholeBundle }) | undefined>
  /** Checks the package as a whole, with the built-in files [F70]. Replaces a package of the same name, which keeps its place in the order. */
  putPackage(name: string, body: PackageBody, ifMatch?: string): Promise<(BundleResult & { readonly hash?: string }) | Stale>
  /** What `putPackage` would answer, at the revision of now; nothing is written. */
  previewPackage(name: string, body: PackageBody, ifMatch?: string): Promise<(BundleResult & { readonly hash?: string }) | Stale>
  removePackage(name: string, ifMatch?: string): Promise<boolean | Stale>
  /** Pins flow, agents, skills and models for a start, as of now, of `revision`, or with a draft over them. `agent` pins the one-step flow
   *  `@subagent/NAME`. */
  pin(target: FlowPlace | { readonly agent: string }, options: PinOptions): Promise<PinResult>

  /** What can be proven about a flow before it runs; undefined: no flow has this id. */
  check(id: string): Promise<FlowCheckView | undefined>

  /** [T33] Every tool, whether this agent may use it, and the rule that decides. undefined: no agent of this name loads. */
  agentTools(name: string, place?: ToolPlace): Promise<readonly AgentTool[] | undefined>
  /** What each agent, or each skill, is and who names it. `id`: this one alone. */
  used(kind: Exclude<NamedKind, "flow" | "scorer">, id?: string): Promise<readonly Used[]>
}

/** A row of the catalog that a write creates, replaces or removes. */
export interface CatalogChange {
  readonly type: "put" | "remove"
  readonly kind: CatalogKind | "package"
  readonly id: string
  readonly path: string
  /** Of `put`: SHA-256 of the body, and its bytes. */
  readonly hash: string
  readonly size: number
}
