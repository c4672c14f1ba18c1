// Defines what each Durable Object answers over RPC. Callers and objects both compile against these interfaces, so neither imports the
// other.
//
// A room is one facet of an object, named in `ask`; its interface is the port for the rest of the Worker.

import type { HolderStanding } from "../core/start/ring.ts"
import type { Result } from "../core/result.ts"
import type { FactOf } from "../core/run/event.ts"
import type { BatchedCalls } from "./batched-calls.ts"
import type { ChildAskSignal } from "../core/run/steps/child-questions.ts"
import type { ChildReport } from "../core/run/steps/children.ts"
import type { RunView } from "../core/run/views/view.ts"
import type { ApplyingCatalog, ApplyWish, DraftsPort, Planned } from "./tenant/authoring/apply.ts"
import type { ArchitectPort } from "./tenant/authoring/architect.ts"
import type { BacktestsPort, BacktestsRoom } from "./tenant/authoring/backtests.ts"
import type { RunQuality } from "./tenant/quality/scoring.ts"
import type { ExperimentsRoom } from "./tenant/quality/experiments.ts"
import type { ScoresPort } from "./tenant/quality/scores.ts"
import type { BulksPort } from "./tenant/bulks.ts"
import type { CallbacksPort } from "./tenant/callbacks.ts"
import type { Held, Writer } from "./tenant/authoring/gate.ts"
import type { AgentEntry, Limits, PinResult, CatalogPort, StaleRevision, WriteResult } from "./tenant/catalog.ts"
import type { DayBudget } from "./day-budget.ts"
import type { DatasetsPort } from "./tenant/quality/datasets.ts"
import type { DesksRoom } from "./desks.ts"
import type { ForkOrigin, ForkGroundAsk, ForkRequest, ForkResult, ForkSourcePort } from "./fork.ts"
import type { Delivered, HookRow, HooksPort, DeliveryResult } from "./tenant/hooks.ts"
import type { EffectsPort, FamilyEffects } from "./tenant/effects.ts"
import type { FailuresPort } from "./tenant/failures.ts"
import type { McpServers } from "./mcp.ts"
import type { ConnectionTokens } from "./tenant/mcp-connections.ts"
import type { RepairEvidence } from "./tenant/authoring/repairs.ts"
import type { PlanRows } from "./tenant/authoring/plans.ts"
import type { Footer, PublicKey, Seal } from "./tenant/receipts.ts"
import type { QuestionsPort } from "./tenant/questions.ts"
import type { LookedUp, ReferenceRow, References } from "./references.ts"
import type { RunPort, StartRequest } from "./run.ts"
import type { IdempotencyPort } from "./tenant/idempotency.ts"
import type { HeldWord, KeyBusy, LineAsk, LinePort, StartWord } from "./tenant/line.ts"
import type { RunListPort } from "./tenant/run-list.ts"
import type { SchedulesPort } from "./tenant/schedules.ts"
import type { CarriedVault, Opened, SecretsPort } from "./secrets.ts"
import type { FeedPort } from "./tenant/feed.ts"
import type { SignInsRoom } from "./tenant/sign-ins.ts"
import type { CachedPasses } from "./tenant/cached-passes.ts"
import type { StickySessions } from "./tenant/sessions.ts"
import type { SettingsRoom } from "./tenant/settings.ts"
import type { AccountPort, Deleted, Jurisdiction, KeysPort, KnownKey, Quotas, StorageUsed, TenantRow } from "./tenant/tenants.ts"
import type { Memory } from "./tool.ts"
import type { ToolCatalogPort } from "./tenant/tool-catalog.ts"
import type { SumsPort } from "./tenant/sums.ts"
import type { UsagePort } from "./tenant/usage.ts"
import type { TestResultsPort } from "./tenant/authoring/test-results.ts"
import type { TrialsPort } from "./tenant/authoring/trials.ts"
import type { TurnContext, TurnWish } from "./turn.ts"
import type { FileChange, FileEntry } from "./workspace.ts"

/** The object's side of a port, which may answer synchronously. */
export type Answers<Port> = {
  readonly [Method in keyof Port]: Port[Method] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Answer | Awaited<Answer>
    : never
}

/** The single method of an object for all of its rooms. */
export interface Rooms {
  ask(room: string, method: string, args: readonly unknown[]): Promise<unknown>
}

export interface Founding {
  readonly name: string
  /** Milliseconds. */
  readonly created: number
}

