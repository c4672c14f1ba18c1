// Signs people in at the console [H13]: the key is sent once, in its header, and the browser keeps a cookie that no script can read.

import { signIn as declared, SignInBody } from "../../api/sign-in.ts"
import { SCOPES } from "../../api/route/route.ts"
import type { SignInShown } from "../../api/doc/sign-in.doc.ts"
import { isoTime, isoTimes } from "../../core/text/iso-time.ts"
import type { Caller } from "../../ports/services.ts"
import { json } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { page } from "../middleware/page.ts"
import { signInId } from "../../ports/tenant/sign-ins.ts"
import { invalid, NOT_FOUND, refuse, UNAUTHORIZED } from "../middleware/problem.ts"
import { cookieWith, placeOf } from "../middleware/session-caller.ts"

function shown({ tenant, name, scopes, signIn: session, access }: Caller): Record<string, unknown> {
  const person = session ?? access
  return {
    tenant,
    by: name,
    via: session ? "session" : access ? "access" : "key",
    key: person?.key ?? name,
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    until: person ? isoTime(person.until) : null,
  }
}

export async function signIn(c: Call): Promise<Response> {
  const body = c.get("body").byteLength === 0 ? ({ ok: true, value: {} } as const) : json(c, SignInBody)
  if (!body.ok) return refuse(c, body.error)
  const name = "name" in body.value ? body.value.name : undefined
  // Where Access verifies emails, nobody gives one as a name.
  if (name?.includes("@") === true && c.get("services").access !== undefined)
    return refuse(
      c,
      invalid([{ pointer: "/name", message: "must not be an email address: here Cloudflare Access provides the email address" }]),
    )
  const opened = await c.get("services").signIns.open(c.get("caller"), name, placeOf(c))
  // The key has just been revoked.
  if (!opened?.caller.signIn) return refuse(c, UNAUTHORIZED)
  const { value, caller } = opened
  const seconds = Math.floor((opened.caller.signIn.until - Date.now()) / 1000)
  return c.json(shown(caller), 201, { "set-cookie": cookieWith(c, value, seconds) })
}

export const whoAmI = (c: Call): Response => c.json(shown(c.get("caller")))

export async function signOut(c: Call): Promise<Response> {
  if (!(await c.get("services").signIns.close(c.get("caller")))) return refuse(c, { ...NOT_FOUND, detail: "This request has no session." })
  return c.body(null, 204, { "set-cookie": cookieWith(c, "", 0) })
}

export async function listSignIns(c: Call): Promise<Response> {
  const caller = c.get("caller")
  const own = caller.signIn && signInId(caller.signIn.digest)
  const rows = await c.get("services").signIns.list(caller)
  return page(
    c,
    rows.map((row): SignInShown => ({ ...isoTimes(row, "created", "until"), current: row.id === own })),
  )
}

export async function endSignIn(c: Call): Promise<Response> {
  return (await c.get("services").signIns.end(c.get("caller"), param(c, "sign_in"))) ? c.body(null, 204) : refuse(c, NOT_FOUND)
}

export const SIGN_IN_ROUTES = routes(declared, { signIn, whoAmI, signOut, listSignIns, endSignIn })
