// Creates all parts of a tenant's object: the stores, the work that its alarm does, and the engine's classes that use the stores.

import { withWayOut } from "../../engine/net/address-guard.ts"
import { Catalog } from "../../engine/catalog/catalog.ts"
import { Redactor } from "../../core/secrets/redact.ts"
import { judgeCallback } from "../../engine/net/callback-address.ts"
import { collectorFault } from "../../engine/net/collector-address.ts"
import { faultOfBaseUrl } from "../../engine/net/provider-address.ts"
import type { Asker } from "../../engine/catalog/config/surroundings.ts"
import { addressJudge, type NetworkRules } from "../../engine/net/guarded-fetch.ts"
import { inTurn } from "../../engine/in-turn.ts"
import { shippedTraits } from "../capabilities/missing-tools.ts"
import { specsFor, toolNames } from "../../tools/toolbox.ts"
import { CACHED_MS, r2Blobs, type BlobEnv } from "../blobs/blobs-r2.ts"
import { builtinFiles } from "../platform/builtin-files.ts"
import { bucketOf, jurisdictionOf } from "../platform/jurisdiction.ts"
import { Connections } from "../outgoing/connections.ts"
import { Invocation } from "../platform/invocation.ts"
import { hideFromLog } from "../platform/log.ts"
import type { DirectoryNamespace, MemoryNamespace, RunNamespace, TenantNamespace } from "../platform/stubs.ts"
import type { VaultEnv } from "../platform/vault.ts"
import { shellOf, type SandboxBinding } from "../sandbox/containers.ts"
import { memoryEraser, runEraser } from "./eraser.ts"
import { TenantErasure } from "./tenant-erasure.ts"
import { tenantStores } from "./tenant-stores.ts"
import { configuring } from "./catalog/configure.ts"
import { requested } from "./catalog/requested.ts"
import { DraftSql } from "./drafts/draft-sql.ts"
import { triggersOf } from "./triggers.ts"
import { tenantWork } from "./tenant-work.ts"

export interface TenantEnv extends BlobEnv, VaultEnv, RunNamespace, TenantNamespace, MemoryNamespace, DirectoryNamespace, SandboxBinding {
  readonly ALLOWED_PRIVATE_HOSTS?: string
  readonly ADMIN_KEY?: string
  readonly PUBLIC_URL?: string
  readonly OTLP_HEADERS?: string
}

function refusalOf(way: NetworkRules, url: string, by: Asker, isLocal: boolean): string | undefined {
  if (by === "tool") return addressJudge(way)(url)
  if (by === "provider") return faultOfBaseUrl(url, isLocal, way.zones)
  const exempt = { allowPrivate: way.allowedPrivateHosts, ...way.zones }
  if (by === "collector") return collectorFault(url, exempt)
  const judged = judgeCallback(url, exempt)
  return judged.ok ? undefined : withWayOut(url, judged.error, isLocal)
}

export type TenantResources = ReturnType<typeof tenantResources>

/** Every room of the object is made from this one value. */
export function tenantResources(ctx: DurableObjectState, env: TenantEnv, tenant: string) {
  hideFromLog(env)
  const { storage } = ctx
  const later = (work: Promise<unknown>): void => ctx.waitUntil(work)
  const turn = inTurn()
  const invocation = new Invocation({ want: (at) => work.alarm.want(at) })
  const calls = new Connections(ctx.exports, () => invocation.spent())
  const blobs = r2Blobs(env, tenant, later, { invocation })
  const stores = tenantStores(storage, env, tenant, { blobs, want: (at) => work.alarm.want(at), revised: () => work.line.revised() })
  const contents = r2Blobs(env, tenant, later, { invocation, retain: (hash) => stores.bodies.retain(hash) })
  const { sql, account, tools } = stores
  /** MCP servers to be asked for their tools after a write [F79]. */
  const looks = new Map<string, boolean>()
  const specs = specsFor(shellOf(env, tenant))
  const shipped = shippedTraits(env, shellOf(env, tenant))
  const catalog = new Catalog({
    store: sql,
    drafts: new DraftSql(sql, () => Date.now()),
    blobs,
    builtins: builtinFiles,
    tools: toolNames(),
    registered: () => tools.names(),
    traits: () => [...shipped, ...tools.specs()],
    isReborn: () => Date.now() - (account.since() ?? 0) < CACHED_MS,
    allowance: () => account.quotas().catalog_bytes,
    triggers: () => triggersOf(stores),
    configure: configuring(
      stores,
      (at) => work.alarm.want(at),
      (server, approve) => looks.set(server, approve),
    ),
    around: {
      scopes: () => stores.secrets.scopes(),
      models: () => stores.providers.models(),
      refused: (url, by) => refusalOf(work.way, url, by, env.ENVIRONMENT === "local"),
      longest: () => account.quotas().retention_max,
      requested: (kind, id) => requested(stores, kind, id),
      hasKey: (provider) => stores.providers.hasKey(provider),
      datasets: () => stores.datasets.list(),
      isProbed: async (scorer) => {
        const probed = stores.probes.find({ scorer })?.version
        return probed !== undefined && (await work.known(scorer))?.version === probed
      },
      leaks: async (text) => new Redactor(Object.entries(await stores.secrets.open())).text(text) !== text,
    },
    gate: () => stores.settings.get("gate"),
    inTurn: turn,
  })
  const bodies = { bodies: bucketOf(env, tenant), ...(jurisdictionOf(tenant) === undefined ? { cache: env.CACHE } : {}) }
  const work = tenantWork({ env, tenant, stores, catalog, storage, later, calls, blobs, ...bodies })
  const erasure = new TenantErasure(sql, account, tenant, {
    eraseRun: runEraser(env, tenant),
    eraseMemory: memoryEraser(env, tenant),
    ...bodies,
  })
  return {
    ...stores,
    ...work,
    env,
    tenant,
    storage,
    later,
    blobs,
    contents,
    calls,
    invocation,
    catalog,
    specs,
    erasure,
    looks,
    inTurn: turn,
  }
}
