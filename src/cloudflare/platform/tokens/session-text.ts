// Writes and reads the value of a session's cookie [H13]: the tenant, random letters, and a mark (own-mark.ts). It never counts as a key,
// nor a key as a session.

import { isMarked, MARK_LENGTH, markOf } from "./own-mark.ts"
import { clock } from "../clock.ts"
import type { VaultEnv } from "../vault.ts"

const SESSION = /^ss_([a-z][a-z0-9-]{1,30}(?:_(?:eu|us))?)_[0-9A-Za-z]{32}$/

export function newSession(env: VaultEnv, tenant: string): string {
  // 134 random bits.
  const text = `ss_${tenant}_${clock.id()}`
  return text + markOf(env, "session", text)
}

export const isOwnSession = (env: VaultEnv, value: string): boolean =>
  isMarked(env, "session", value.slice(0, -MARK_LENGTH), value.slice(-MARK_LENGTH))

/** The tenant in a session's value; undefined: this is not one of our sessions. */
export const sessionTenant = (value: string): string | undefined => SESSION.exec(value)?.[1]
