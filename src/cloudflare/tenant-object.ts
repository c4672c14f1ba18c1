// TenantObject: the one writer of a tenant's catalog and settings, and its list of runs; named after the tenant. Its RPC methods
// are those of TenantPort. Writes go one after another, for the bodies they store in R2 open the input gate [F71]; the rows of
// one write are one transaction. Provider keys are sealed at rest and leave only by `provider`, for the run object.

import { DurableObject } from "cloudflare:workers"
import type { Diagnostic } from "../core/diagnostic.ts"
import type { JsonObject } from "../core/json.ts"
import { Catalog } from "../engine/catalog.ts"
import { inTurn } from "../engine/in-turn.ts"
import type { ModelSettings } from "../engine/model-choice.ts"
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
  RunRow,
  TenantPort,
  WriteResult,
  FlowCheckView,
  PriceTable,
} from "../ports/catalog.ts"
import type { ProviderSettings } from "../ports/model.ts"
import { SPECS } from "../tools/toolbox.ts"
import type { ArchitectRpc } from "./architect-port.ts"
import type { BlobEnv } from "./blobs-r2.ts"
import { r2Blobs } from "./blobs-r2.ts"
import { BUILTINS } from "./builtins.gen.ts"
import { ProviderStore } from "./provider-store.ts"
import { RunIndex } from "./run-index.ts"
import { StagingSql } from "./staging-sql.ts"
import { TenantSql } from "./tenant-sql.ts"
import type { VaultEnv } from "./vault.ts"
import { Vault } from "./vault.ts"

export interface TenantEnv extends BlobEnv, VaultEnv {}

const TOOL_NAMES: readonly string[] = [...SPECS.keys()]

type Answer<Method extends keyof TenantPort> = ReturnType<TenantPort[Method]>

/** Writes of the catalog take one argument more than the port: who writes, which the port itself knows [F72]. */
export class TenantObject extends DurableObject<TenantEnv> implements TenantPort, ArchitectRpc {
  readonly #inTurn = inTurn()
  readonly #catalog: Catalog
  readonly #staging: Staging
  readonly #providers: ProviderStore
  readonly #runs: RunIndex

  constructor(ctx: DurableObjectState, env: TenantEnv) {
    super(ctx, env)
    // The name that the object was asked for by; the runtime tells it since 2026-03.
    const tenant = ctx.id.name
    if (tenant === undefined) throw new Error("a tenant's object is reached by the tenant's name only")
    const sql = new TenantSql(ctx.storage)
    const blobs = r2Blobs(env, tenant, (work) => ctx.waitUntil(work))
    this.#catalog = new Catalog({ store: sql, blobs, builtins: BUILTINS, tools: TOOL_NAMES, inTurn: this.#inTurn })
    this.#staging = new Staging(this.#catalog.ground, new StagingSql(sql), () => Date.now())
    this.#providers = new ProviderStore(sql, new Vault(env), tenant)
    this.#runs = new RunIndex(sql, tenant)
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
    return this.#catalog.check(id, { providers: this.#providers.names(), roles: this.#providers.roles() }, this.#providers.prices())
  }

  pin(target: PinTarget, options: PinOptions): Promise<PinResult> {
    const settings: ModelSettings = { providers: this.#providers.names(), roles: this.#providers.roles() }
    return this.#catalog.pin(target, settings, options)
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

  async prices(): Promise<PriceTable> {
    return this.#providers.prices()
  }

  putPrices(prices: PriceTable): Promise<void> {
    return this.#inTurn(async () => this.#providers.putPrices(prices))
  }

  putRoles(roles: Readonly<Record<string, string>>): Promise<void> {
    return this.#inTurn(async () => this.#providers.putRoles(roles))
  }

  async noteRun(row: RunRow): Promise<void> {
    this.#runs.note(row)
  }

  async listRuns(query: Parameters<TenantPort["listRuns"]>[0]): ReturnType<TenantPort["listRuns"]> {
    return this.#runs.list(query)
  }
}
