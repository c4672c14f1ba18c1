// Vault: encrypts secrets at rest with AES-GCM under a key derived (HKDF-SHA-256) from the Worker secret VAULT_KEY. A secret sealed for one
// place (tenant and name) cannot be opened for another, because the place is the cipher's additional data. Errors never contain a secret.

import { joined } from "../../core/text/joined-bytes.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const IV_BYTES = 12

/** Not a secret: it protects only development data, and is used only when ENVIRONMENT is "local" [N5]. */
const LOCAL_KEY = "sluice local development"

export interface VaultEnv {
  readonly VAULT_KEY?: string
  readonly ENVIRONMENT?: string
}

/** The secret from which a separate key is derived for each purpose; undefined: nothing can be sealed or signed. */
export const secretOf = (env: VaultEnv): string | undefined => env.VAULT_KEY || (env.ENVIRONMENT === "local" ? LOCAL_KEY : undefined)

export class Vault {
  readonly #secret: string | undefined
  #key: Promise<CryptoKey> | undefined

  constructor(env: VaultEnv) {
    this.#secret = secretOf(env)
  }

  /** Throws if there is no key to seal with: a secret is never stored unencrypted. */
  async seal(secret: string, place: string): Promise<ArrayBuffer> {
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
    const sealed = new Uint8Array(await crypto.subtle.encrypt(cipher(iv, place), await this.#derived(), encoder.encode(secret)))
    return joined([iv, sealed]).buffer
  }

  async open(sealed: ArrayBuffer, place: string): Promise<string> {
    const key = await this.#derived()
    try {
      return decoder.decode(
        await crypto.subtle.decrypt(cipher(new Uint8Array(sealed, 0, IV_BYTES), place), key, new Uint8Array(sealed, IV_BYTES)),
      )
    } catch {
      throw fault(
        `the secret of ${place} cannot be opened: it was sealed under another VAULT_KEY, or its row is damaged; store it again`,
        "VaultChangedError",
      )
    }
  }

  #derived(): Promise<CryptoKey> {
    const secret = this.#secret
    if (secret === undefined)
      return Promise.reject(
        fault(
          "no secret can be stored: this Worker has no VAULT_KEY; set it with `wrangler secret put VAULT_KEY` (32 random bytes or more)",
        ),
      )
    this.#key ??= derive(secret)
    return this.#key
  }
}

/** RPC preserves the error's name, so the HTTP layer can tell this error from an internal fault. */
function fault(message: string, name = "VaultError"): Error {
  const error = new Error(message)
  error.name = name
  return error
}

const cipher = (iv: Uint8Array, place: string): SubtleCryptoEncryptAlgorithm => ({
  name: "AES-GCM",
  iv,
  additionalData: encoder.encode(place),
})

async function derive(secret: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveKey"])
  const how = { name: "HKDF", hash: "SHA-256", salt: encoder.encode("sluice/vault"), info: encoder.encode("provider keys, v1") }
  return crypto.subtle.deriveKey(how, material, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"])
}
