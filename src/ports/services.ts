// Defines the services of HTTP routes: the caller behind a key, and ports bound to that caller's tenant. Routes have no other access to stores [N1].

import type { LinePort } from "./tenant/line.ts"
import type { NamedWorkspaces } from "./workspace.ts"
import type { ProviderAnswer, ProviderModels, ProviderSettings, TestWish } from "./tenant/providers.ts"
import type { JsonObject } from "../core/json.ts"
import type { Zones } from "../core/tool/policy/closed-hosts.ts"
import type { Origin } from "../core/flow/origin.ts"
import type { ToolSpec } from "../core/tool/tool-spec.ts"
import type { DefinitionsGone, RunPort } from "./run.ts"
import type { IdempotencyPort } from "./tenant/idempotency.ts"
import type { DayBudget } from "./day-budget.ts"
import type { QuestionsPort } from "./tenant/questions.ts"
import type { ArchitectPort } from "./tenant/authoring/architect.ts"
import type { ToolDef } from "../core/tool/tool-def.ts"
import type { ApplyingCatalog } from "./tenant/authoring/apply.ts"
import type { PlanRows } from "./tenant/authoring/plans.ts"
import type { References } from "./references.ts"
import type { ToolCatalogPort } from "./tenant/tool-catalog.ts"
import type { SumsPort } from "./tenant/sums.ts"
import type { UsagePort } from "./tenant/usage.ts"
import type { McpServers } from "./mcp.ts"
import type { FeedPort } from "./tenant/feed.ts"
import type { ExperimentsPort } from "./tenant/quality/experiments.ts"
import type { ScoresPort } from "./tenant/quality/scores.ts"
import type { DatasetsPort } from "./tenant/quality/datasets.ts"
import type { BulksPort } from "./tenant/bulks.ts"
import type { CallbacksPort } from "./tenant/callbacks.ts"
import type { FailuresPort } from "./tenant/failures.ts"
import type { HookDoor, HooksPort } from "./tenant/hooks.ts"
import type { RunListPort } from "./tenant/run-list.ts"
import type { GivenFilesPort } from "./given-files.ts"
import type { SchedulesPort } from "./tenant/schedules.ts"
import type { SigningPort } from "./tenant/receipts.ts"
import type { SecretsPort } from "./secrets.ts"
import type { CachedPasses } from "./tenant/cached-passes.ts"
import type { Conversation, ConversationPlace, StickySessions } from "./tenant/sessions.ts"
import type { SettingsPort } from "./tenant/settings.ts"
import type { BacktestsPort } from "./tenant/authoring/backtests.ts"
import type { TurnTried, TurnWish } from "./turn.ts"
import type { TestResultsPort } from "./tenant/authoring/test-results.ts"
import type { TrialsPort } from "./tenant/authoring/trials.ts"
import type { SignInsPort } from "./tenant/sign-ins.ts"
import type { AccessAnswer, Caller, ChatWish } from "./tenant/caller.ts"
import type { AccountPort, TenantsPort } from "./tenant/tenants.ts"
import type { SkillLibrary, Subagents, Tool, ToolPowers } from "./tool.ts"

export type { Scope } from "./tenant/tenants.ts"
export type { Caller, ChatWish, Right } from "./tenant/caller.ts"

