// Serves the instance's tenants [N1, N3, N5]: create, list, limit, delete, and their keys. Only the admin key opens these routes.

import { parseDuration } from "../../core/text/duration.ts"
import type { Tenant } from "../../api/doc/tenants.doc.ts"
import type { Shown } from "../../api/rows.ts"
import { isoTimes } from "../../core/text/iso-time.ts"
import type { KeysPort, Quotas, TenantRow } from "../../ports/tenant/tenants.ts"
import { pathAt } from "../middleware/address.ts"
import { json } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { createFrom, listFrom, revokeFrom } from "./keys.ts"
import { invalid, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { whole } from "../middleware/query.ts"
import { type Jurisdiction, QuotaBody, TenantBody, tenants } from "../../api/tenants.ts"
import { defined } from "../../core/defined.ts"

const shown = (row: TenantRow): Shown<typeof Tenant> => isoTimes(row, "created")

export async function createTenant(c: Call): Promise<Response> {
  const body = json(c, TenantBody)
  if (!body.ok) return refuse(c, body.error)
  const { id, name, jurisdiction } = body.value
  const made = await c.get("services").tenants.create({ id, name: name ?? id, ...defined({ jurisdiction }) })
  if (made.ok) return c.json(shown(made.tenant), 201, { location: pathAt(c, `/v1/tenants/${id}`) })
  if (made.code === "taken") return refuse(c, { code: "taken", detail: taken(id, made.by, jurisdiction) })
  const message = `this instance cannot place a tenant in the jurisdiction ${made.jurisdiction}: ${made.why}`
  return refuse(c, { code: "unsupported", detail: `${message}.`, errors: [{ pointer: "/jurisdiction", message }] })
}

/** [N1] A tenant's jurisdiction cannot change, because its data would have to move. */
function taken(id: string, by: Jurisdiction | null, wished: Jurisdiction | undefined): string {
  const there = `There is already a tenant ${id}, or it is still being deleted`
  if (wished === undefined || wished === by) return `${there}.`
  return `${there}, and it is in ${by === null ? "no jurisdiction" : `the jurisdiction ${by}`}, which cannot be changed. Create another tenant in ${wished} and copy the catalog there (GET /v1/catalog/export).`
}

export async function listTenants(c: Call): Promise<Response> {
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: 200, otherwise: 50 })
  if (!limit.ok) return refuse(c, limit.error)
  const cursor = c.req.query("cursor")
  const found = await c.get("services").tenants.list({ limit: limit.value, ...defined({ cursor }) })
  if ("badCursor" in found)
    return refuse(c, invalid([{ pointer: "?cursor", message: "is not a cursor of this list; send the `next_cursor` of the page before" }]))
  return c.json({ data: found.data.map(shown), next_cursor: found.next_cursor })
}

export async function getTenant(c: Call): Promise<Response> {
  const tenant = await c.get("services").tenants.find(param(c, "tenant"))
  return tenant ? c.json(shown(tenant)) : refuse(c, NOT_FOUND)
}

/** 202: its keys are revoked and deletion continues. Repeating the request shows whether it is complete. */
export async function deleteTenant(c: Call): Promise<Response> {
  const id = param(c, "tenant")
  const gone = await c.get("services").tenants.remove(id)
  if (!gone) return refuse(c, NOT_FOUND)
  return c.json({ id, ...(gone.done ? {} : { status: "deleting" }), deleted: gone.deleted }, gone.done ? 200 : 202)
}

export async function getQuotas(c: Call): Promise<Response> {
  const tenant = await c.get("services").tenants.find(param(c, "tenant"))
  return tenant ? c.json(tenant.quotas) : refuse(c, NOT_FOUND)
}

/** Quotas that are left out stay as they are. */
export async function putQuotas(c: Call): Promise<Response> {
  const { tenants } = c.get("services")
  const id = param(c, "tenant")
  const body = json(c, QuotaBody)
  if (!body.ok) return refuse(c, (await tenants.find(id)) ? body.error : NOT_FOUND)
  const { retention_max: given, ...rest } = body.value
  const retention = given === undefined ? undefined : parseDuration(given)
  if (given !== undefined && retention === undefined) {
    const wrong = invalid([
      { pointer: "/retention_max", message: "must be a duration: milliseconds, or a number with ms, s, m, h or d, such as 90d" },
    ])
    return refuse(c, (await tenants.find(id)) ? wrong : NOT_FOUND)
  }
  const wished: Partial<Quotas> = { ...rest, ...defined({ retention_max: retention }) }
  const quotas = await tenants.putQuotas(id, wished)
  return quotas ? c.json(quotas) : refuse(c, NOT_FOUND)
}

const withKeys = async (c: Call, answer: (c: Call, port: KeysPort) => Promise<Response>): Promise<Response> => {
  const port = await c.get("services").tenants.keys(param(c, "tenant"))
  return port ? answer(c, port) : refuse(c, NOT_FOUND)
}

export const createTenantKey = (c: Call): Promise<Response> => withKeys(c, createFrom)
export const listTenantKeys = (c: Call): Promise<Response> => withKeys(c, listFrom)
export const revokeTenantKey = (c: Call): Promise<Response> => withKeys(c, revokeFrom)

export const TENANT_ROUTES = routes(tenants, {
  createTenant,
  listTenants,
  getTenant,
  deleteTenant,
  getQuotas,
  putQuotas,
  createTenantKey,
  listTenantKeys,
  revokeTenantKey,
})
