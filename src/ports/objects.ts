// What each Durable Object answers over RPC. Callers and objects both compile against these interfaces, so neither imports the other.
//
// A room is one facet of an object, named in `ask`; its interface is the port that the rest of the Worker uses.

import type { Result } from "../core/result.ts"
import type { ChildReport } from "../core/run/steps/children.ts"
import type { RunView } from "../core/run/views/view.ts"
import type { ArchitectPort } from "./architect.ts"
import type { CallbacksPort } from "./callbacks.ts"
import type { AgentEntry, PinResult, TenantPort, WriteResult } from "./catalog.ts"
import type { DayBudget } from "./day-budget.ts"
import type { Delivered, HookRow, HooksPort, Taken } from "./hooks.ts"
import type { McpServers } from "./mcp.ts"
import type { PlanRows, PlanSpecs } from "./plans.ts"
import type { QuestionsPort } from "./questions.ts"
import type { Looked, ReferenceRow, ReferencesPort } from "./references.ts"
import type { IdempotencyPort, RunPort, StartRequest } from "./run.ts"
import type { RunListPort } from "./run-list.ts"
import type { SchedulesPort } from "./schedules.ts"
import type { CarriedVault, Opened, SecretsPort } from "./secrets.ts"
import type { ServicesPort } from "./services.ts"
import type { StickySessions } from "./sessions.ts"
import type { SettingsPort } from "./settings.ts"
import type { AccountPort, Deleted, Jurisdiction, KeysPort, KnownKey, Quotas, StorageUsed, TenantRow } from "./tenants.ts"
import type { Memory } from "./tool.ts"
import type { ToolCatalogPort } from "./tool-catalog.ts"
import type { FileChange, FileEntry } from "./workspace.ts"

/** The object's side of a port: it may answer at once. */
export type Answers<Port> = {
  readonly [Method in keyof Port]: Port[Method] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Answer | Awaited<Answer>
    : never
}

/** An object with rooms has this one method for all of them. */
export interface Rooms {
  ask(room: string, method: string, args: readonly unknown[]): Promise<unknown>
}

export interface Founding {
  readonly name: string
  /** Milliseconds. */
  readonly created: number
}

/** What the instance asks of a tenant [N3, N5]. */
export interface TenancyRoom {
  found(founding: Founding): Promise<Quotas>
  /** When the tenant was created; undefined: there is no tenant, or it is being deleted. */
  since(): Promise<number | undefined>
  putQuotas(quotas: Partial<Quotas>): Promise<Quotas>
  /** One round of a deletion; the alarm goes on if no one asks for the next. */
  erase(): Promise<{ readonly done: boolean; readonly deleted: Deleted }>
}

export interface KeysRoom extends KeysPort {
  verify(digest: string): Promise<KnownKey | undefined>
  holds(id: string): Promise<boolean>
  /** Remembers that `run` has a socket open with this key, to tell it of a revocation. false: the key holds no more. */
  watch(key: string, run: string): Promise<boolean>
}

type CatalogWrite = "writeAgent" | "writeFlow" | "put" | "remove" | "replace" | "rollback" | "putPackage" | "removePackage"
/** With the name that is kept beside the revision [F72] as the last argument. */
type By<Method> = Method extends (...args: infer Args) => infer Answer ? (...args: [...Args, by?: string]) => Answer : never

export type CatalogRoom = Omit<TenantPort, CatalogWrite | "pin"> & { readonly [Method in CatalogWrite]: By<TenantPort[Method]> }

export interface StartsRoom extends Pick<TenantPort, "pin"> {
  /** The same with the tenant's vault, for a start whose isolate has none. `opened` is missing if the vault does not open. */
  pinOpen(...asked: Parameters<TenantPort["pin"]>): Promise<{ readonly pinned: PinResult; readonly opened?: Opened }>
  /** The place of a run that will not start is free again. */
  giveBack(run: string): Promise<void>
}

export interface ArchitectRoom extends Omit<ArchitectPort, "accept"> {
  readonly accept: By<ArchitectPort["accept"]>
  /** The catalog as the session would leave it. */
  agents(session: string): Promise<readonly AgentEntry[]>
  write(session: string, run: string, kind: "agent" | "flow", path: string, content: string): Promise<WriteResult>
}

export interface SecretsRoom extends Pick<SecretsPort, "list" | "put" | "remove"> {
  /** For the executor only. */
  open(): Promise<Opened>
}

export interface WorkspacesRoom {
  files(workspace: string): Promise<readonly FileEntry[]>
  /** All changes or none; answers why nothing was changed. */
  change(workspace: string, changes: readonly FileChange[]): Promise<string | undefined>
}

/** `before`: the size of the file that was there, so that a failed write can be taken back. `why`: it does not fit. */
export type FileTaken = { readonly ok: true; readonly before: number | null } | { readonly ok: false; readonly why: string }

