// Caches valid keys in the isolate, so that not every request calls the tenant's object [H1]. A revoked key is refused everywhere after 5
// s, and at once in the isolate that revoked it [S18].

import type { Caller } from "../../../ports/services.ts"
import type { KnownKey } from "../../../ports/tenant/tenants.ts"
import { MOMENT_MS, RecentAnswers } from "../../platform/recent-answers.ts"
import { forgetSessions } from "./sign-in-cache.ts"
import { perIsolate } from "../../../ports/isolate.ts"

/** The longest age of an answer for a stream that asks whether it may go on. */
const FRESH_MS = 1_000
const MAX_KEYS = 5_000 // limit: keys in memory → the cache is emptied

interface GoodKey {
  readonly caller: Caller
  readonly expires: number | null
}

/** By digest: no key is in memory longer than its request. undefined is never cached. */
const keys = perIsolate(() => new RecentAnswers<GoodKey | undefined>(MOMENT_MS, MAX_KEYS))
/** By tenant and key id, or the digest of a session. */
const holding = perIsolate(() => new RecentAnswers<boolean>(FRESH_MS, MAX_KEYS))

/** `keyId` absent: all keys of the tenant. */
export function forgetKeys(tenant: string, keyId?: string): void {
  forgetSessions(tenant, keyId)
  keys().forget((_, key) => key?.caller.tenant === tenant && (keyId === undefined || key.caller.keyId === keyId))
  holding().forget((name) => (keyId === undefined ? name.startsWith(`${tenant}/`) : name === `${tenant}/${keyId}`))
}

export async function cachedKey(
  tenant: string,
  digest: string,
  ask: () => Promise<KnownKey | undefined>,
  now: () => number,
): Promise<Caller | undefined> {
  const good = await keys().get(digest, {
    now,
    async ask() {
      const key = await ask()
      if (!key) return key
      const { id, name, scopes, since, expires } = key
      return { caller: { tenant, name, scopes, keyId: id, since, ...(expires === null ? {} : { keyUntil: expires }) }, expires }
    },
    isGood: (key, at) => key !== undefined && (key.expires === null || at < key.expires),
    keeps: (key) => key !== undefined,
  })
  return good?.caller
}

export const forgetHolding = (tenant: string, id: string): void => holding().forget((name) => name === `${tenant}/${id}`)

/** All streams of one key or session share an answer. */
export const stillHolds = (tenant: string, keyId: string, ask: () => Promise<boolean>, now: () => number): Promise<boolean> =>
  holding().get(`${tenant}/${keyId}`, { now, ask })