/** The instance's calls to a tenant [N3, N5]. */
export interface TenancyRoom {
  found(founding: Founding): Promise<Quotas>
  /** When the tenant was created; undefined: there is no tenant, or it is being deleted. */
  since(): Promise<number | undefined>
  putQuotas(quotas: Partial<Quotas>): Promise<Quotas>
  /** One round of the deletion of the tenant that was created at `created`; the alarm continues if no one asks for the next round. Another tenant
   *  that has the name meanwhile is left alone, and the deletion is done. */
  erase(created: number): Promise<{ readonly done: boolean; readonly deleted: Deleted }>
}

export interface KeysRoom extends KeysPort {
  verify(digest: string): Promise<KnownKey | undefined>
  holds(id: string): Promise<boolean>
  /** Records that `run` has an open socket with this key, to close it when the key is revoked. false: the key is no longer valid. */
  watch(key: string, run: string): Promise<boolean>
}

type CatalogWrite = "writeAgent" | "writeFlow" | "put" | "remove" | "apply" | "rollback" | "putPackage" | "removePackage" | "importFiles"
/** Adds a last argument: who writes [F72]. A write that the gate holds is not done [K24]. */
type By<Method> = Method extends (...args: infer Args) => Promise<infer Answer>
  ? (...args: [...Args, by?: Writer]) => Promise<Answer | { readonly held: Held }>
  : never

export type CatalogRoom = Omit<ApplyingCatalog, CatalogWrite | "pin" | "plan" | keyof DraftsPort> & {
  readonly [Method in CatalogWrite]: By<ApplyingCatalog[Method]>
} & DraftsPort & {
    plan(wish: ApplyWish, ifRevision?: number): Promise<Planned<{ readonly held?: Held }> | StaleRevision>
  }

export interface StartsRoom extends Pick<CatalogPort, "pin">, LinePort, TrialsPort, Pick<BacktestsPort, "propose"> {
  /** `pin` plus the tenant's vault, for an isolate that has no vault yet. `opened` is missing if the vault does not open. */
  pinOpen(...asked: Parameters<CatalogPort["pin"]>): Promise<{ readonly pinned: PinResult; readonly opened?: Opened }>
  /** [K13] The definitions, rules and prices of a fork. Takes no slot. */
  groundFork(asked: ForkGroundAsk): Promise<ForkOrigin>
  /** [K19] `recorded`: the pinned reference of the turn's model. */
  groundTurn(recorded: string, wish: Pick<TurnWish, "model" | "thinking">): Promise<TurnContext>
  /** [H6] Takes the slot of a run that is ready to begin; [R15] with `ask` also its keys, now or not at all. */
  place(
    run: string,
    ask?: LineAsk,
  ): Promise<{ readonly ok: true; readonly limits: Limits; readonly word?: StartWord } | KeyBusy | Extract<PinResult, { ok: false }>>
  /** Frees the slot of a run that will not start. */
  giveBack(run: string): Promise<void>
  /** [W3, W5] If a delivery or a fire promised this run, resolves when the run has begun or cannot begin. true: it takes too long, and goes on. */
  begin(run: string): Promise<boolean>
}

export interface ArchitectRoom extends Omit<ArchitectPort, "accept"> {
  readonly accept: By<ArchitectPort["accept"]>
  /** The catalog as the session would leave it. */
  agents(session: string): Promise<readonly AgentEntry[]>
  write(session: string, run: string, kind: "agent" | "flow", path: string, content: string): Promise<WriteResult>
  /** Stores how far the proof of a repair is. false: another run writes in the session by now, or it is over. */
  keepProof(id: string, proof: RepairEvidence): Promise<boolean>
  /** Path → text of what the session would write; undefined: it is not open. */
  texts(session: string): Promise<Readonly<Record<string, string>> | undefined>
}

export interface SecretsRoom extends Pick<SecretsPort, "list" | "put" | "remove"> {
  /** For the executor only. */
  open(): Promise<Opened>
}

export interface WorkspacesRoom {
  files(workspace: string): Promise<readonly FileEntry[]>
  /** Makes all changes or none. Returns the reason if nothing changed. */
  change(workspace: string, changes: readonly FileChange[]): Promise<string | undefined>
}

/** `before`: the size of the replaced file, so that a failed write can be undone. `why`: the reason why it does not fit. */
export type FileTaken = { readonly ok: true; readonly before: number | null } | { readonly ok: false; readonly why: string }

/** The owners of bodies in R2: runs and others [F71]. */
export interface BodiesRoom {
  /** Before a body that is there for long is used anew: resolves when nobody deletes it any more. */
  retain(hash: string): Promise<void>
  /** Bodies that were stored and belong to nothing here: they are deleted unless something else owns them. */
  leave(hashes: readonly string[]): Promise<void>
}

