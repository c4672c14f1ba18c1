// Signs and reads tokens that expire: base64url(JSON), a dot, base64url(HMAC-SHA-256), under a key derived from the Worker secret VAULT_KEY
// for one purpose. A token is invalid for every other purpose. The check takes constant time.

import { isObject } from "../../../core/json.ts"
import { secretOf, type VaultEnv } from "../vault.ts"
import { fromBase64url, toBase64url } from "../../../core/text/base64url.ts"

/** Our tokens are shorter. */
const MAX_CHARS = 4096 // limit: characters of a signed token → it is not valid

const encoder = new TextEncoder()

/** `expires`: milliseconds since 1970. Throws if the Worker has no secret to sign with. */
export async function signToken(env: VaultEnv, purpose: string, said: Readonly<Record<string, string>>, expires: number): Promise<string> {
  const payload = encoder.encode(JSON.stringify({ ...said, exp: expires }))
  const seal = new Uint8Array(await crypto.subtle.sign("HMAC", await keyFor(env, purpose), payload))
  return `${toBase64url(payload)}.${toBase64url(seal)}`
}

/** Reads a token; undefined if it is altered, expired, for another purpose, or not a token. The caller does not learn which. */
export async function readToken(
  env: VaultEnv,
  purpose: string,
  token: string,
  now: number,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const [head = "", tail = "", ...more] = token.length > MAX_CHARS ? [] : token.split(".")
  const payload = fromBase64url(head)
  const seal = fromBase64url(tail)
  if (!payload?.length || !seal?.length || more.length > 0 || secretOf(env) === undefined) return undefined
  // `verify` compares in constant time.
  if (!(await crypto.subtle.verify("HMAC", await keyFor(env, purpose), seal, payload))) return undefined
  const said: unknown = JSON.parse(new TextDecoder().decode(payload))
  return isObject(said) && typeof said["exp"] === "number" && now < said["exp"] ? said : undefined
}

async function keyFor(env: VaultEnv, purpose: string): Promise<CryptoKey> {
  const secret = secretOf(env)
  if (secret === undefined)
    throw new Error(
      "nothing can be signed: this Worker has no VAULT_KEY; set it with `wrangler secret put VAULT_KEY` (32 random bytes or more)",
    )
  const material = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveKey"])
  const how = { name: "HKDF", hash: "SHA-256", salt: encoder.encode("sluice/tokens"), info: encoder.encode(`${purpose}, v1`) }
  return crypto.subtle.deriveKey(how, material, { name: "HMAC", hash: "SHA-256", length: 256 }, false, ["sign", "verify"])
}