/** What a tenant stores [H6]. */
export interface StorageRoom {
  used(): Promise<StorageUsed>
  /** A shared file is about to be written. */
  takeFile(key: string, bytes: number): Promise<FileTaken>
  /** The size the file has after all; null: it is gone. */
  setFile(key: string, bytes: number | null): Promise<void>
  /** The memory is about to grow to this size; answers why it may not. */
  takeMemory(bytes: number): Promise<string | undefined>
}

export interface ReferencesRoom extends Pick<ReferencesPort, "allKinds" | "putKind" | "removeKind" | "create"> {
  find(kind: string, id: string): Promise<Looked<ReferenceRow>>
}

export interface HooksRoom extends HooksPort {
  /** For an unauthenticated delivery only: the secrets never leave the Worker. undefined: there is no such hook, it is disabled, or its
   *  tenant is being deleted. */
  open(id: string): Promise<{ readonly hook: HookRow; readonly secrets: readonly string[] } | undefined>
  refuse(hook: string, verdict: "rejected" | "malformed", reason: string): Promise<void>
  take(hook: string, delivered: Delivered): Promise<Taken | undefined>
  /** [W3] If a delivery promises this run, it has begun when this resolves, or could not. */
  begin(run: string): Promise<void>
}

/** What a tenant's object answers, by room. */
export interface TenantRooms {
  readonly tenancy: TenancyRoom
  readonly account: Omit<AccountPort, "keys" | "giveBack">
  readonly keys: KeysRoom
  readonly catalog: CatalogRoom
  readonly starts: StartsRoom
  readonly architect: ArchitectRoom
  readonly settings: SettingsPort
  readonly services: ServicesPort
  readonly secrets: SecretsRoom
  readonly tools: ToolCatalogPort
  readonly mcp: McpServers
  readonly runs: RunListPort
  readonly dayBudget: DayBudget
  readonly sessions: StickySessions
  readonly workspaces: WorkspacesRoom
  readonly storage: StorageRoom
  readonly questions: QuestionsPort
  readonly plans: PlanSpecs & PlanRows
  readonly references: ReferencesRoom
  readonly hooks: HooksRoom
  readonly schedules: SchedulesPort
  readonly callbacks: CallbacksPort
}

export interface TenantRpc extends Rooms {
  /** [N7] Reads and writes nothing: an object that is asked only this leaves no trace. */
  answers(): Promise<true>
}

type RunSignal = "cancel" | "pause" | "resume" | "answer" | "steer" | "signal"

/** What a run's object answers, by room. */
export interface RunRooms {
  readonly reading: Omit<RunPort, RunSignal | "start" | "remove" | "stream" | "socket">
  readonly signals: Pick<RunPort, RunSignal> & {
    childEnded(end: {
      readonly step: string
      readonly pass: number
      readonly index: number
      readonly run: string
      readonly report: ChildReport
    }): Promise<void>
  }
}

export interface RunRpc extends Rooms, IdempotencyPort {
  start(request: StartRequest, vault?: CarriedVault): Promise<RunView>
  /** There is room for a queued run; false: none is queued here. */
  release(): Promise<boolean>
  remove(): Promise<boolean>
  /** The tenant keeps its runs for a shorter time than before. */
  expire(): Promise<void>
  /** The key is revoked. */
  dropKey(key: string): Promise<void>
  /** `answer`: the answer kept for an Idempotency-Key stays its day. */
  erase(keep?: "answer"): Promise<void>
  /** The live stream. */
  fetch(request: Request): Promise<Response>
}

export interface MemoryBatch {
  readonly namespace: string
  readonly contents: readonly string[]
  readonly meta: MemoryMeta
  /** The entries that were in the namespace go. */
  readonly replaces: boolean
}

export interface MemoryMeta {
  readonly tainted: boolean
  readonly source?: string
  /** What was written under a key is not written again [J11]. */
  readonly key?: string
}

export interface MemoryWritten {
  readonly numbers: readonly number[]
  readonly version: number
}

export interface MemoryRpc extends Pick<Memory, "read" | "search"> {
  add(batch: MemoryBatch): Promise<Result<MemoryWritten, string>>
  /** The tenant is deleted [N3]. */
  erase(): Promise<void>
}

export type TenantState = "making" | "there" | "leaving"
export interface DirectoryEntry extends TenantRow {
  readonly state: TenantState
}

export interface DirectoryRpc {
  /** The row of a new tenant; `taken`: there is one, or one is being deleted. A creation that was interrupted is continued. */
  claim(id: string, name: string, jurisdiction: Jurisdiction | null): Promise<DirectoryEntry | "taken">
  settle(id: string, state: "there" | "leaving"): Promise<void>
  find(id: string): Promise<DirectoryEntry | undefined>
  /** Newest first, without the tenants that are being created or deleted. */
  list(
    limit: number,
    cursor?: string,
  ): Promise<{ readonly data: readonly DirectoryEntry[]; readonly next_cursor: string | null } | { readonly badCursor: true }>
  noteQuotas(id: string, quotas: Quotas): Promise<void>
  remove(id: string): Promise<void>
  putOrigins(tenant: string, origins: readonly string[]): Promise<void>
  knowsOrigin(origin: string): Promise<boolean>
}
