// Tokens that say something for a while and cannot be forged: base64url(JSON), a dot, base64url(HMAC-SHA-256), under a key derived
// from the Worker secret VAULT_KEY for one purpose. A token of one purpose is none of another. The check is constant in time.

import { isObject } from "../../core/json.ts"
import { secretOf, type VaultEnv } from "./vault.ts"

/** Longer is no token of ours. */
const MAX_CHARS = 4096

const encoder = new TextEncoder()

/** `expires`: milliseconds since 1970. Throws when the Worker has no secret to sign with. */
export async function signToken(env: VaultEnv, purpose: string, said: Readonly<Record<string, string>>, expires: number): Promise<string> {
  const payload = encoder.encode(JSON.stringify({ ...said, exp: expires }))
  const seal = new Uint8Array(await crypto.subtle.sign("HMAC", await keyFor(env, purpose), payload))
  return `${base64url(payload)}.${base64url(seal)}`
}

/** undefined: altered, expired, for another purpose, or no token at all; which of them is nobody's business. */
export async function readToken(
  env: VaultEnv,
  purpose: string,
  token: string,
  now: number,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const [head = "", tail = "", ...more] = token.length > MAX_CHARS ? [] : token.split(".")
  const payload = bytesOf(head)
  const seal = bytesOf(tail)
  if (!payload || !seal || more.length > 0 || secretOf(env) === undefined) return undefined
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

function base64url(bytes: Uint8Array): string {
  let binary = ""
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

/** Only the one spelling that `base64url` writes, so that no two tokens say the same. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length % 4 === 1) return undefined
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0))
  return base64url(bytes) === text ? bytes : undefined
}
