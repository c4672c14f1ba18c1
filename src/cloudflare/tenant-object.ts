// TenantObject: the one writer of a tenant's catalog and settings, and its list of runs; named after the tenant. Its RPC methods
// are those of TenantPort. Writes go one after another, for the bodies they store in R2 open the input gate [F71]; the rows of
// one write are one transaction. Provider keys are sealed at rest and leave only by `provider`, for the run object.
//
// Over 300 lines: RPC needs one class, and each of its methods hands on to the store that knows. What decides stands in those stores.

import { DurableObject } from "cloudflare:workers"
import type { Diagnostic } from "../core/diagnostic.ts"
import type { JsonObject } from "../core/json.ts"
import type { Amount } from "../core/amount.ts"
import type { Policy, Rules } from "../core/policy/policy.ts"
import { DEFAULT_PRICES, pricesOf } from "../core/prices.ts"
import type { Lease } from "../core/run/signal.ts"
import { Catalog } from "../engine/catalog.ts"
import { wayOf } from "../engine/guarded-fetch.ts"
import { signingKey } from "../engine/callback-signature.ts"
import { createReference, findReference } from "../engine/references.ts"
import { atOnce } from "../engine/at-once.ts"
import { inTurn } from "../engine/in-turn.ts"
import { mcpPeer } from "../engine/mcp-client.ts"
import { mcpServers } from "../engine/mcp-servers.ts"
import type { ModelSettings } from "../engine/model-choice.ts"
import { netOf } from "../engine/net.ts"
import type { PinTarget } from "../engine/pin.ts"
import { Staging } from "../engine/staging.ts"
import type { ArchitectPort, ArchitectWish } from "../ports/architect.ts"
import type {
  AgentEntry,
  Bundle,
  Kind,
  PackageBody,
  PinOptions,
  PinResult,
  Noted,
  RunRow,
  TenantPort,
  WriteResult,
  FlowCheckView,
  PriceTable,
} from "../ports/catalog.ts"
import type { McpServers } from "../ports/mcp.ts"
import type { ProviderSettings } from "../ports/model.ts"
import type { SecretRow } from "../ports/secrets.ts"
import { SPECS } from "../tools/toolbox.ts"
import type { ArchitectRpc } from "./architect-port.ts"
import type { BlobEnv } from "./blobs-r2.ts"
import { r2Blobs } from "./blobs-r2.ts"
import { BUILTINS } from "./builtins.gen.ts"
import type { McpRpc } from "./mcp-port.ts"
import { McpSql } from "./mcp-store.ts"
import { LeaseStore } from "./lease-store.ts"
import type { PlanRpc } from "./plan-port.ts"
import { PlanStore } from "./plan-store.ts"
import { PolicyStore } from "./policy-store.ts"
import { ProviderStore } from "./provider-store.ts"
import type { QuestionAnswer, QuestionView } from "../ports/questions.ts"
import { QuestionStore } from "./question-store.ts"
import type { ReferenceRpc } from "./reference-port.ts"
import { ReferenceStore } from "./reference-store.ts"
import { RunIndex } from "./run-index.ts"
import { forgetSecrets, type Opened } from "./secret-cache.ts"
import type { SecretRpc } from "./secret-port.ts"
import { SecretStore } from "./secret-store.ts"
import { SessionStore } from "./session-store.ts"
import type { SessionsRpc } from "./sessions-port.ts"
import { StagingSql } from "./staging-sql.ts"
import type { WorkspaceRpc } from "./workspace-port.ts"
import { WorkspaceStore } from "./workspace-store.ts"
import { Deliveries } from "./deliveries.ts"
import { DeliveryStore } from "./delivery-store.ts"
import type { HookRpc } from "./hook-port.ts"
import { HookStore } from "./hook-store.ts"
import { launch } from "./launch.ts"
import { runPort } from "./run-port.ts"
import { TenantAlarm } from "./tenant-alarm.ts"
import { AccountStore } from "./account-store.ts"
import type { AccountRpc } from "./account-port.ts"
import type { Env } from "./env.ts"
import { KeyStore } from "./key-store.ts"
import type { CallbackRpc } from "./callback-port.ts"
import { CallbackSender } from "./callback-sender.ts"
import { CallbackStore } from "./callback-store.ts"
import type { ScheduleRow } from "../ports/schedules.ts"
import type { ScheduleRpc } from "./schedule-port.ts"
import { ScheduleStore } from "./schedule-store.ts"
import { Schedules } from "./schedules.ts"
import { KeyWatch, type KeyWatchRpc } from "./key-watch.ts"
import { StartGate } from "./start-gate.ts"
import { StartQueue } from "./start-queue.ts"
import { retrying } from "./tenant-port.ts"
import { memoryEraser, runEraser } from "./eraser.ts"
import { TenantErasure } from "./tenant-erasure.ts"
import type { TenantsRpc } from "./tenants-port.ts"
import { TenantSql } from "./tenant-sql.ts"
import type { ToolCatalogRpc } from "./tool-catalog-port.ts"
import { ServiceStore, type ServiceRpc } from "./service-store.ts"
import { ToolStore } from "./tool-store.ts"
import type { VaultEnv } from "./vault.ts"
import { Vault } from "./vault.ts"

