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
import type {
  AgentEntry,
  Bundle,
  BundleResult,
  FileRow,
  Kind,
  PinOptions,
  PinResult,
  RunRow,
  TenantPort,
  WriteResult,
} from "../ports/catalog.ts"
import type { ProviderSettings } from "../ports/model.ts"
import { SPECS } from "../tools/toolbox.ts"
import type { BlobEnv } from "./blobs-r2.ts"
import { r2Blobs } from "./blobs-r2.ts"
import { BUILTINS } from "./builtins.gen.ts"
import { ProviderStore } from "./provider-store.ts"
import { RunIndex } from "./run-index.ts"
import { TenantSql } from "./tenant-sql.ts"
import type { VaultEnv } from "./vault.ts"
import { Vault } from "./vault.ts"

export interface TenantEnv extends BlobEnv, VaultEnv {}

const TOOL_NAMES: readonly string[] = [...SPECS.keys()]

export class TenantObject extends DurableObject<TenantEnv> implements TenantPort {
  readonly #inTurn = inTurn()
  readonly #catalog: Catalog
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
    this.#providers = new ProviderStore(sql, new Vault(env), tenant)
    this.#runs = new RunIndex(sql, tenant)
  }

  agents(): Promise<AgentEntry[]> {
    return this.#catalog.agents()
  }

  writeAgent(path: string, content: string): Promise<WriteResult> {
    return this.#catalog.write("agent", path, content)
  }

  writeFlow(path: string, content: string): Promise<WriteResult> {
    return this.#catalog.write("flow", path, content)
  }

  async validate(kind: Kind, content: string, path?: string): Promise<readonly Diagnostic[]> {
    return this.#catalog.validate(kind, content, path)
  }

  put(kind: Kind, path: string, content: string, ifMatch?: string): Promise<WriteResult | { stale: string | null }> {
    return this.#catalog.put(kind, path, content, ifMatch)
  }

  read(kind: Kind, id: string): Promise<(FileRow & { content: string }) | undefined> {
    return this.#catalog.read(kind, id)
  }

  remove(kind: Kind, id: string): Promise<boolean> {
    return this.#catalog.remove(kind, id)
  }

  files(kind?: Kind): Promise<{ revision: number; data: FileRow[] }> {
    return this.#catalog.files(kind)
  }

  replace(bundle: Bundle): Promise<BundleResult> {
    return this.#catalog.replace(bundle)
  }

  pin(target: PinTarget, options: PinOptions): Promise<PinResult> {
    const settings: ModelSettings = { providers: this.#providers.names(), roles: this.#providers.roles() }
    return this.#catalog.pin(target, settings, options)
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
