// AccountPort and the keys of one tenant, over the tenant's object; and who is behind a key [H1], [H7]. What this isolate knows of a key
// or a list of origins is forgotten with the change that it makes itself.

import type { Caller } from "../../ports/house.ts"
import type { AccountPort, KeysPort } from "../../ports/tenants.ts"
import { clock } from "../platform/clock.ts"
import { directory } from "./directory-port.ts"
import type { Env } from "../platform/env.ts"
import { cachedKey, forgetKeys, stillHolds } from "./key-cache.ts"
import { canLie, idOf } from "../platform/jurisdiction.ts"
import { digestOf, tenantOf } from "../tenant/keys/key-store.ts"
import { cachedOrigins, forgetOrigins } from "./origin-cache.ts"
import { asking } from "./tenant-port.ts"

/** An unknown tenant is asked like any other: its object says no, and the answer takes as long. */
export async function callerOf(env: Env, bearer: string, now: () => number): Promise<Caller | undefined> {
  const tenant = tenantOf(bearer)
  if (tenant === undefined || !canLie(env, tenant)) return undefined
  const digest = await digestOf(bearer)
  return cachedKey(tenant, digest, () => asking(env, tenant)((o) => o.keys.verify(digest)), now)
}

/** [S18] */
export async function keyHolds(env: Env, { tenant, keyId }: Caller, now: () => number): Promise<boolean> {
  if (keyId === undefined) return true
  return stillHolds(tenant, keyId, () => asking(env, tenant)((o) => o.keys.holds(keyId)), now)
}

export function keysPort(env: Env, tenant: string): KeysPort {
  const ask = asking(env, tenant)
  return {
    // Asked twice it is one row, whose text is the second one's: the first was shown to nobody.
    create: (key, act = clock.id()) => ask((o) => o.keys.create(key, act)),
    list: () => ask((o) => o.keys.list()),
    async revoke(id) {
      const gone = await ask((o) => o.keys.revoke(id))
      forgetKeys(tenant, id)
      return gone
    },
  }
}

export function accountPort(env: Env, tenant: string): AccountPort {
  const ask = asking(env, tenant)
  return {
    keys: keysPort(env, tenant),
    quotas: () => ask((o) => o.account.quotas()),
    retention: () => ask((o) => o.account.retention()),
    putRetention: (ms) => ask((o) => o.account.putRetention(ms)),
    origins: () => ask((o) => o.account.origins()),
    async putOrigins(origins) {
      await directory(env).putOrigins(idOf(tenant), origins)
      await ask((o) => o.account.putOrigins(origins))
      forgetOrigins()
    },
    giveBack: (run) => ask((o) => o.starts.giveBack(run)),
  }
}

export const allowsOrigin = async (env: Env, tenant: string, origin: string, now: () => number): Promise<boolean> =>
  (await cachedOrigins(`tenant ${tenant}`, () => asking(env, tenant)((o) => o.account.origins()), now)).includes(origin)

export const knowsOrigin = async (env: Env, origin: string, now: () => number): Promise<boolean> =>
  (await cachedOrigins(`any ${origin}`, async () => ((await directory(env).knowsOrigin(origin)) ? [origin] : []), now)).length > 0