export interface TenantEnv extends BlobEnv, VaultEnv, Pick<Env, "RUN" | "MEMORY"> {
  readonly ALLOWED_PRIVATE_HOSTS?: string
}

/** Runs that are told of a shorter retention at a time. */
const SWEPT = 100
const TOOL_NAMES: readonly string[] = [...SPECS.keys()]

type Answer<Method extends keyof TenantPort> = ReturnType<TenantPort[Method]>

/** Writes of the catalog take one argument more than the port: who writes, which the port itself knows [F72]. */
export class TenantObject
  extends DurableObject<TenantEnv>
  implements
    TenantPort,
    ArchitectRpc,
    SessionsRpc,
    ToolCatalogRpc,
    ServiceRpc,
    McpRpc,
    SecretRpc,
    WorkspaceRpc,
    AccountRpc,
    TenantsRpc,
    KeyWatchRpc,
    HookRpc,
    CallbackRpc,
    ScheduleRpc,
    ReferenceRpc,
    PlanRpc
{
  readonly #inTurn = inTurn()
  readonly #catalog: Catalog
  readonly #staging: Staging
  readonly #providers: ProviderStore
  readonly #policies: PolicyStore
  readonly #runs: RunIndex
  readonly #workspaces: WorkspaceStore
  readonly #questions: QuestionStore
  readonly #leases: LeaseStore
  readonly #secrets: SecretStore
  readonly #tenant: string
  readonly #sessions: SessionStore
  readonly #tools: ToolStore
  readonly #services: ServiceStore
  readonly #references: ReferenceStore
  readonly #plans: PlanStore
  readonly #mcp: McpServers
  readonly #hooks: HookStore
  readonly #deliveryRows: DeliveryStore
  readonly #deliveries: Deliveries
  readonly #account: AccountStore
  readonly #keys: KeyStore
  readonly #erasure: TenantErasure
  readonly #sql: TenantSql
  #roundAt = 0
  readonly #gate: StartGate
  readonly #queue: StartQueue
  readonly #watch: KeyWatch
  readonly #callbacks: CallbackStore
  readonly #sender: CallbackSender
  readonly #scheduleRows: ScheduleStore
  readonly #schedules: Schedules
  /** Shared: who has something to do later calls `share` in the constructor and `want` where it writes the row. */
  readonly #alarm: TenantAlarm

  constructor(ctx: DurableObjectState, env: TenantEnv) {
    super(ctx, env)
    // The name that the object was asked for by; the runtime tells it since 2026-03.
    const tenant = ctx.id.name
    if (tenant === undefined) throw new Error("a tenant's object is reached by the tenant's name only")
    const sql = new TenantSql(ctx.storage)
    this.#alarm = new TenantAlarm(ctx.storage)
    this.#sql = sql
    this.#account = new AccountStore(sql, ctx.storage, env.ENVIRONMENT === "local" && tenant === "local")
    this.#keys = new KeyStore(sql, tenant, () => Date.now())
    this.#erasure = new TenantErasure(sql, this.#account, tenant, {
      eraseRun: runEraser(env, tenant),
      eraseMemory: memoryEraser(env, tenant),
      bodies: env.BLOBS,
      cache: env.CACHE,
    })
    this.#alarm.share({
      name: "erasure",
      // Whoever asked for it may still be asking for its next rounds.
      due: () => (this.#erasure.isUnderWay() ? this.#roundAt + 10_000 : undefined),
      work: async () => {
        await this.#eraseRound()
        this.#roundAt = 0
      },
    })
    this.#alarm.share({ name: "retention", due: () => (this.#account.swept() === undefined ? undefined : 0), work: () => this.#sweep() })
    this.#alarm.share({ name: "grave", due: () => this.#account.graveUntil(), work: async () => this.#account.forget() })
    const blobs = r2Blobs(env, tenant, (work) => ctx.waitUntil(work))
    const tools = new ToolStore(sql, blobs)
    this.#tools = tools
    this.#services = new ServiceStore(sql)
    this.#references = new ReferenceStore(sql)
    this.#plans = new PlanStore(sql)
    this.#catalog = new Catalog({
      store: sql,
      blobs,
      builtins: BUILTINS,
      tools: TOOL_NAMES,
      registered: () => tools.names(),
      traits: () => [...SPECS.values(), ...tools.specs()],
      allowance: () => this.#account.quotas().catalog_bytes,
      inTurn: this.#inTurn,
    })
    this.#staging = new Staging(this.#catalog.ground, new StagingSql(sql), () => Date.now())
    const vault = new Vault(env)
    this.#tenant = tenant
    this.#providers = new ProviderStore(sql, vault, tenant)
    const secrets = new SecretStore(sql, vault, tenant)
    this.#secrets = secrets
    this.#policies = new PolicyStore(sql, () => secrets.scopes())
    this.#runs = new RunIndex(sql, tenant)
    this.#gate = new StartGate({
      live: () => this.#runs.live(),
      startedAfter: (since) => this.#runs.startedAfter(since),
      quotas: () => this.#account.quotas(),
      now: () => Date.now(),
    })
    this.#queue = new StartQueue({
      sql,
      gate: this.#gate,
      release: (run) => retrying(() => env.RUN.get(env.RUN.idFromName(`${tenant}/${run}`)).release()),
      want: (at) => this.#alarm.want(at),
      now: () => Date.now(),
    })
    this.#alarm.share(this.#queue)
    this.#watch = new KeyWatch(sql, (run, key) => retrying(() => env.RUN.get(env.RUN.idFromName(`${tenant}/${run}`)).dropKey(key)))
    this.#alarm.share(this.#watch)
    const way = wayOf({ ...env, ENVIRONMENT: env.ENVIRONMENT ?? "" })
    this.#callbacks = new CallbackStore(sql, tenant)
    this.#sender = new CallbackSender({
      store: this.#callbacks,
      secrets: (scope) => secrets.all(scope),
      way,
      later: (work) => ctx.waitUntil(work),
      want: (at) => this.#alarm.want(at),
      now: () => Date.now(),
    })
    this.#alarm.share(this.#sender)
    this.#workspaces = new WorkspaceStore(sql, () => Date.now())
    this.#questions = new QuestionStore(sql)
    this.#leases = new LeaseStore(sql, () => Date.now())
    this.#mcp = mcpServers({
      store: new McpSql(sql),
      tools,
      peer: mcpPeer,
      net: netOf(way),
      vault: () => secrets.open(),
      inTurn: this.#inTurn,
      now: () => Date.now(),
    })
    this.#sessions = new SessionStore(sql, () => Date.now())
    this.#hooks = new HookStore(sql, tenant)
    this.#deliveryRows = new DeliveryStore(sql)
    const launching = {
      tenant,
      pin: (...args: Parameters<TenantPort["pin"]>) => this.pin(...args),
      run: (id: string) => runPort(env, tenant, id),
      giveBack: (run: string) => this.giveBackStart(run),
    }
    this.#deliveries = new Deliveries({
      store: this.#deliveryRows,
      launch: (wish) => launch(launching, wish),
      async payloadOf(run) {
        const [first] = (await runPort(env, tenant, run).events(0, 1))?.data ?? []
        return first?.type === "run.started" ? first.payload : undefined
      },
      want: (at) => this.#alarm.want(at),
    })
    this.#alarm.share(this.#deliveries)
    this.#scheduleRows = new ScheduleStore(sql)
    this.#schedules = new Schedules({
      store: this.#scheduleRows,
      tenant,
      launch: (wish) => launch(launching, wish),
      waits: (run) => this.#queue.has(run),
      want: (at) => this.#alarm.want(at),
      later: (work) => ctx.waitUntil(work),
    })
    this.#alarm.share(this.#schedules)
  }

  override alarm(): Promise<void> {
    return this.#alarm.ring()
  }

  /** [N7] Reads and writes nothing: an object that is asked only this leaves no trace. */
  async answers(): Promise<true> {
    return true
  }

  agents(): Promise<AgentEntry[]> {
    return this.#catalog.agents()
  }

  writeAgent(path: string, content: string, by?: string): Promise<WriteResult> {
    return this.#catalog.write("agent", path, content, by)
  }

  writeFlow(path: string, content: string, by?: string): Promise<WriteResult> {
    return this.#catalog.write("flow", path, content, by)
  }

  async validate(kind: Kind, content: string, path?: string): Promise<readonly Diagnostic[]> {
    return this.#catalog.validate(kind, content, path)
  }

  put(kind: Kind, path: string, content: string, ifMatch?: string, by?: string): Answer<"put"> {
    return this.#catalog.put(kind, path, content, ifMatch, by)
  }

  read(kind: Kind, id: string, revision?: number): Answer<"read"> {
    return this.#catalog.read(kind, id, revision)
  }

  remove(kind: Kind, id: string, ifMatch?: string, by?: string): Answer<"remove"> {
    return this.#catalog.remove(kind, id, ifMatch, by)
  }

  files(kind?: Kind): Answer<"files"> {
    return this.#catalog.files(kind)
  }

  filesAt(revision: number): Answer<"filesAt"> {
    return this.#catalog.filesAt(revision)
  }

  replace(bundle: Bundle, ifRevision?: number, by?: string): Answer<"replace"> {
    return this.#catalog.replace(bundle, ifRevision, by)
  }

  export(): Answer<"export"> {
    return this.#catalog.export()
  }

  history(query: Parameters<TenantPort["history"]>[0]): Answer<"history"> {
    return this.#catalog.history.list(query)
  }

  diff(query: Parameters<TenantPort["diff"]>[0]): Answer<"diff"> {
    return this.#catalog.history.diff(query)
  }

  rollback(revision: number, ifRevision?: number, by?: string): Answer<"rollback"> {
    return this.#catalog.history.rollback(revision, ifRevision, by)
  }

  packages(): Answer<"packages"> {
    return this.#catalog.packages.list()
  }

  package(name: string): Answer<"package"> {
    return this.#catalog.packages.read(name)
  }

  putPackage(name: string, body: PackageBody, ifMatch?: string, by?: string): Answer<"putPackage"> {
    return this.#catalog.packages.put(name, body, ifMatch, by)
  }

  removePackage(name: string, ifMatch?: string, by?: string): Answer<"removePackage"> {
    return this.#catalog.packages.remove(name, ifMatch, by)
  }

  async check(id: string): Promise<FlowCheckView | undefined> {
    const settings: ModelSettings = { providers: this.#providers.names(), roles: this.#providers.roles() }
    return this.#catalog.check(id, settings, { ...DEFAULT_PRICES, ...this.#providers.prices() })
  }

  async pin(target: PinTarget, options: PinOptions): Promise<PinResult> {
    const settings: ModelSettings = { providers: this.#providers.names(), roles: this.#providers.roles() }
    // Of the same turn as the catalog that it pins: a policy written before a start holds for it.
    const rules = this.#policies.rules()
    const [prices, daily] = [{ ...DEFAULT_PRICES, ...this.#providers.prices() }, this.#leases.limit()]
    const pinned = await this.#catalog.pin(target, settings, options)
    if (!pinned.ok) return pinned
    const own = pricesOf(prices, Object.values(pinned.pins.models))
    const whole = { ...pinned, rules, money: { dollars: false, ...pinned.money, prices: own, daily } }
    if (options.start === undefined) return whole
    // Last: what cannot start takes no place [H6].
    const { run, kind } = options.start
    const queues = kind === "webhook" || kind === "schedule"
    const place = queues && !this.#queue.isEmpty() ? undefined : await this.#gate.admit(run, kind)
    if (place?.ok) return { ...whole, limits: place.limits }
    if (place && !queues) return { ok: false, code: "quota", message: place.why, retry: place.retry, limits: place.limits }
    this.#queue.add(run)
    return { ...whole, queue: true }
  }

  async dayLimit(): Promise<Amount> {
    return this.#leases.limit()
  }

  async putDayLimit(limit: Amount): Promise<void> {
    this.#leases.put(limit)
  }

  async lease(run: string, key: string, amount: Amount): Promise<Lease> {
    return this.#leases.lease(run, key, amount)
  }

  async giveBack(run: string, until: number, unused: Amount): Promise<void> {
    this.#leases.giveBack(run, until, unused)
  }

  openArchitect(wish: ArchitectWish): ReturnType<ArchitectPort["open"]> {
    return this.#staging.open(wish)
  }

  lookArchitect(id: string): ReturnType<ArchitectPort["look"]> {
    return this.#staging.look(id)
  }

  async listArchitect(query: Parameters<ArchitectPort["list"]>[0]): ReturnType<ArchitectPort["list"]> {
    return this.#staging.list(query)
  }

  acceptArchitect(id: string, seen: Parameters<ArchitectPort["accept"]>[1], by?: string): ReturnType<ArchitectPort["accept"]> {
    return this.#staging.accept(id, seen, by)
  }

  reviseArchitect(id: string, back: Parameters<ArchitectPort["revise"]>[1]): ReturnType<ArchitectPort["revise"]> {
    return this.#staging.revise(id, back)
  }

  discardArchitect(id: string): ReturnType<ArchitectPort["discard"]> {
    return this.#staging.discard(id)
  }

  stagedAgents(session: string): Promise<AgentEntry[]> {
    return this.#staging.agents(session)
  }

  stage(session: string, run: string, kind: "agent" | "flow", path: string, content: string): Promise<WriteResult> {
    return this.#staging.write(session, run, kind, path, content)
  }

  async providers(): Promise<Readonly<Record<string, JsonObject>>> {
    return this.#providers.list()
  }

  putProvider(name: string, settings: ProviderSettings): Promise<void> {
    return this.#inTurn(() => this.#providers.put(name, settings))
  }

  removeProvider(name: string): Promise<boolean> {
    return this.#inTurn(async () => this.#providers.remove(name))
  }

  provider(name: string): Promise<ProviderSettings | undefined> {
    return this.#providers.open(name)
  }

  async roles(): Promise<Readonly<Record<string, string>>> {
    return this.#providers.roles()
  }

  async policy(): Promise<Policy> {
    return this.#policies.policy()
  }

  putPolicy(policy: Policy): Promise<void> {
    return this.#inTurn(async () => this.#policies.put(policy))
  }

  async rules(): Promise<Rules> {
    return this.#policies.rules()
  }

  async agentTools(name: string): Answer<"agentTools"> {
    const settings: ModelSettings = { providers: this.#providers.names(), roles: this.#providers.roles() }
    const tools = [...SPECS.values(), ...this.#tools.specs()]
    return this.#catalog.agentTools(name, { tools, policy: this.#policies.policy(), settings })
  }

  async secretRows(): Promise<readonly SecretRow[]> {
    return this.#secrets.list()
  }

  putSecret(scope: string, values: readonly string[]): ReturnType<SecretRpc["putSecret"]> {
    return this.#inTurn(() => this.#secrets.put(scope, values)).finally(() => forgetSecrets(this.#tenant))
  }

  removeSecret(scope: string): Promise<boolean> {
    return this.#inTurn(async () => this.#secrets.remove(scope)).finally(() => forgetSecrets(this.#tenant))
  }

  /** For the executor alone [T32]. */
  async openSecrets(): Promise<Opened> {
    return { vault: await this.#secrets.open(), keys: await this.#providers.keys() }
  }

  async prices(): Promise<PriceTable> {
    return this.#providers.prices()
  }

  putPrices(prices: PriceTable): Promise<void> {
    return this.#inTurn(async () => this.#providers.putPrices(prices))
  }

  putRoles(roles: Readonly<Record<string, string>>): Promise<void> {
    return this.#inTurn(async () => this.#providers.putRoles(roles))
  }

  async services(): ReturnType<ServiceRpc["services"]> {
    return this.#services.all()
  }

  putServices(services: Parameters<ServiceRpc["putServices"]>[0]): Promise<void> {
    return this.#inTurn(async () => this.#services.put(services))
  }

  registeredTools(): ReturnType<ToolCatalogRpc["registeredTools"]> {
    return this.#tools.registered()
  }

  registerTools(defs: Parameters<ToolCatalogRpc["registerTools"]>[0]): ReturnType<ToolCatalogRpc["registerTools"]> {
    return this.#inTurn(() => this.#tools.register(defs))
  }

  unregisterTool(name: string): Promise<boolean> {
    return this.#inTurn(() => this.#tools.unregister(name))
  }

  async claimSession(claim: Parameters<SessionsRpc["claimSession"]>[0]): ReturnType<SessionsRpc["claimSession"]> {
    return this.#sessions.claim(claim)
  }

  async giveBackSession(...[claim, said]: Parameters<SessionsRpc["giveBackSession"]>): Promise<void> {
    this.#sessions.giveBack(claim, said)
  }

  async listSessions(): ReturnType<SessionsRpc["listSessions"]> {
    return this.#sessions.list()
  }

  async removeSession(agent: string, id: string): Promise<boolean> {
    return this.#sessions.remove(agent, id)
  }

  async referenceKinds(): ReturnType<ReferenceRpc["referenceKinds"]> {
    return this.#references.kinds()
  }

  async putReferenceKind(kind: Parameters<ReferenceRpc["putReferenceKind"]>[0]): ReturnType<ReferenceRpc["putReferenceKind"]> {
    return this.#references.putKind(kind, Date.now())
  }

  async removeReferenceKind(name: string): Promise<boolean> {
    return this.#references.removeKind(name)
  }

  createReference(...[kind, value, tainted]: Parameters<ReferenceRpc["createReference"]>): ReturnType<ReferenceRpc["createReference"]> {
    const deps = { rows: this.#references, blobs: r2Blobs(this.env, this.#tenant), tenant: this.#tenant, now: () => Date.now() }
    return createReference(deps, kind, value, tainted)
  }

  async findReference(kind: string, id: string): ReturnType<ReferenceRpc["findReference"]> {
    return findReference({ rows: this.#references, now: () => Date.now() }, kind, id)
  }

  async planSpecs(): ReturnType<PlanRpc["planSpecs"]> {
    return this.#plans.specs()
  }

  async planSpec(name: string): ReturnType<PlanRpc["planSpec"]> {
    return this.#plans.spec(name)
  }

  async putPlanSpec(spec: Parameters<PlanRpc["putPlanSpec"]>[0]): ReturnType<PlanRpc["putPlanSpec"]> {
    return this.#plans.putSpec(spec, Date.now())
  }

  async removePlanSpec(name: string): Promise<boolean> {
    return this.#plans.removeSpec(name)
  }

  async plansOfRun(run: string): ReturnType<PlanRpc["plansOfRun"]> {
    return this.#plans.ofRun(run)
  }

  async findPlan(run: string, planId: string): ReturnType<PlanRpc["findPlan"]> {
    return this.#plans.find(run, planId)
  }

  async insertPlan(run: string, plan: Parameters<PlanRpc["insertPlan"]>[1]): ReturnType<PlanRpc["insertPlan"]> {
    return this.#plans.insert(run, plan, Date.now())
  }

  async movePlan(...[run, planId, to, end]: Parameters<PlanRpc["movePlan"]>): ReturnType<PlanRpc["movePlan"]> {
    return this.#plans.move(run, planId, to, Date.now(), end)
  }

  listMcp(): ReturnType<McpRpc["listMcp"]> {
    return this.#mcp.list()
  }

  getMcp(name: string): ReturnType<McpRpc["getMcp"]> {
    return this.#mcp.get(name)
  }

  putMcp(...args: Parameters<McpRpc["putMcp"]>): ReturnType<McpRpc["putMcp"]> {
    return this.#mcp.put(...args)
  }

  refreshMcp(name: string): ReturnType<McpRpc["refreshMcp"]> {
    return this.#mcp.refresh(name)
  }

  approveMcp(name: string, hash: string): ReturnType<McpRpc["approveMcp"]> {
    return this.#mcp.approve(name, hash)
  }

  removeMcp(name: string): Promise<boolean> {
    return this.#mcp.remove(name)
  }

  async workspaceFiles(workspace: string): ReturnType<WorkspaceRpc["workspaceFiles"]> {
    return this.#workspaces.files(workspace)
  }

  async changeWorkspace(workspace: string, changes: Parameters<WorkspaceRpc["changeWorkspace"]>[1]): Promise<string | undefined> {
    return this.#workspaces.change(workspace, changes)
  }

  async verifyKey(digest: string): ReturnType<AccountRpc["verifyKey"]> {
    const key = this.#keys.verify(digest)
    const since = this.#account.since()
    return key === undefined || since === undefined ? undefined : { ...key, since }
  }

  /** Asked in one turn: a revocation finds the row, or the key is gone already. */
  async watchKey(key: string, run: string): Promise<boolean> {
    if (!this.#keys.holds(key) || this.#account.since() === undefined) return false
    this.#watch.watch(key, run)
    return true
  }

  async keyHolds(id: string): Promise<boolean> {
    return this.#keys.holds(id) && this.#account.since() !== undefined
  }

  createKey(key: Parameters<AccountRpc["createKey"]>[0]): ReturnType<AccountRpc["createKey"]> {
    return this.#keys.create(key)
  }

  async listKeys(): ReturnType<AccountRpc["listKeys"]> {
    return this.#keys.list()
  }

  async revokeKey(id: string): Promise<boolean> {
    const gone = this.#keys.revoke(id)
    const now = Date.now()
    if (gone && this.#watch.revoke(id, now)) this.#alarm.want(now)
    return gone
  }

  async quotas(): ReturnType<AccountRpc["quotas"]> {
    return this.#account.quotas()
  }

  async putQuotas(quotas: Parameters<TenantsRpc["putQuotas"]>[0]): ReturnType<TenantsRpc["putQuotas"]> {
    const all = this.#account.putQuotas(quotas)
    this.#alarm.want(Date.now())
    return all
  }

  async retention(): Promise<number> {
    return this.#account.retention()
  }

  async putRetention(ms: number): ReturnType<AccountRpc["putRetention"]> {
    const done = this.#account.putRetention(ms)
    if (this.#account.swept() !== undefined) this.#alarm.want(Date.now())
    return done
  }

  /** [H6] A shorter retention holds for runs that have ended already. */
  async #sweep(): Promise<void> {
    const ids = this.#runs.endedAfter(this.#account.swept() ?? "", SWEPT)
    await atOnce(ids, (id) => retrying(() => this.env.RUN.get(this.env.RUN.idFromName(`${this.#tenant}/${id}`)).expire()))
    this.#account.sweptTo(ids.at(-1))
  }

  async origins(): Promise<string[]> {
    return this.#account.origins()
  }

  async putOrigins(origins: readonly string[]): Promise<void> {
    this.#account.putOrigins(origins)
  }

  async giveBackStart(run: string): Promise<void> {
    this.#gate.giveBack(run)
    this.#queue.remove(run)
  }

  async found(founding: Parameters<TenantsRpc["found"]>[0]): ReturnType<TenantsRpc["found"]> {
    this.#account.found(founding)
    this.#policies.begin(founding.created)
    this.#account.forget()
    return this.#account.quotas()
  }

  async since(): Promise<number | undefined> {
    return this.#account.since()
  }

  /** One round [N3]; the alarm goes on where nobody asks for the next. */
  async eraseTenant(): ReturnType<TenantsRpc["eraseTenant"]> {
    const deleted = this.#erasure.begin()
    this.#sender.stop()
    this.#roundAt = Date.now()
    this.#alarm.want(this.#roundAt + 10_000)
    return { done: await this.#eraseRound(), deleted }
  }

  #eraseRound(): Promise<boolean> {
    return this.#inTurn(async () => {
      this.#roundAt = Date.now()
      if (!(await this.#erasure.round())) return false
      await this.ctx.storage.deleteAll()
      this.#sql.forget()
      this.#gate.forget()
      this.#alarm.forget()
      this.#account.bury()
      this.#alarm.want(this.#account.graveUntil() ?? Date.now())
      return true
    })
  }

  async createHook(...args: Parameters<HookRpc["createHook"]>): ReturnType<HookRpc["createHook"]> {
    return this.#hooks.create(...args)
  }

  async listHooks(): ReturnType<HookRpc["listHooks"]> {
    return this.#hooks.list()
  }

  async findHook(id: string): ReturnType<HookRpc["findHook"]> {
    return this.#hooks.find(id)
  }

  async replaceHook(...args: Parameters<HookRpc["replaceHook"]>): ReturnType<HookRpc["replaceHook"]> {
    return this.#hooks.replace(...args)
  }

  async removeHook(id: string): Promise<boolean> {
    return this.#hooks.remove(id)
  }

  async listDeliveries(...[hook, query]: Parameters<HookRpc["listDeliveries"]>): ReturnType<HookRpc["listDeliveries"]> {
    return this.#hooks.find(hook) && this.#deliveryRows.list(hook, query)
  }

  async redeliverHook(id: string, delivery: string): ReturnType<HookRpc["redeliverHook"]> {
    const hook = this.#hooks.find(id)
    return hook ? this.#deliveries.redeliver(hook, delivery) : "not_found"
  }

  /** A hook that is switched off, or whose tenant is going, is there for nobody outside. */
  async openHook(id: string): ReturnType<HookRpc["openHook"]> {
    const hook = this.#hooks.find(id)
    if (!hook?.enabled || this.#account.leaving() !== undefined) return undefined
    const secrets = await this.#secrets.all(hook.secret).catch(() => [])
    return { hook, secrets }
  }

  async refuseDelivery(...[hook, verdict, reason]: Parameters<HookRpc["refuseDelivery"]>): Promise<void> {
    if (this.#hooks.find(hook)) this.#deliveries.refuse(hook, verdict, reason)
  }

  async takeDelivery(id: string, delivered: Parameters<HookRpc["takeDelivery"]>[1]): ReturnType<HookRpc["takeDelivery"]> {
    const hook = this.#hooks.find(id)
    return hook && this.#deliveries.take(hook, delivered)
  }

  async createSchedule(...[id, settings]: Parameters<ScheduleRpc["createSchedule"]>): ReturnType<ScheduleRpc["createSchedule"]> {
    return this.#timed(this.#scheduleRows.create(id, Date.now(), settings))
  }

  async listSchedules(): ReturnType<ScheduleRpc["listSchedules"]> {
    return this.#scheduleRows.list()
  }

  async findSchedule(id: string): ReturnType<ScheduleRpc["findSchedule"]> {
    return this.#scheduleRows.find(id)
  }

  async replaceSchedule(...[id, settings]: Parameters<ScheduleRpc["replaceSchedule"]>): ReturnType<ScheduleRpc["replaceSchedule"]> {
    return this.#timed(this.#scheduleRows.replace(id, settings, Date.now()))
  }

  /** In the turn that wrote the row. */
  #timed<T extends ScheduleRow | "too_many" | undefined>(row: T): T {
    if (typeof row === "object" && row.next !== null) this.#alarm.want(row.next)
    return row
  }

  async removeSchedule(id: string): Promise<boolean> {
    return this.#scheduleRows.remove(id)
  }

  fireSchedule(id: string): ReturnType<ScheduleRpc["fireSchedule"]> {
    return this.#schedules.fire(id)
  }

  async callbackSigning(scope: string): ReturnType<CallbackRpc["callbackSigning"]> {
    if (!this.#secrets.scopes().includes(scope)) return "no_scope"
    // What was sealed under another key signs nothing.
    const values = await this.#secrets.all(scope).catch(() => [])
    return values.some((value) => signingKey(value) !== undefined) ? "ok" : "no_key"
  }

  async createCallback(row: Parameters<CallbackRpc["createCallback"]>[0]): ReturnType<CallbackRpc["createCallback"]> {
    return this.#callbacks.create(row)
  }

  async listCallbacks(): ReturnType<CallbackRpc["listCallbacks"]> {
    return this.#callbacks.list()
  }

  async findCallback(id: string): ReturnType<CallbackRpc["findCallback"]> {
    return this.#callbacks.find(id)
  }

  async removeCallback(id: string): Promise<boolean> {
    return this.#callbacks.remove(id)
  }

  async callbackMessages(query: Parameters<CallbackRpc["callbackMessages"]>[0]): ReturnType<CallbackRpc["callbackMessages"]> {
    return this.#callbacks.messages(query)
  }

  async callbackMessage(id: string): ReturnType<CallbackRpc["callbackMessage"]> {
    return this.#callbacks.message(id)
  }

  async redriveMessage(id: string): ReturnType<CallbackRpc["redriveMessage"]> {
    const done = this.#callbacks.redrive(id, Date.now())
    if (done === "ok") this.#sender.send()
    return done
  }

  async noteRun(row: RunRow): Promise<Noted> {
    // A start that was under way while its tenant was deleted [N3].
    if (this.#account.isGone(row.created)) return "gone"
    // In one commit: what the row knows to be told is in the outbox.
    const isNews = this.#callbacks.hear(row, Date.now())
    this.#runs.note(row)
    if (isNews) this.#sender.send()
    if (row.ended !== undefined) this.#schedules.ended(row.id)
    if (row.status === "queued") this.#queue.held(row.id)
    else if (row.view["parent"] === undefined) this.#gate.note(row.id, row.ended !== undefined)
    if (!this.#queue.isEmpty()) this.ctx.waitUntil(this.#queue.drain().catch(() => undefined))
    return { retention: this.#account.retention() }
  }

  async removeRun(id: string): Promise<void> {
    this.#runs.remove(id)
    this.#plans.forget(id)
    this.#sender.drop(id)
    this.#schedules.ended(id)
    this.#watch.forget(id)
    this.#queue.remove(id)
    this.#gate.note(id, true)
  }

  async askingRuns(query: Parameters<TenantPort["askingRuns"]>[0]): Answer<"askingRuns"> {
    return this.#runs.asking(query)
  }

  async askQuestion(args: JsonObject, by: string): Promise<QuestionView> {
    return this.#questions.ask(args, by)
  }

  async openQuestions(): Promise<readonly QuestionView[]> {
    return this.#questions.open()
  }

  async findQuestion(id: string): Promise<QuestionView | undefined> {
    return this.#questions.find(id)
  }

  async answerQuestion(id: string, body: Parameters<QuestionStore["answer"]>[1], by: string): Promise<QuestionAnswer> {
    return this.#questions.answer(id, body, by)
  }

  waitQuestion(id: string, ms: number): Promise<QuestionView | undefined> {
    return this.#questions.wait(id, ms)
  }

  async listRuns(query: Parameters<TenantPort["listRuns"]>[0]): ReturnType<TenantPort["listRuns"]> {
    return this.#runs.list(query)
  }
}
