// Does the Worker's ground answer [N7]? KV, R2 and a tenant's object are each asked for something that is not there, under a name that
// no tenant can have. What was found is kept for a second, so that a route without a key costs little however often it is asked.

import type { Env } from "../platform/env.ts"
import { tenantStub } from "../platform/stubs.ts"
import { inTime } from "../../engine/time/deadline.ts"

/** No tenant is called that: a name begins with a small letter. */
const NOBODY = "_ready"
const PATIENCE_MS = 2_000
const KEPT_MS = 1_000

type Checks = Readonly<Record<string, boolean>>

export type ReadyEnv = Pick<Env, "CACHE" | "BLOBS" | "TENANT" | "JURISDICTION">

export function readiness(env: ReadyEnv, now: () => number, patience = PATIENCE_MS): () => Promise<Checks> {
  let kept: { readonly at: number; readonly checks: Checks } | undefined
  return async () => {
    if (kept && now() - kept.at < KEPT_MS) return kept.checks
    const [kv, r2, tenant] = await Promise.all([
      answers(() => env.CACHE.get(NOBODY), patience),
      answers(() => env.BLOBS.head(NOBODY), patience),
      answers(() => tenantStub(env, NOBODY).answers(), patience),
    ])
    // What is shared between requests must be settled: the promises of one are never another's.
    kept = { at: now(), checks: { kv, r2, tenant } }
    return kept.checks
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
