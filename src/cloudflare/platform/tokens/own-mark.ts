// Marks the names that this instance gave out [N1]: run ids, keys, sessions and hook ids end with a mark, a short MAC under the Worker
// secret VAULT_KEY. Asking an object creates it, and it stays on the disk; so a name without a mark is looked up in a list first, and no
// made-up name creates anything. A mark gives no right: it only makes a look-up unnecessary. 31 bits are enough: filling a disk by guessing
// marks costs more than the disk. Names made under another VAULT_KEY are looked up. Without VAULT_KEY a mark is a checksum, which stops
// only mistakes.

import { createHmac } from "node:crypto"
import { letters } from "../clock.ts"
import { secretOf, type VaultEnv } from "../vault.ts"

export const MARK_LENGTH = 6

/** Six letters for this text and purpose. */
export const markOf = (env: VaultEnv, purpose: "run" | "key" | "hook" | "session", text: string): string =>
  letters(
    createHmac("sha512", secretOf(env) ?? "")
      .update(`sluice/mark/${purpose}\0${text}`)
      .digest(),
  ).slice(0, MARK_LENGTH)

export const isMarked = (env: VaultEnv, purpose: "run" | "key" | "hook" | "session", text: string, mark: string): boolean =>
  markOf(env, purpose, text) === mark