/** The storage that a tenant uses [H6]. */
export interface StorageRoom {
  used(): Promise<StorageUsed>
  /** Reserves space for a shared file before it is written. */
  takeFile(key: string, bytes: number): Promise<FileTaken>
  /** Records the file's actual size; null: the file is deleted. */
  setFile(key: string, bytes: number | null): Promise<void>
  /** Why so many more bytes may not be stored; undefined: there is room. */
  tooMuch(bytes: number): Promise<string | undefined>
  /** Reserves this total size for the memory before it grows. Returns the reason if it may not. */
  takeMemory(bytes: number): Promise<string | undefined>
}

export interface ReferencesRoom extends Pick<References, "create"> {
  find(kind: string, id: string): Promise<LookedUp<ReferenceRow>>
}

export interface HooksRoom extends HooksPort {
  /** For an unauthenticated delivery only: the secrets never leave the Worker. undefined: there is no such hook, it is disabled, or its
   *  tenant is being deleted. */
  open(id: string): Promise<{ readonly hook: HookRow; readonly secrets: readonly string[] } | undefined>
  refuse(hook: string, verdict: "rejected" | "malformed", reason: string): Promise<void>
  take(hook: string, delivered: Delivered): Promise<DeliveryResult | undefined>
}

/** The rooms of a tenant's object. */
export interface TenantRooms {
  readonly tenancy: TenancyRoom
  readonly account: Omit<AccountPort, "keys" | "giveBack">
  readonly keys: KeysRoom
  readonly signIns: SignInsRoom
  readonly catalog: CatalogRoom
  readonly starts: StartsRoom
  readonly architect: ArchitectRoom
  readonly settings: SettingsRoom
  readonly secrets: SecretsRoom
  readonly tools: ToolCatalogPort
  readonly mcp: McpServers
  readonly connections: ConnectionTokens
  readonly runs: RunListPort
  readonly feed: FeedPort
  readonly usage: UsagePort
  readonly sums: SumsPort
  readonly failures: FailuresPort
  readonly backtests: BacktestsRoom
  readonly testResults: TestResultsPort
  readonly desks: DesksRoom
  readonly dayBudget: DayBudget
  readonly sessions: StickySessions
  readonly cachedPasses: CachedPasses
  readonly workspaces: WorkspacesRoom
  readonly storage: StorageRoom
  readonly bodies: BodiesRoom
  readonly questions: QuestionsPort
  readonly plans: PlanRows
  readonly references: ReferencesRoom
  readonly hooks: HooksRoom
  readonly schedules: SchedulesPort
  readonly datasets: DatasetsPort
  readonly bulks: BulksPort
  readonly scores: ScoresPort
  readonly experiments: ExperimentsRoom
  readonly callbacks: CallbacksPort
}

export interface TenantRpc extends Rooms {
  /** Of an object that is a desk of the tenant: calls a method of `Desk` by name. */
  desk(method: string, args: readonly unknown[]): Promise<unknown>
  /** [N7] Reads and writes nothing, so a health check creates no stored object. */
  answers(): Promise<true>
  /** [N7] Whether the disk takes a write. Keeps nothing of it; only the object of no tenant is asked. Rejects where the write failed otherwise. */
  hasRoom(): Promise<boolean>
}

type RunNote = "note" | "noted"
type RunSignal = "cancel" | "pause" | "resume" | "answer" | "answerAll" | "steer" | "signal"
type RunFile = "files" | "file" | "putFile"
type RunProof = "replay" | "receipt" | "journal" | "compared" | "passes" | "heads" | "texts"
type RunTurn = "turn"
type RunMoment = "viewAt" | "filesAt" | "fileAt" | "filesBetween" | "prompt"

