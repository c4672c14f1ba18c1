// Marks a data folder with a digest that only the VAULT_KEY of its secrets gives, so that another key is refused before anything runs. The key is
// random and long: the digest says nothing of it that the sealed secrets do not.

import { createHmac } from "node:crypto"

/** In the data folder. */
export const VAULT_MARK = "vault"

export const markOf = (key: string): string => `${digestOf(key)}\n`

/** A mark that a full disk cut off says nothing. */
export const isMarkOf = (mark: string, key: string): boolean => mark.trim() === "" || mark.trim() === digestOf(key)

const digestOf = (key: string): string => createHmac("sha256", key).update("the VAULT_KEY of this data folder").digest("hex")
