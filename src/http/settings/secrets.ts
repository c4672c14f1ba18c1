// A tenant's vault [T32]: values go in and never come out. An answer says which scopes there are and how many values each has.

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
    rows.map((row) => ({ ...row, updated: new Date(row.updated).toISOString() })),
  )
}

/** Replaces all values of the scope. `{values}` with the old one second is how a secret is rotated. */
export async function putSecret(c: Call): Promise<Response> {
  const scope = param(c, "scope")
  if (!isScope(scope)) return refuse(c, invalid([{ pointer: "", message: "a scope's name has letters, digits, _, - and ., at most 64" }]))
  const body = json(c, SecretBody)
  if (!body.ok) return refuse(c, body.error)
  const { value, values } = body.value
  if ((value === undefined) === (values === undefined))
    return refuse(c, invalid([{ pointer: "/value", message: "send either {value} or {values: [newest, …]}" }]))
  try {
    const done = await c.get("tenant").secrets.put(scope, values ?? [value ?? ""])
    if (done === "ok") return c.body(null, 204)
  } catch (e) {
    // The class does not survive RPC, its name does.
    if (e instanceof Error && e.name === "VaultError") return refuse(c, { code: "not_configured", detail: e.message })
    throw e
  }
  const message = `the vault is full: ${MOST_SCOPES} scopes and ${VAULT_SIZE} characters in all are the most; delete a scope that is not used`
  return refuse(c, invalid([{ pointer: "", message }]))
}

export async function deleteSecret(c: Call): Promise<Response> {
  const gone = await c.get("tenant").secrets.remove(param(c, "scope"))
  return gone ? c.body(null, 204) : refuse(c, NOT_FOUND)
}

export const SECRET_ROUTES = routes(settings, { listSecrets, putSecret, deleteSecret })
