// Writes and reads the text of an API key [H1]: the tenant, random letters, and a mark (own-mark.ts).

import { isMarked, MARK_LENGTH, markOf } from "./own-mark.ts"
import type { VaultEnv } from "../vault.ts"

const KEY = /^sl_([a-z][a-z0-9-]{1,30}(?:_(?:eu|us))?)_[0-9A-Za-z]{32,128}$/

export const markedKey = (env: VaultEnv, text: string): string => text + markOf(env, "key", text)

/** Tells whether this instance made the key, which does not prove that it is valid. */
export const isOwnKey = (env: VaultEnv, key: string): boolean => isMarked(env, "key", key.slice(0, -MARK_LENGTH), key.slice(-MARK_LENGTH))

/** The tenant that a key names, by its last "_"; undefined: this is not a key of ours. */
export const tenantOf = (key: string): string | undefined => KEY.exec(key)?.[1]
