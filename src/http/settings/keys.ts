// Serves API keys [H1]: create, list, revoke. A key's text is only in the response that created it; a replay leaves it out.
//
// The same three calls serve a tenant's own keys (scope admin) and the instance's admin (tenants.ts), depending on the port.

import type { KeyRow as KeyShown } from "../../api/doc/tenants.doc.ts"
import type { Shown } from "../../api/rows.ts"
import { isoTimes, parseIsoTime } from "../../core/text/iso-time.ts"
import { SCOPES } from "../../api/route/route.ts"
import type { KeyRow, KeysPort } from "../../ports/tenant/tenants.ts"
import { json } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { words } from "../middleware/query.ts"
import { page } from "../middleware/page.ts"
import { KeyBody, tenants } from "../../api/tenants.ts"
import { defined } from "../../core/defined.ts"

const shown = (row: KeyRow): Shown<typeof KeyShown> => isoTimes(row, "created", "expires", "last_used")

export async function createFrom(c: Call, port: KeysPort): Promise<Response> {
  const body = json(c, KeyBody)
  if (!body.ok) return refuse(c, body.error)
  const { name, scopes, expires } = body.value
  const until = expires === undefined ? undefined : parseIsoTime(expires)
  if (expires !== undefined && (until === undefined || until <= Date.now()))
    return refuse(c, invalid([{ pointer: "/expires", message: "must be a time in the future, such as 2030-01-31T12:00:00Z" }]))
  const made = await port.create(
    { name: name ?? "key", scopes: SCOPES.filter((scope) => scopes.includes(scope)), ...defined({ expires: until }) },
    c.get("act"),
  )
  if (made === "too_many")
    return refuse(c, {
      code: "too_many_keys",
      detail: "The tenant has reached its limit of keys. Revoke keys that are no longer used, then create new ones.",
    })
  if (made === "late")
    return refuse(c, { code: "idempotency_busy", detail: "A later request with this Idempotency-Key has created the key." })
  c.set("shownOnce", ["key"])
  return c.json(shown(made), 201)
}

export async function listFrom(c: Call, port: KeysPort): Promise<Response> {
  return page(c, (await port.list()).map(shown))
}

export async function revokeFrom(c: Call, port: KeysPort): Promise<Response> {
  const starts = words("starts", c.req.query("starts"), ["cancel"])
  if (!starts.ok) return refuse(c, starts.error)
  return (await port.revoke(param(c, "key"), starts.value?.[0])) ? c.body(null, 204) : refuse(c, NOT_FOUND)
}

export const createKey = (c: Call): Promise<Response> => createFrom(c, c.get("tenant").account.keys)
export const listKeys = (c: Call): Promise<Response> => listFrom(c, c.get("tenant").account.keys)
export const revokeKey = (c: Call): Promise<Response> => revokeFrom(c, c.get("tenant").account.keys)

export const KEY_ROUTES = routes(tenants, { createKey, listKeys, revokeKey })
