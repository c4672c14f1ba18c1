// Serves a tenant's account and keys, and identifies the caller by a key [H1], [H7]. A change made here clears this isolate's cached keys
// and origins at once.

import { withOverrides } from "../../engine/with-overrides.ts"
import { sha256 } from "../../engine/sha256.ts"
import type { Caller } from "../../ports/services.ts"
import type { AccountPort, KeysPort, KnownKey } from "../../ports/tenant/tenants.ts"
import { clock } from "../platform/clock.ts"
import type { Env } from "../platform/env.ts"
import { canLie } from "../platform/jurisdiction.ts"
import { isOwnKey, tenantOf } from "../platform/tokens/key-text.ts"
import { directoryStub, NO_TENANT } from "../platform/stubs.ts"
import { cachedKey, forgetKeys, stillHolds } from "./cache/key-cache.ts"
import { cachedOrigins, forgetOrigins } from "./cache/origin-cache.ts"
import { isTenant } from "./known-names.ts"
import { deskFor, deskOr, giveBackOver } from "../desks/known-desks.ts"
import { portOf } from "../platform/port-of.ts"
import { sessionHolds } from "./sign-ins.ts"

/** A call creates its object, so for an unknown tenant a fixed object is called: it refuses, in the same time. */
export async function callerOf(env: Env, bearer: string, now: () => number): Promise<Caller | undefined> {
  const tenant = tenantOf(bearer)
  if (tenant === undefined || !canLie(env, tenant)) return undefined
  const digest = await sha256(bearer)
  const verify = async (): Promise<KnownKey | undefined> => {
    const isThere = isOwnKey(env, bearer) || (await isTenant(env, tenant))
    if (!isThere) return void (await portOf(env, NO_TENANT, "keys").verify(digest))
    const known = await deskOr(
      deskFor(env, tenant, digest, now()),
      (desk) => desk.verify(digest),
      async () => (await portOf(env, tenant, "keys").verify(digest)) ?? "none",
    )
    return known === "none" ? undefined : known
  }
  return cachedKey(tenant, digest, verify, now)
}

/** [S18] Tells whether the caller's key is still valid. */
export async function keyHolds(env: Env, { tenant, keyId, signIn, access }: Caller, now: () => number): Promise<boolean> {
  if (access && now() >= access.until) return false
  if (signIn) return sessionHolds(env, tenant, signIn.digest, now)
  if (keyId === undefined) return true
  return stillHolds(tenant, keyId, () => portOf(env, tenant, "keys").holds(keyId), now)
}

export function keysPort(env: Env, tenant: string): KeysPort {
  const room = portOf(env, tenant, "keys")
  return withOverrides(room, {
    async revoke(id, starts) {
      const gone = await room.revoke(id, starts)
      forgetKeys(tenant, id)
      return gone
    },
  } satisfies Partial<KeysPort>)
}

export function accountPort(env: Env, tenant: string): AccountPort {
  const room = portOf(env, tenant, "account")
  return withOverrides(room, {
    keys: keysPort(env, tenant),
    giveBack: (run) => giveBackOver(env, tenant, run, clock.now()),
    async putOrigins(origins) {
      await room.putOrigins(origins)
      forgetOrigins()
    },
  } satisfies Partial<AccountPort>)
}

export const allowsOrigin = async (env: Env, tenant: string, origin: string, now: () => number): Promise<boolean> =>
  (await cachedOrigins(`tenant ${tenant}`, () => portOf(env, tenant, "account").origins(), now)).includes(origin)

export const knowsOrigin = async (env: Env, origin: string, now: () => number): Promise<boolean> =>
  (await cachedOrigins(`any ${origin}`, async () => ((await directoryStub(env).knowsOrigin(origin)) ? [origin] : []), now)).length > 0
