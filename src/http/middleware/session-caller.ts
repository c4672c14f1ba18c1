// Identifies the caller by the cookie of a session, which counts only for pages of this origin [H13]. An Authorization header or a token
// takes precedence over the cookie.

import { cookieOf, sessionCookie } from "../../core/session-cookie.ts"
import type { Caller } from "../../ports/services.ts"
import { pathAt } from "./address.ts"
import type { Call } from "./call.ts"
import { UNAUTHORIZED, type Refusal } from "./problem.ts"

const CHANGES_NOTHING: ReadonlySet<string> = new Set(["GET", "HEAD"])

const FOREIGN: Refusal = {
  code: "forbidden",
  detail:
    "A session counts only for pages of this origin: the request needs Sec-Fetch-Site: same-origin, or this origin in Origin. Other programs send a key.",
}

/** The prefix of the requested instance [N2]: sessions of other instances do not count. */
export const placeOf = (c: Call): string => pathAt(c, "")

const isPlain = (c: Call): boolean => c.get("services").environment === "local" && new URL(c.req.url).protocol === "http:"

const nameAt = (c: Call): string => sessionCookie(placeOf(c), isPlain(c) ? new URL(c.req.url).port : undefined)

/** The caller of a session; undefined: the request has neither a session nor a token of Cloudflare Access. */
export async function sessionCaller(c: Call): Promise<{ readonly caller: Caller } | { readonly refused: Refusal } | undefined> {
  if (c.req.header("authorization") !== undefined || c.req.query("token") !== undefined || c.req.header("upgrade") !== undefined)
    return undefined
  const services = c.get("services")
  const value = cookieOf(c.req.header("cookie"), nameAt(c))
  const caller = value === undefined ? undefined : await services.signIns.callerOf(value, placeOf(c))
  if (caller) return isForeign(c) ? { refused: FOREIGN } : { caller }
  // [H14] Access adds its token because of a cookie of its own, so the same pages count.
  const token = c.req.header("cf-access-jwt-assertion")
  if (services.access === undefined || token === undefined) return undefined
  const said = await services.access(token)
  if (!said.ok)
    return { refused: said.code === "forbidden" ? { code: said.code, detail: said.detail } : { ...UNAUTHORIZED, detail: said.detail } }
  return isForeign(c) ? { refused: FOREIGN } : { caller: said.caller }
}

/** Sets the cookie. Over plain HTTP in local development, browsers refuse `__Host-`, and some of them Secure. */
export const cookieWith = (c: Call, value: string, seconds: number): string =>
  `${nameAt(c)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isPlain(c) ? "" : "; Secure"}`

/** The browser sends a cookie whoever wrote the page; SameSite=Strict keeps other sites out, and this also the other hosts of the same site.
 *  Browsers say `Sec-Fetch-Site` on HTTPS and on loopback, and `Origin` with every request that changes something; no script can write
 *  either. A request that changes something must have one of them. */
function isForeign(c: Call): boolean {
  const changes = !CHANGES_NOTHING.has(c.req.method)
  const site = c.req.header("sec-fetch-site")
  // `none`: a person opened the address.
  if (site !== undefined) return site !== "same-origin" && (changes || site !== "none")
  const origin = c.req.header("origin")
  return origin === undefined ? changes : !ownOrigins(c).includes(origin)
}

function ownOrigins(c: Call): readonly string[] {
  const { publicUrl } = c.get("services")
  return [new URL(c.req.url).origin, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])]
}