export interface TenantServices {
  readonly catalog: ApplyingCatalog
  readonly settings: SettingsPort
  /** Asks a provider's model for one word. undefined: there is no such provider. Must not reject, and its answer contains no key. */
  testProvider(provider: string, model: string, wish?: TestWish): Promise<ProviderAnswer | undefined>
  /**
   * [N6] Asks a provider for its list of models; `settings`: in place of the saved ones. undefined: there is no such provider. Must not reject,
   * and its answer contains no key.
   */
  providerModels(provider: string, settings?: ProviderSettings): Promise<ProviderModels | undefined>
  /** [K19] Asks a model one turn again, on the recorded request. undefined: no such run or step. */
  tryTurn(run: string, wish: TurnWish): Promise<TurnTried | DefinitionsGone | undefined>
  readonly runList: RunListPort
  /** [H15] */
  readonly feed: FeedPort
  readonly usage: UsagePort
  readonly sums: SumsPort
  readonly failures: FailuresPort
  /** `id` is any text. If this tenant has no such run, `view()` of the port is undefined [H2]. */
  run(id: string): RunPort
  /** A fresh id, or the one derived from (tenant, key) [H4]. */
  runId(idempotencyKey?: string): Promise<string>
  idempotency(key: string): Promise<IdempotencyPort>
  /** Current local and built-in skills, for `skill_read` of the main session. */
  skills(): Promise<SkillLibrary>
  readonly subagents: Subagents
  readonly sessions: StickySessions
  /** [R41] */
  readonly cachedPasses: Pick<CachedPasses, "forget">
  /** [J25] undefined: no such session. */
  conversation(agent: string, session: string, place: ConversationPlace): Promise<Conversation | undefined>
  /** What tools may use outside a run: memory, shared files, models. `root`: the base address of links that they make. */
  powers(root: string): Partial<ToolPowers>
  readonly architect: ArchitectPort
  /** Goes on with the proof of a repair's files that this run of the session wrote, after the answer; it may have stopped. */
  proveRepair(session: string, run: string): void
  /** [K24] The same, past the gate: for an admin. */
  forcing(): Pick<TenantServices, "catalog" | "architect" | "settings">
  readonly backtests: BacktestsPort
  /** [K21] */
  readonly trials: TrialsPort
  readonly testResults: TestResultsPort
  /** Files outside any run, for `?workspace=NAME` [T20]. */
  readonly workspaces: NamedWorkspaces
  /** [F55] */
  readonly givenFiles: GivenFilesPort
  /** The tenant's vault [T32]. */
  readonly secrets: SecretsPort
  readonly questions: QuestionsPort
  readonly dayBudget: DayBudget
  /** A signed token that answers one interaction, as far as `link` allows. */
  answerToken(link: AnswerLink): Promise<string>
  /** [H1] For readers of one run that cannot send a key; valid no longer than the caller's key. `expires` in milliseconds. */
  runToken(run: string, expires: number, page?: PublicToken): Promise<string>
  /** [P9] For a page; valid no longer than the caller's key. `expires` in milliseconds. */
  chatToken(wish: ChatWish, expires: number): Promise<string>
  readonly mcp: McpServers
  /** [T27] A signed state for connecting this server; `expires` in milliseconds. */
  connectToken(server: string, expires: number): Promise<string>
  /** The tools that the tenant registered: HTTP tools and tools of MCP servers [T26, T27]. */
  readonly registered: ToolCatalogPort
  /** Makes a registered tool executable. */
  toolOf(def: ToolDef): Tool
  readonly references: References
  readonly plans: Pick<PlanRows, "ofRun">
  readonly words: SignedWords
  readonly hooks: HooksPort
  readonly callbacks: CallbacksPort
  readonly schedules: SchedulesPort
  /** [R42] */
  readonly datasets: DatasetsPort
  readonly bulks: BulksPort
  readonly scores: ScoresPort
  readonly experiments: ExperimentsPort
  /** Keys, limits and the settings of the tenant as a whole. */
  readonly account: AccountPort
  /** [R5] */
  readonly line: Pick<LinePort, "arrive" | "starts">
}

/** A token for a public page. `answer`: it may also answer the run's questions. */
export interface PublicToken {
  readonly view: "public"
  readonly answer: boolean
  /** [V20] It says how good the run is. */
  readonly feedback?: true
  /** [G11] */
  readonly trusted?: readonly Origin[]
}

export interface AnswerLink {
  readonly run: string
  readonly interaction: string
  /** `edit`, `raise`: answers that a link gives only if it was made for them. */
  readonly allow: readonly string[]
  /** Milliseconds. */
  readonly expires: number
}

