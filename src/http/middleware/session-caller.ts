// Identifies the caller by the cookie of a session [H13]. An Authorization header or a token is a caller's own word: beside one, the cookie
// does not count.

import { cookieOf, sessionCookie } from "../../core/session-cookie.ts"
import type { Caller } from "../../ports/house.ts"
import { pathAt } from "./address.ts"
import type { Call } from "./call.ts"
import { UNAUTHORIZED, type Refusal } from "./problem.ts"
import { FOREIGN, isForeign } from "./same-origin.ts"

/** The prefix of the instance where the request came in [N2]: a session of another one is none. */
export const placeOf = (c: Call): string => pathAt(c, "")

const isPlain = (c: Call): boolean => c.get("house").environment === "local" && new URL(c.req.url).protocol === "http:"

const nameAt = (c: Call): string => sessionCookie(placeOf(c), isPlain(c) ? new URL(c.req.url).port : undefined)

/** undefined: the request has neither a session nor a token of Cloudflare Access. */
export async function sessionCaller(c: Call): Promise<{ readonly caller: Caller } | { readonly refused: Refusal } | undefined> {
  if (c.req.header("authorization") !== undefined || c.req.query("token") !== undefined || c.req.header("upgrade") !== undefined)
    return undefined
  const house = c.get("house")
  const value = cookieOf(c.req.header("cookie"), nameAt(c))
  const caller = value === undefined ? undefined : await house.signIns.callerOf(value, placeOf(c))
  if (caller) return isForeign(c) ? { refused: FOREIGN } : { caller }
  // [H14] Access adds its token because of a cookie of its own, so the same pages count.
  const token = c.req.header("cf-access-jwt-assertion")
  if (house.access === undefined || token === undefined) return undefined
  const said = await house.access(token)
  if (!said.ok)
    return { refused: said.code === "forbidden" ? { code: said.code, detail: said.detail } : { ...UNAUTHORIZED, detail: said.detail } }
  return isForeign(c) ? { refused: FOREIGN } : { caller: said.caller }
}

/** Over plain HTTP in local development a browser takes neither `__Host-` nor, everywhere, Secure. */
export const cookieWith = (c: Call, value: string, seconds: number): string =>
  `${nameAt(c)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isPlain(c) ? "" : "; Secure"}`
