// Verifies the token that Cloudflare Access adds to each request that it allows [H14]: a JWT, signed with RS256 by a key of the team.

import { isObject } from "../../../core/json.ts"
import { fromBase64url } from "../../../core/text/base64url.ts"

/** Characters of a token; those of Access have some 1,500. */
const MAX_TOKEN = 8_192 // limit: characters of a token of Cloudflare Access → 401
const SKEW_S = 60 // limit: seconds between the clocks of Access and of this Worker → 401

export interface AccessTeam {
  /** `https://TEAM.cloudflareaccess.com`. */
  readonly issuer: string
  /** The tags of the applications that may come in. */
  readonly audiences: readonly string[]
}

export type AccessPerson =
  | { readonly ok: true; readonly email: string; readonly until: number }
  | { readonly ok: false; readonly why: string }

const no = (why: string): AccessPerson => ({ ok: false, why })

/** `keyOf`: the team's key of this id; undefined: it has none. */
export async function accessPerson(
  token: string,
  { issuer, audiences }: AccessTeam,
  keyOf: (id: string) => Promise<CryptoKey | undefined>,
  now: number,
): Promise<AccessPerson> {
  const [head = "", body = "", seal = "", ...more] = token.length > MAX_TOKEN ? [] : token.split(".")
  const [header, claims, signature] = [fieldsOf(head), fieldsOf(body), fromBase64url(seal)]
  if (!header || !claims || !signature?.length || more.length > 0) return no("is not a JWT")
  const { alg, kid } = header
  // Nothing but the one way in which Access signs: `none` and HMAC would be signed with what everyone knows.
  if (alg !== "RS256" || typeof kid !== "string") return no("is not signed with RS256")
  const key = await keyOf(kid)
  if (!key) return no(`is signed with a key that ${issuer} does not have`)
  const signed = new TextEncoder().encode(`${head}.${body}`)
  if (!(await crypto.subtle.verify("RSASSA-PKCS1-v1_5", key, signature, signed))) return no("has a wrong signature")
  const { iss, aud, exp, nbf, email } = claims
  if (iss !== issuer) return no(`is not from ${issuer}`)
  const given = Array.isArray(aud) ? aud : [aud]
  if (!given.some((one) => typeof one === "string" && audiences.includes(one)))
    return no("is for another application: ACCESS_AUDIENCE has no tag of it")
  if (typeof exp !== "number" || now >= exp * 1000) return no("has expired")
  if (typeof nbf === "number" && now < (nbf - SKEW_S) * 1000) return no("is not valid yet")
  if (typeof email !== "string" || !/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 320)
    return no("names no person: a service sends a key of Sluice in Authorization")
  return { ok: true, email: email.toLowerCase(), until: exp * 1000 }
}

function fieldsOf(part: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = fromBase64url(part)
  if (!bytes?.length) return undefined
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