export interface InstanceServices {
  /** "local" or anything else; local keys and loopback providers exist only if it is "local" [N5]. */
  readonly environment: string
  readonly version: string
  /** Where this instance is reached, without a slash at the end; absent: not configured. */
  readonly publicUrl?: string
  /** [N2] Only a dispatcher reaches this instance, so what it says about the address is true. */
  readonly isDispatched?: boolean
  /** [N8] Writes a request's line into the log; absent: requests are not logged. */
  readonly log?: (fields: JsonObject) => void
  /** Writes an internal fault's line into the log. The log takes out secrets. */
  fault(fields: Readonly<Record<string, unknown>>): void
  /** [N7] Each service that every request needs, and whether it answers. */
  ready(): Promise<Readonly<Record<string, boolean>>>
  /** [N7] Whether the disk takes a write: asked when the platform does not say why one failed. */
  hasRoom(): Promise<boolean>
  /** [N7] Whether what little room is left on the disk is kept for deletions; false where the platform has no disk to fill. */
  isNearlyFull(): Promise<boolean>
  /** [N7] Whether the server ends within seconds: what has begun goes on, and nothing begins. */
  isStopping(): Promise<boolean>
  /** `host[:port]`: private addresses that tools may reach, in local development only [T21]. */
  readonly privateHosts?: readonly string[]
  /** The instance's own zone, which nothing may call, and what the operator opens. */
  readonly zones?: Zones
  readonly tools: readonly Tool[]
  /** Tools that the engine answers itself, such as `ask_user`: listed with the reason why they cannot be called here. */
  readonly others?: readonly ToolSpec[]
  /** Built-in tools whose binding this Worker lacks, by name, and why they are missing [T25]. */
  readonly missing?: ReadonlyMap<string, string>
  /** The caller behind a bearer key, or undefined. Constant time in the key. */
  identify(bearer: string): Promise<Caller | undefined>
  open(caller: Caller): TenantServices
  /** [S18] Whether the caller's key, and its session if it has one, is still valid. The answer is at most one second old. */
  holds(caller: Caller): Promise<boolean>
  /** [H13] */
  readonly signIns: SignInsPort
  /** [H14] Absent: this instance does not use Cloudflare Access. */
  readonly access?: (token: string) => Promise<AccessAnswer>
  /** [K41] */
  readonly signing: SigningPort
  /** [N5] For the admin key only. */
  readonly tenants: TenantsPort
  /** [H7] Whether a page of this origin may read answers to this tenant's keys. */
  allows(tenant: string, origin: string): Promise<boolean>
  /** [H7] Whether any tenant lists this origin; a preflight request carries no key. */
  knows(origin: string): Promise<boolean>
  /** [W1] The hook of this id, for any caller: the id is hard to guess and opens nothing by itself. */
  hook(id: string): Promise<HookDoor | undefined>
  /** [H1] The run that a per-run token is for, and the caller who made it, with no more rights than needed; undefined: altered or expired. */
  runTokenOf(token: string): Promise<{ readonly run: string; readonly caller: Caller } | undefined>
  /** [P9] The caller of a chat token; undefined: altered or expired. */
  chatTokenOf(token: string): Promise<Caller | undefined>
  /** The interaction that a signed link is for; undefined: altered or expired. */
  linked(
    token: string,
  ): Promise<
    { readonly tenant: string; readonly run: RunPort; readonly interaction: string; readonly allow: readonly string[] } | undefined
  >
  /** [T27] The server that a state was signed for; undefined: altered or expired. */
  connecting(token: string): Promise<{ readonly server: string; readonly mcp: Pick<McpServers, "connected"> } | undefined>
  /** A file for browsers that was deployed with the Worker, by its path; absent or not `ok`: there is none. */
  asset?(path: string): Promise<Response>
  mcpServer(call: McpCall): Promise<Response>
  /** [T24] The file behind a signed link; the link is the only right needed. `refused`: altered or expired; undefined: the file is gone. */
  download(token: string): Promise<Download | "refused" | undefined>
}

/** A message to the MCP server [H12], as received. */
export interface McpCall {
  /** Method, address and headers; the body is `message`, as JSON. */
  readonly request: Request
  readonly message: unknown
  readonly services: InstanceServices
  readonly caller: Caller
  readonly tenant: TenantServices
  /** A path of the API, as a path of the host that the client asked [N2]. */
  at(path: string): string
  /** Sends a request to the API with the caller's key, so that MCP gives that key no extra rights. */
  ask(method: "GET" | "POST", path: string, body?: JsonObject, headers?: Readonly<Record<string, string>>): Promise<Response>
}

/** Signed values that a client receives and must send back unchanged, valid for this tenant and one purpose. */
export interface SignedWords {
  /** The result is valid for `ms` milliseconds. undefined: this Worker has no signing secret. */
  sign(purpose: string, said: Readonly<Record<string, string>>, ms: number): Promise<string | undefined>
  /** undefined: altered, expired, or made for another tenant or purpose. */
  read(purpose: string, token: string): Promise<Readonly<Record<string, unknown>> | undefined>
}

export interface Download {
  readonly name: string
  readonly size: number
  readonly contentType?: string
  readonly body: ReadableStream<Uint8Array>
}
