// A run's id: `run_`, 26 letters, and a mark (own-mark.ts) that this instance gave the id to this tenant. The object of a run is named without the mark,
// so ids from before marks name the same objects. The letters are random, or derived, so that a repeated start finds the run it made [H4].

import { isMarked, MARK_LENGTH, markOf } from "./own-mark.ts"
import type { VaultEnv } from "./vault.ts"

const BARE_LENGTH = "run_".length + 26

export function runIdOf(env: VaultEnv, tenant: string, letters: string): string {
  const bare = `run_${letters}`
  return bare + markOf(env, "run", `${tenant}/${bare}`)
}

/** false: only the tenant's list knows whether there is such a run. */
export const isOwnRunId = (env: VaultEnv, tenant: string, id: string): boolean =>
  id.length === BARE_LENGTH + MARK_LENGTH && isMarked(env, "run", `${tenant}/${bareRunId(id)}`, id.slice(BARE_LENGTH))

/** What the run's object is called. */
export const bareRunId = (id: string): string => id.slice(0, BARE_LENGTH)
