// Keys that were good a moment ago, kept in the isolate: the tenant's object need not be asked at every request [H1]. Only good ones are
// kept, for 5 s at the longest, so a revoked key is refused everywhere after that, and at once in the isolate that revoked it [S18].

import type { Caller } from "../../ports/house.ts"
import type { KnownKey } from "../tenant/keys/key-store.ts"

const KEPT_MS = 5_000
/** How old an answer may be where a stream asks whether it may go on. */
const FRESH_MS = 1_000
const MOST = 5_000

interface Kept {
  readonly caller: Caller
  readonly at: number
  readonly expires: number | null
}

/** By digest: no key is in memory longer than its request. */
const kept = new Map<string, Kept>()
const held = new Map<string, { readonly at: number; readonly good: boolean }>()
let forgotten = 0

/** `keyId` absent: all keys of the tenant. */
export function forgetKeys(tenant: string, keyId?: string): void {
  forgotten++
  for (const [digest, { caller }] of kept)
    if (caller.tenant === tenant && (keyId === undefined || caller.keyId === keyId)) kept.delete(digest)
  for (const key of held.keys()) if (keyId === undefined ? key.startsWith(`${tenant}/`) : key === `${tenant}/${keyId}`) held.delete(key)
}

export async function cachedKey(
  tenant: string,
  digest: string,
  ask: () => Promise<KnownKey | undefined>,
  now: () => number,
): Promise<Caller | undefined> {
  const at = now()
  const known = kept.get(digest)
  if (known && at - known.at < KEPT_MS && (known.expires === null || at < known.expires)) return known.caller
  kept.delete(digest)
  const before = forgotten
  const key = await ask()
  if (!key) return undefined
  const caller: Caller = { tenant, name: key.name, scopes: key.scopes, keyId: key.id, since: key.since }
  if (kept.size >= MOST) kept.clear()
  // What was revoked while it was asked about must not come back.
  if (before === forgotten) kept.set(digest, { caller, at, expires: key.expires })
  return caller
}

/** Streams of one key ask together. */
export async function stillHolds(tenant: string, keyId: string, ask: () => Promise<boolean>, now: () => number): Promise<boolean> {
  const name = `${tenant}/${keyId}`
  const known = held.get(name)
  const at = now()
  if (known && at - known.at < FRESH_MS) return known.good
  const before = forgotten
  const good = await ask()
  if (held.size >= MOST) held.clear()
  if (before === forgotten) held.set(name, { at, good })
  return good
}
