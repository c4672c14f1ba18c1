// Creates and checks run ids: `run_` and 26 letters, of which the last six are a mark (own-mark.ts) that this instance gave the id to this
// tenant. The other twenty (103 bits) are random, or derived, so that a repeated start finds the run it made [H4].

import { isMarked, MARK_LENGTH, markOf } from "./tokens/own-mark.ts"
import type { VaultEnv } from "./vault.ts"

const MARK_AT = "run_".length + 26 - MARK_LENGTH

/** `letters`: at least 20. */
export function runIdOf(env: VaultEnv, tenant: string, letters: string): string {
  const name = `run_${letters}`.slice(0, MARK_AT)
  return name + markOf(env, "run", `${tenant}/${name}`)
}

/** false: only the tenant's list knows whether there is such a run. */
export const isOwnRunId = (env: VaultEnv, tenant: string, id: string): boolean =>
  isMarked(env, "run", `${tenant}/${id.slice(0, MARK_AT)}`, id.slice(MARK_AT))
