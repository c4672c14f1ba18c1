// AccountPort and the keys of one tenant, over the tenant's object; and who is behind a key [H1], [H7]. What this isolate knows of a key
// or a list of origins is forgotten with the change that it makes itself.

import type { Caller } from "../ports/house.ts"
import type { AccountPort, KeyRow, KeysPort, NewKey, Quotas } from "../ports/tenants.ts"
import { directory } from "./directory-port.ts"
import type { Env } from "./env.ts"
import { cachedKey, forgetKeys, stillHolds } from "./key-cache.ts"
import { digestOf, tenantOf, type KnownKey } from "./key-store.ts"
import { cachedOrigins, forgetOrigins } from "./origin-cache.ts"
import { asking } from "./tenant-port.ts"

/** The methods of TenantObject that are these. */
export interface AccountRpc {
  verifyKey(digest: string): Promise<KnownKey | undefined>
  keyHolds(id: string): Promise<boolean>
  createKey(key: NewKey): Promise<(KeyRow & { key: string }) | "too_many">
  listKeys(): Promise<KeyRow[]>
  revokeKey(id: string): Promise<boolean>
  quotas(): Promise<Quotas>
  retention(): Promise<number>
  putRetention(ms: number): ReturnType<AccountPort["putRetention"]>
  origins(): Promise<string[]>
  putOrigins(origins: readonly string[]): Promise<void>
  giveBackStart(run: string): Promise<void>
}

/** An unknown tenant is asked like any other: its object says no, and the answer takes as long. */
export async function callerOf(env: Env, bearer: string, now: () => number): Promise<Caller | undefined> {
  const tenant = tenantOf(bearer)
  if (tenant === undefined) return undefined
  const digest = await digestOf(bearer)
  return cachedKey(tenant, digest, () => asking<AccountRpc>(env, tenant)((o) => o.verifyKey(digest)), now)
}

/** [S18] */
export async function keyHolds(env: Env, { tenant, keyId }: Caller, now: () => number): Promise<boolean> {
  if (keyId === undefined) return true
  return stillHolds(tenant, keyId, () => asking<AccountRpc>(env, tenant)((o) => o.keyHolds(keyId)), now)
}

export function keysPort(env: Env, tenant: string): KeysPort {
  const ask = asking<AccountRpc>(env, tenant)
  return {
    // Asked twice it may make two, of which one is shown to nobody: better than none that is shown.
    create: (key) => ask((o) => o.createKey(key)),
    list: () => ask((o) => o.listKeys()),
    async revoke(id) {
      const gone = await ask((o) => o.revokeKey(id))
      forgetKeys(tenant, id)
      return gone
    },
  }
}

export function accountPort(env: Env, tenant: string): AccountPort {
  const ask = asking<AccountRpc>(env, tenant)
  return {
    keys: keysPort(env, tenant),
    quotas: () => ask((o) => o.quotas()),
    retention: () => ask((o) => o.retention()),
    putRetention: (ms) => ask((o) => o.putRetention(ms)),
    origins: () => ask((o) => o.origins()),
    async putOrigins(origins) {
      await directory(env).putOrigins(tenant, origins)
      await ask((o) => o.putOrigins(origins))
      forgetOrigins()
    },
    giveBack: (run) => ask((o) => o.giveBackStart(run)),
  }
}

export const allowsOrigin = async (env: Env, tenant: string, origin: string, now: () => number): Promise<boolean> =>
  (await cachedOrigins(`tenant ${tenant}`, () => asking<AccountRpc>(env, tenant)((o) => o.origins()), now)).includes(origin)

export const knowsOrigin = async (env: Env, origin: string, now: () => number): Promise<boolean> =>
  (await cachedOrigins(`any ${origin}`, async () => ((await directory(env).knowsOrigin(origin)) ? [origin] : []), now)).length > 0