/** The rooms of a run's object. */
export interface RunRooms {
  readonly effects: EffectsPort & FamilyEffects
  readonly reading: Omit<
    RunPort,
    | RunSignal
    | RunNote
    | RunFile
    | RunProof
    | RunMoment
    | RunTurn
    | keyof EffectsPort
    | keyof RunQuality
    | "fork"
    | "start"
    | "join"
    | "remove"
    | "stream"
    | "socket"
  >
  readonly files: Pick<RunPort, RunFile>
  readonly proof: Pick<RunPort, RunProof>
  readonly moments: Pick<RunPort, RunMoment>
  readonly turns: Pick<RunPort, RunTurn>
  readonly notes: Pick<RunPort, RunNote>
  readonly quality: RunQuality
  readonly source: ForkSourcePort
  readonly batches: BatchedCalls
  readonly signals: Pick<RunPort, RunSignal> & {
    /** [F23d] The parent waits no more for this run: it is canceled, and nobody decides about what it kept [K32]. `mayBegin`: its start may still
     *  be on its way; a run that has not begun never does anything then. */
    orphaned(by: string, mayBegin: boolean): Promise<boolean>
    /** [R29] The turn of a model call has come before the time that it was told. */
    turn(key: string): Promise<void>
    childEnded(end: {
      readonly step: string
      readonly pass: number
      readonly index: number
      readonly run: string
      readonly report: ChildReport
      /** [R6] Runs below it have not ended. */
      readonly below?: true
    }): Promise<{
      /** The parent decides about the effects that the child keeps [K32]. */
      readonly takesEffects: boolean
    }>
    /** [R6] Whether the run and all below it have ended, or are not there. */
    isFamilyOver(): Promise<boolean>
    /** [R14] Whether the run does nothing but wait for its open children; null: no run is at work here. */
    standing(): Promise<HolderStanding | null>
    /** [P5] What a child asks people now. `isKnown`: the parent needs to hear no more of it. */
    childAsked(asks: ChildAskSignal): Promise<{ readonly isKnown: boolean }>
    /** [R33] Whether a child goes on without a reply from a batch. */
    childBatched(said: Omit<FactOf<"child.batched">, "type">): Promise<void>
  }
}

export interface RunRpc extends Rooms, IdempotencyPort {
  start(request: StartRequest, vault?: CarriedVault, wait?: number): Promise<RunView>
  /** [R11] false: the run has begun without it. */
  join(request: StartRequest): Promise<boolean>
  /** [K7] Begins this object's run as a fork. */
  fork(request: ForkRequest, vault?: CarriedVault): Promise<ForkResult>
  /** Lets a queued run begin. `told`: it stands in line, and hears this of it. false: this object has no queued run. */
  release(told?: HeldWord): Promise<boolean>
  /** [R8] A newer start of its key takes the run's place. false: there is no such run. */
  supersede(by: string): Promise<boolean>
  remove(): Promise<boolean>
  /** The tenant's retention became shorter, so the run's expiry is computed again. `ms`: the retention. */
  expire(ms: number): Promise<void>
  /** Closes the sockets of a revoked key. */
  dropKey(key: string): Promise<void>
  /** `answer`: the answer stored for an Idempotency-Key stays for its 24 hours. */
  erase(keep?: "answer"): Promise<void>
  /** The live stream. */
  fetch(request: Request): Promise<Response>
}

export interface MemoryBatch {
  readonly namespace: string
  readonly contents: readonly string[]
  readonly meta: MemoryMeta
  /** Deletes the namespace's earlier entries. */
  readonly replaces: boolean
}

export interface MemoryMeta {
  readonly tainted: boolean
  readonly source?: string
  /** A batch under the same key is written only once [J11]. */
  readonly key?: string
}

export interface MemoryWritten {
  readonly numbers: readonly number[]
  readonly version: number
}

export interface MemoryRpc extends Pick<Memory, "read" | "search"> {
  add(batch: MemoryBatch): Promise<Result<MemoryWritten, string>>
  /** Deletes everything with the tenant [N3]. */
  erase(): Promise<void>
}

export type TenantState = "making" | "there" | "leaving"
export interface DirectoryEntry extends TenantRow {
  readonly state: TenantState
}

/** The creation time of a tenant, which tells it from a later tenant with the same id. */
export type Generation = Pick<TenantRow, "id" | "created">

export interface DirectoryRpc {
  /** Reserves the row of a new tenant, or continues an interrupted creation. `taken`: a tenant has this id or is being deleted. */
  claim(id: string, name: string, jurisdiction: Jurisdiction | null): Promise<DirectoryEntry | "taken">
  /** false: another tenant has the id by now, or none. */
  settle(tenant: Generation, state: "there" | "leaving"): Promise<boolean>
  find(id: string): Promise<DirectoryEntry | undefined>
  /** Newest first, without the tenants that are being created or deleted. */
  list(
    limit: number,
    cursor?: string,
  ): Promise<{ readonly data: readonly DirectoryEntry[]; readonly next_cursor: string | null } | { readonly badCursor: true }>
  noteQuotas(id: string, quotas: Quotas): Promise<void>
  remove(tenant: Generation): Promise<void>
  putOrigins(tenant: string, origins: readonly string[]): Promise<void>
  knowsOrigin(origin: string): Promise<boolean>
  /** [K41] */
  signingKeys(): Promise<readonly PublicKey[]>
  sign(seal: Seal): Promise<Footer>
  rotateKey(): Promise<PublicKey | "full">
  /** Whether the instance's VAULT_KEY is still the one that it began with, or that the last new key for receipts was made under. */
  vaultHolds(): Promise<boolean>
}
