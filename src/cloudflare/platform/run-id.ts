// A run's id: `run_` and 26 letters, of which the last six are a mark (own-mark.ts) that this instance gave the id to this tenant. The other
// twenty (103 bits) are random, or derived, so that a repeated start finds the run it made [H4].
//
// Ids from before marks have 26 letters without one, and are looked up. For a short time a mark followed the 26 letters, and the object was named
// without it.

import { isMarked, MARK_LENGTH, markOf } from "./own-mark.ts"
import type { VaultEnv } from "./vault.ts"

const LENGTH = "run_".length + 26
const MARK_AT = LENGTH - MARK_LENGTH

/** `letters`: at least 20. */
export function runIdOf(env: VaultEnv, tenant: string, letters: string): string {
  const name = `run_${letters}`.slice(0, MARK_AT)
  return name + markOf(env, "run", `${tenant}/${name}`)
}

/** false: only the tenant's list knows whether there is such a run. */
export function isOwnRunId(env: VaultEnv, tenant: string, id: string): boolean {
  const at = id.length === LENGTH ? MARK_AT : LENGTH
  return id.length === at + MARK_LENGTH && isMarked(env, "run", `${tenant}/${id.slice(0, at)}`, id.slice(at))
}

/** What the run's object is called. */
export const bareRunId = (id: string): string => id.slice(0, LENGTH)
