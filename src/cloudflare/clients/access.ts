// Identifies people through Cloudflare Access [H14]. A person has the rights of the key that ACCESS_KEYS assigns, and the email that Access
// has verified.

import { isObject } from "../../core/json.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import { deadline } from "../../ports/timers.ts"
import type { AccessAnswer, Caller } from "../../ports/tenant/caller.ts"
import { accessPerson, type AccessTeam } from "../platform/tokens/access-token.ts"
import type { Env } from "../platform/env.ts"
import { perIsolate } from "../../ports/isolate.ts"

/** The team changes its keys every six weeks, and has the old one for a week more. */
const KEYS_MS = 3_600_000 // limit: milliseconds that a team's keys are kept → they are read again
/** Tokens with unknown keys lead to one question within this time. */
const ASK_AGAIN_MS = 60_000 // limit: milliseconds between two questions for unknown keys → the token is refused
const TIMEOUT_MS = 10_000 // limit: milliseconds of a team's keys → the token is refused
const MAX_BYTES = 65_536 // limit: characters of a team's keys → the token is refused
const MAX_KEYS = 20 // limit: keys of a team → the rest is not read

interface Kept {
  readonly at: number
  readonly keys: ReadonlyMap<string, CryptoKey>
}
/** By issuer. */
const kept = perIsolate(() => new Map<string, Kept>())

export type AccessEnv = Pick<Env, "ACCESS_TEAM" | "ACCESS_AUDIENCE" | "ACCESS_KEYS" | "ENVIRONMENT">

interface Settings extends AccessTeam {
  /** In order: an email, `@domain` or `*`, and the key of whoever it fits first. */
  readonly people: readonly (readonly [who: string, key: string])[]
}

/** Identifies people through Access; undefined: this instance does not use Access. */
export function accessOf(
  env: AccessEnv,
  identify: (key: string) => Promise<Caller | undefined>,
  now: () => number,
): ((token: string) => Promise<AccessAnswer>) | undefined {
  const { ACCESS_TEAM = "", ACCESS_AUDIENCE = "", ACCESS_KEYS = "" } = env
  if (`${ACCESS_TEAM}${ACCESS_AUDIENCE}${ACCESS_KEYS}`.trim() === "") return undefined
  const settings = settingsOf(env)
  return async (token) => {
    if (typeof settings === "string")
      return { ok: false, code: "unauthorized", detail: `Cloudflare Access is set up wrongly here: ${settings}.` }
    let person: Awaited<ReturnType<typeof accessPerson>>
    try {
      person = await accessPerson(token, settings, (id) => keyOf(settings.issuer, id, now), now())
    } catch (e) {
      return { ok: false, code: "unauthorized", detail: `The keys of ${settings.issuer} cannot be read: ${messageOf(e)}.` }
    }
    if (!person.ok) return { ok: false, code: "unauthorized", detail: `The token of Cloudflare Access ${person.why}.` }
    const { email, until } = person
    const [, key] = settings.people.find(([who]) => fits(who, email)) ?? []
    if (key === undefined) return { ok: false, code: "forbidden", detail: `ACCESS_KEYS has no key for ${email}.` }
    const caller = await identify(key)
    if (!caller || caller.tenant === "")
      return { ok: false, code: "unauthorized", detail: `The key that ACCESS_KEYS has for ${email} is not a valid key of a tenant.` }
    return { ok: true, caller: { ...caller, name: email, access: { key: caller.name, until } } }
  }
}

const fits = (who: string, email: string): boolean => who === "*" || who === email || (who.startsWith("@") && email.endsWith(who))

/** The settings, or what is wrong with them. */
function settingsOf({ ACCESS_TEAM = "", ACCESS_AUDIENCE = "", ACCESS_KEYS = "", ENVIRONMENT }: AccessEnv): Settings | string {
  const missing = Object.entries({ ACCESS_TEAM, ACCESS_AUDIENCE, ACCESS_KEYS }).flatMap(([name, value]) =>
    value.trim() === "" ? [name] : [],
  )
  if (missing.length > 0) return `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} missing`
  const issuer = issuerOf(ACCESS_TEAM.trim(), ENVIRONMENT === "local")
  if (issuer === undefined) return "ACCESS_TEAM must be the team's domain, such as acme.cloudflareaccess.com"
  const people: (readonly [string, string])[] = []
  for (const entry of listed(ACCESS_KEYS)) {
    const at = entry.indexOf("=")
    const who = entry.slice(0, Math.max(0, at)).trim().toLowerCase()
    const key = entry.slice(at + 1).trim()
    if (!/^(\*|@[^\s@]+|[^\s@]+@[^\s@]+)$/.test(who) || !/^sl_[\x21-\x7e]+$/.test(key))
      return "each entry of ACCESS_KEYS must be an email, @domain or *, then = and a tenant's key"
    people.push([who, key])
  }
  return { issuer, audiences: listed(ACCESS_AUDIENCE), people }
}

const listed = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((part) => part.trim())
    .filter((part) => part !== "")

function issuerOf(team: string, isLocal: boolean): string | undefined {
  if (isLocal && /^http:\/\/(127\.0\.0\.1|localhost):\d{1,5}$/.test(team)) return team
  const host = team
    .replace(/^https:\/\//, "")
    .replace(/\/$/, "")
    .toLowerCase()
  return /^[a-z0-9-]+\.cloudflareaccess\.com$/.test(host) ? `https://${host}` : undefined
}

async function keyOf(issuer: string, id: string, now: () => number): Promise<CryptoKey | undefined> {
  const before = kept().get(issuer)
  const known = before?.keys.get(id)
  const age = before === undefined ? Number.POSITIVE_INFINITY : now() - before.at
  if (known ? age < KEYS_MS : age < ASK_AGAIN_MS) return known
  try {
    const keys = await read(issuer)
    kept().set(issuer, { at: now(), keys })
    return keys.get(id)
  } catch (e) {
    // Keys that were good an hour ago are better than none.
    if (known) return known
    throw e
  }
}

async function read(issuer: string): Promise<ReadonlyMap<string, CryptoKey>> {
  const late = deadline(TIMEOUT_MS, "it did not answer in time")
  try {
    const answer = await fetch(`${issuer}/cdn-cgi/access/certs`, { redirect: "manual", signal: late.signal })
    const text = answer.ok ? await answer.text() : ""
    if (text === "" || text.length > MAX_BYTES) throw new Error(`it answered ${answer.status} without keys`)
    const said: unknown = JSON.parse(text)
    const given: unknown = isObject(said) ? said["keys"] : undefined
    const keys = new Map<string, CryptoKey>()
    for (const one of Array.isArray(given) ? given.slice(0, MAX_KEYS) : []) {
      if (!isObject(one)) continue
      const { kid, kty, n, e } = one
      if (typeof kid !== "string" || kty !== "RSA" || typeof n !== "string" || typeof e !== "string") continue
      const way = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }
      keys.set(kid, await crypto.subtle.importKey("jwk", { kty, n, e, alg: "RS256", ext: true }, way, false, ["verify"]))
    }
    return keys
  } finally {
    late.end()
  }
}
