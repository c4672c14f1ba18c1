// TenantObject: the one writer of all that is a tenant's, named after the tenant. It has rooms, and nothing else: a room is what one
// port asks for, a class of its own (rooms.ts). Where a store is a whole room as it stands, it is the room itself.
//
// Writes go one after another, for the bodies they store in R2 open the input gate [F71]; the rows of one write are one transaction.
// Whoever has a stub has the rooms of that one object and of no other [S10].

import { DurableObject } from "cloudflare:workers"
import { Catalog } from "../../engine/catalog/catalog.ts"
import { inTurn } from "../../engine/in-turn.ts"
import { mcpPeer } from "../../engine/net/mcp-client.ts"
import { mcpServers } from "../../engine/net/mcp-servers.ts"
import { netOf } from "../../engine/net/net.ts"
import { Staging } from "../../engine/catalog/staging.ts"
import { specsFor, TOOL_NAMES } from "../../tools/toolbox.ts"
import { shellOf, type SandboxDoor } from "../sandbox/containers.ts"
import { AccountRpc } from "./account-rpc.ts"
import { ArchitectRpc } from "./catalog/architect-rpc.ts"
import { r2Blobs, type BlobEnv } from "../blobs/blobs-r2.ts"
import { BUILTINS } from "../platform/builtins.gen.ts"
import { CallbackRpc } from "./triggers/callback-rpc.ts"
import { CatalogRpc } from "./catalog/catalog-rpc.ts"
import { memoryEraser, runEraser } from "./eraser.ts"
import { HookRpc } from "./triggers/hook-rpc.ts"
import { bucketOf, jurisdictionOf } from "../platform/jurisdiction.ts"
import { KeyRpc } from "./keys/key-rpc.ts"
import { McpSql } from "./catalog/mcp-store.ts"
import { ReferenceRpc } from "./reference-rpc.ts"
import { answerOf } from "../platform/rooms.ts"
import { RunListRpc } from "./run-list-rpc.ts"
import { ScheduleRpc } from "./triggers/schedule-rpc.ts"
import { SecretRpc } from "./keys/secret-rpc.ts"
import { SettingsRpc } from "./settings-rpc.ts"
import { StagingSql } from "./catalog/staging-sql.ts"
import { assertPlace, type MemoryDoor, type RunDoor } from "../platform/stubs.ts"
import { TenancyRpc } from "./tenancy-rpc.ts"
import type { TenantAlarm } from "./tenant-alarm.ts"
import { TenantErasure } from "./tenant-erasure.ts"
import { tenantStores } from "./tenant-stores.ts"
import { tenantWork } from "./tenant-work.ts"
import { ToolRpc } from "./catalog/tool-rpc.ts"
import type { VaultEnv } from "../platform/vault.ts"

export interface TenantEnv extends BlobEnv, VaultEnv, RunDoor, MemoryDoor, SandboxDoor {
  readonly ALLOWED_PRIVATE_HOSTS?: string
}

export class TenantObject extends DurableObject<TenantEnv> {
  readonly #rooms: TenantRooms
  readonly #alarm: TenantAlarm

  constructor(ctx: DurableObjectState, env: TenantEnv) {
    super(ctx, env)
    // The name that the object was asked for by; the runtime tells it since 2026-03.
    const tenant = ctx.id.name
    if (tenant === undefined) throw new Error("a tenant's object is reached by the tenant's name only")
    assertPlace(ctx.id, env)
    const made = roomsOf(ctx, env, tenant)
    this.#rooms = made.rooms
    this.#alarm = made.alarm
  }

  /** A method of a room, by name. */
  async ask(room: string, method: string, args: readonly unknown[]): Promise<unknown> {
    return answerOf(this.#rooms, room, method, args)
  }

  override alarm(): Promise<void> {
    return this.#alarm.ring()
  }

  /** [N7] Reads and writes nothing: an object that is asked only this leaves no trace. */
  async answers(): Promise<true> {
    return true
  }
}

export type TenantRooms = ReturnType<typeof roomsOf>["rooms"]

function roomsOf(ctx: DurableObjectState, env: TenantEnv, tenant: string) {
  const { storage } = ctx
  const now = (): number => Date.now()
  const later = (work: Promise<unknown>): void => ctx.waitUntil(work)
  const turn = inTurn()
  const blobs = r2Blobs(env, tenant, later)
  const stores = tenantStores(storage, env, tenant, blobs)
  const { sql, account, secrets, tools } = stores
  const specs = specsFor(shellOf(env, tenant))
  const catalog = new Catalog({
    store: sql,
    blobs,
    builtins: BUILTINS,
    tools: TOOL_NAMES,
    registered: () => tools.names(),
    traits: () => [...specs.values(), ...tools.specs()],
    allowance: () => account.quotas().catalog_bytes,
    inTurn: turn,
  })
  const work = tenantWork({ env, tenant, stores, catalog, storage, later })
  const { alarm, starts, want } = work
  const erasure = new TenantErasure(sql, account, tenant, {
    eraseRun: runEraser(env, tenant),
    eraseMemory: memoryEraser(env, tenant),
    bodies: bucketOf(env, tenant),
    ...(jurisdictionOf(tenant) === undefined ? { cache: env.CACHE } : {}),
  })
  const rooms = {
    tenancy: new TenancyRpc({ ...stores, ...work, erasure, storage, inTurn: turn }),
    account: new AccountRpc(account, want),
    keys: new KeyRpc({ ...stores, ...work }),
    catalog: new CatalogRpc({ ...stores, catalog, specs }),
    architect: new ArchitectRpc(new Staging(catalog.ground, new StagingSql(sql), now)),
    settings: new SettingsRpc({ ...stores, inTurn: turn }),
    secrets: new SecretRpc({ ...stores, tenant, inTurn: turn }),
    tools: new ToolRpc(tools, turn),
    mcp: mcpServers({
      store: new McpSql(sql),
      tools,
      peer: mcpPeer,
      net: netOf(work.way),
      vault: () => secrets.open(),
      inTurn: turn,
      now,
    }),
    starts,
    runs: new RunListRpc({ ...stores, ...work }),
    dayBudget: stores.leases,
    sessions: stores.sessions,
    workspaces: stores.workspaces,
    storage: stores.used,
    questions: stores.questions,
    plans: stores.plans,
    references: new ReferenceRpc({ rows: stores.references, blobs, tenant, now }),
    hooks: new HookRpc({ ...stores, ...work }),
    schedules: new ScheduleRpc({ ...stores, ...work }),
    callbacks: new CallbackRpc({ ...stores, ...work }),
  }
  return { rooms, alarm }
}
