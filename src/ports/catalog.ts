// The tenant's catalog: the only writer, and what a run pins at its start. spec/flows.md §7.

import type { Diagnostic } from "../core/diagnostic.ts"
import type { JsonObject } from "../core/json.ts"
import type { Pins } from "../core/run/event.ts"
import type { ProviderSettings } from "./model.ts"

/** `rehearsal`: `flows/NAME.rehearsal.yaml`, kept under the id of its flow [M3]. */
export type Kind = "flow" | "agent" | "skill" | "rehearsal"
export type Tier = "local" | "package" | "built-in"

/** The seed's answer to a write [pi-flows.md §7.6]. `path` is `agents/x.md`, `flows/legal/nda.yaml` or `skills/s/SKILL.md`. */
export interface WriteResult {
  readonly written: boolean
  readonly path: string
  readonly diagnostics: readonly Diagnostic[]
  readonly error?: string
  /** Hash of the body now stored. */
  readonly hash?: string
  readonly revision?: number
}

/** One row of `agent_catalog` [pi-flows.md §7.5]; `inputs`, `outputs`, `card` are left out when empty. */
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
  /** Flow id, agent name, or `skill/file`. */
  readonly id: string
  readonly path: string
  readonly tier: Tier
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
    }
  | { readonly ok: false; readonly code: "not_found" }
  | {
      readonly ok: false
      readonly code: "invalid_flow" | "unknown_agent" | "no_model" | "unsupported"
      readonly message: string
      readonly step?: string
      readonly diagnostics: readonly Diagnostic[]
    }

export interface PinOptions {
  readonly rehearse: boolean
  /** What the start says; absent: the flow's own. Only an autonomous run needs the built-in decider of a fork without an agent. */
  readonly autonomous?: boolean
}

export type RunRow = {
  readonly id: string
  readonly flow: string
  readonly status: string
  /** Milliseconds. */
  readonly created: number
  readonly ended?: number
  readonly view: JsonObject
}

/** Scoped to one tenant at the door. Every call is asked of the tenant's one object. */
export interface TenantPort extends Author {
  validate(kind: Kind, content: string, path?: string): Promise<readonly Diagnostic[]>
  /** `ifMatch`: the hash the caller saw; a stale one answers `{stale: currentHash}` and writes nothing [F73]. */
  put(kind: Kind, path: string, content: string, ifMatch?: string): Promise<WriteResult | { readonly stale: string | null }>
  read(kind: Kind, id: string): Promise<(FileRow & { readonly content: string }) | undefined>
  remove(kind: Kind, id: string): Promise<boolean>
  files(kind?: Kind): Promise<{ readonly revision: number; readonly data: readonly FileRow[] }>
  replace(bundle: Bundle): Promise<BundleResult>
  /** Pins flow, agents, skills and models for a start. `agent` pins the one-step flow `@subagent/NAME` instead. */
  pin(target: { readonly flow: string } | { readonly agent: string }, options: PinOptions): Promise<PinResult>

  /** Settings; keys are write-only: `providers()` tells `apiKey: true|false` in their place. */
  providers(): Promise<Readonly<Record<string, JsonObject>>>
  putProvider(name: string, settings: ProviderSettings): Promise<void>
  removeProvider(name: string): Promise<boolean>
  /** For the run object only; never leaves the Worker. */
  provider(name: string): Promise<ProviderSettings | undefined>
  roles(): Promise<Readonly<Record<string, string>>>
  putRoles(roles: Readonly<Record<string, string>>): Promise<void>

  /** The run object tells of its run; a late or repeated word is harmless (rows are replaced only by a newer `view.seq`). */
  noteRun(row: RunRow): Promise<void>
  listRuns(query: {
    readonly limit: number
    readonly cursor?: string
    readonly flow?: string
    readonly status?: readonly string[]
  }): Promise<{ readonly data: readonly JsonObject[]; readonly next_cursor: string | null } | { readonly badCursor: true }>
}
