// Checks that the platform services behind the Worker answer, that the disk has room, and that the VAULT_KEY is the one that sealed the
// secrets [N7]. It reads a missing entry from KV, from R2 and from a tenant's object, under a name that no tenant can have. The result is
// cached for a second, so this route, which needs no key, stays cheap however often it is called.

import type { Env } from "../platform/env.ts"
import { isDiskFull } from "../../engine/disk-full.ts"
import { RecentAnswers } from "../platform/recent-answers.ts"
import { directoryStub, NO_TENANT, tenantStub } from "../platform/stubs.ts"
import { inTime } from "../../ports/timers.ts"

const PATIENCE_MS = 2_000 // limit: milliseconds of each part of `/readyz` → 503 `not_ready`
/** The time for which a check is cached: these requests need no key, or are frequent. */
export const CACHED_MS = 1_000

type Checks = Readonly<Record<string, boolean>>

export type ReadyEnv = Pick<Env, "CACHE" | "BLOBS" | "TENANT" | "DIRECTORY" | "JURISDICTION">

export function readiness(env: ReadyEnv, now: () => number, patience = PATIENCE_MS): () => Promise<Checks> {
  let holds = false
  const recent = new RecentAnswers<Checks>(CACHED_MS, 1)
  const ask = async (): Promise<Checks> => {
    const [kv, r2, tenant, vault] = await Promise.all([
      answers(() => env.CACHE.get(NO_TENANT), patience),
      answers(() => env.BLOBS.head(NO_TENANT), patience),
      answers(() => tenantStub(env, NO_TENANT).answers(), patience),
      // A key of the environment stays while the isolate lives: what holds once is not asked again.
      holds ? true : answers(async () => (holds = await directoryStub(env).vaultHolds()), patience),
    ])
    const found = [kv, r2, tenant, vault]
    const isFull = found.includes("disk") || (!found.every((one) => one === true) && !(await hasRoom(env, patience)))
    const told = { ...(vault === "no" ? { vault: false } : {}), ...(isFull ? { disk: false } : {}) }
    return { kv: kv === true, r2: r2 === true, tenant: tenant === true, ...told }
  }
  return () => recent.get("", { now, ask })
}

/** Tells whether the disk accepts a write. Errors do not always name the cause: the platform reports a failed write as "internal error". */
export async function hasRoom(env: ReadyEnv, patience = PATIENCE_MS): Promise<boolean> {
  const room = Promise.resolve()
    .then(() => tenantStub(env, NO_TENANT).hasRoom())
    .catch(() => false)
  // One that does not answer at all has another fault.
  return inTime(room, patience, () => true)
}

type Answer = boolean | "disk" | "no"

/** "no": it answers, with false. "disk": it cannot, because the disk is full. */
function answers(ask: () => Promise<unknown>, patience: number): Promise<Answer> {
  const asked = Promise.resolve()
    .then(ask)
    .then(
      (said): Answer => (said === false ? "no" : true),
      (error: unknown): Answer => (isDiskFull(error) ? "disk" : false),
    )
  return inTime(asked, patience, (): Answer => false)
}
