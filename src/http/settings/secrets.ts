// Serves a tenant's vault [T32]: values are written and never returned. Answers list the scopes and the number of values of each.

import { isoTimes } from "../../core/text/iso-time.ts"
import { isScope, MOST_SCOPES, VAULT_SIZE } from "../../ports/secrets.ts"
import { json } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { page } from "../middleware/page.ts"
import { SecretBody, settings } from "../../api/settings.ts"

export async function listSecrets(c: Call): Promise<Response> {
  const rows = await c.get("tenant").secrets.list()
  return page(
    c,
    rows.map((row) => isoTimes(row, "updated")),
  )
}

/** Replaces all values of the scope. To rotate a secret, send `{values}` with the old one second. */
export async function putSecret(c: Call): Promise<Response> {
  const scope = param(c, "scope")
  if (!isScope(scope))
    return refuse(c, invalid([{ pointer: "", message: 'the name of a scope must have 1 to 64 letters, digits, "_", "-" or "."' }]))
  const body = json(c, SecretBody)
  if (!body.ok) return refuse(c, body.error)
  const { value, values } = body.value
  if ((value === undefined) === (values === undefined))
    return refuse(c, invalid([{ pointer: "/value", message: "must be sent as {value} or as {values: [newest, …]}, not both" }]))
  try {
    const done = await c.get("tenant").secrets.put(scope, values ?? [value ?? ""])
    if (done === "ok") return c.body(null, 204)
  } catch (e) {
    // RPC keeps the name of an error, not its class.
    if (e instanceof Error && e.name === "VaultError") return refuse(c, { code: "not_configured", detail: e.message })
    throw e
  }
  const message = `the vault is full: it has at most ${MOST_SCOPES} scopes and ${VAULT_SIZE} characters in all; delete a scope that is not used`
  return refuse(c, invalid([{ pointer: "", message }]))
}

export async function deleteSecret(c: Call): Promise<Response> {
  const gone = await c.get("tenant").secrets.remove(param(c, "scope"))
  return gone ? c.body(null, 204) : refuse(c, NOT_FOUND)
}

export const SECRET_ROUTES = routes(settings, { listSecrets, putSecret, deleteSecret })
