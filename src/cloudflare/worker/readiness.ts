// Do the platform services behind the Worker answer [N7]? The check reads a missing entry from KV, from R2 and from a tenant's object, under a
// name that no tenant can have. The result is cached for a second, so this route, which needs no key, stays cheap however often it is called.

import type { Env } from "../platform/env.ts"
import { NO_TENANT, tenantStub } from "../platform/stubs.ts"
import { inTime } from "../../engine/time/deadline.ts"

const PATIENCE_MS = 2_000
const CACHED_MS = 1_000

type Checks = Readonly<Record<string, boolean>>

export type ReadyEnv = Pick<Env, "CACHE" | "BLOBS" | "TENANT" | "JURISDICTION">

export function readiness(env: ReadyEnv, now: () => number, patience = PATIENCE_MS): () => Promise<Checks> {
  let cached: { readonly at: number; readonly checks: Checks } | undefined
  return async () => {
    if (cached && now() - cached.at < CACHED_MS) return cached.checks
    const [kv, r2, tenant] = await Promise.all([
      answers(() => env.CACHE.get(NO_TENANT), patience),
      answers(() => env.BLOBS.head(NO_TENANT), patience),
      answers(() => tenantStub(env, NO_TENANT).answers(), patience),
    ])
    // Only settled values are shared between requests: a promise of one request may never resolve in another.
    cached = { at: now(), checks: { kv, r2, tenant } }
    return cached.checks
  }
}

function answers(ask: () => Promise<unknown>, patience: number): Promise<boolean> {
  const asked = Promise.resolve()
    .then(ask)
    .then(
      () => true,
      () => false,
    )
  return inTime(asked, patience, () => false)
}
