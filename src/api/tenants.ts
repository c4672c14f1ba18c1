// Declares API keys [H1] and the tenants of an instance [N1, N3, N5].

import { z } from "zod"
import { PAGE, PAGES, SCOPES, words, type Access, type Routes, type Tag } from "./route/route.ts"
import { later } from "../core/schema/later.ts"

/** A tenant's id has no "_", because "_" separates it from what follows in keys and object names. */
export const TENANT_ID = /^[a-z][a-z0-9-]{1,30}$/
/** Jurisdictions that a tenant's data can be bound to [N1]. */
export const JURISDICTIONS = ["eu", "us"] as const
export type Jurisdiction = (typeof JURISDICTIONS)[number]

export const KeyBody = later(() =>
  z.strictObject({
    name: z.string().trim().min(1, "must not be empty").max(100, "must have at most 100 characters").exactOptional(),
    scopes: z.array(z.enum(SCOPES)).min(1, "must name at least one scope").max(SCOPES.length),
    expires: z.string().max(100).exactOptional(),
  }),
)
/** The type of the request body for clients. */
export type NewKey = z.input<typeof KeyBody>

export const TenantBody = later(() =>
  z.strictObject({
    id: z.string().regex(TENANT_ID, 'must have 2 to 31 lowercase letters, digits or "-", and start with a letter'),
    name: z.string().trim().min(1, "must not be empty").max(200, "must have at most 200 characters").exactOptional(),
    jurisdiction: z.enum(JURISDICTIONS, "must be eu or us").exactOptional(),
  }),
)
/** The type of the request body for clients. */
export type NewTenant = z.input<typeof TenantBody>

const amount = z.number().int("must be a whole number").nonnegative("must not be negative").max(Number.MAX_SAFE_INTEGER)

export const QuotaBody = later(() =>
  z.strictObject({
    concurrent_runs: amount.exactOptional(),
    starts_per_minute: amount.exactOptional(),
    catalog_bytes: amount.exactOptional(),
    storage_bytes: amount.exactOptional(),
    retention_max: z.union([z.number().min(0).max(Number.MAX_SAFE_INTEGER), z.string().max(100)]).exactOptional(),
  }),
)

/** A tenant's own keys, and those of a tenant that the admin key names. */
const keys = <Scope extends Access, T extends Tag, Base extends string>(path: Base, scope: Scope, tag: T, owner: string) =>
  ({
    create: {
      method: "POST",
      path,
      scope,
      tag,
      summary: `Create a key of ${owner}`,
      body: KeyBody,
      answers: { 201: { description: "The key. Its text is shown only once.", body: "NewKey" } },
      problems: ["too_many_keys"],
    },
    list: {
      method: "GET",
      path,
      scope,
      tag,
      summary: `List the keys of ${owner}`,
      query: PAGE,
      answers: { 200: { description: "All keys, without their texts.", body: "KeyRow[]" } },
    },
    revoke: {
      method: "DELETE",
      path: `${path}/:key`,
      scope,
      tag,
      summary: `Revoke a key of ${owner}, effective immediately`,
      query: {
        starts: words(
          "`cancel` cancels the starts by this key that wait, also if it was revoked before; otherwise they begin all the same.",
        ),
      },
      answers: { 204: { description: "Revoked." } },
    },
  }) as const satisfies Routes

const OWN = keys("/v1/keys", "admin", "Keys", "the tenant")
const OF_TENANT = keys("/v1/tenants/:tenant/keys", "instance", "Tenants", "a tenant")
const ADMIN = { scope: "instance", tag: "Tenants" } as const

export const tenants = {
  createKey: OWN.create,
  listKeys: OWN.list,
  revokeKey: OWN.revoke,
  createTenant: {
    ...ADMIN,
    method: "POST",
    path: "/v1/tenants",
    summary: "Create a tenant",
    body: TenantBody,
    answers: { 201: { description: "The tenant.", body: "Tenant", headers: ["location"] } },
    problems: ["taken", "unsupported"],
  },
  listTenants: {
    ...ADMIN,
    method: "GET",
    path: "/v1/tenants",
    summary: "List tenants, newest first",
    query: PAGES,
    answers: { 200: { description: "A page of tenants.", body: "Tenant[]" } },
  },
  getTenant: {
    ...ADMIN,
    method: "GET",
    path: "/v1/tenants/:tenant",
    summary: "Read a tenant",
    answers: { 200: { description: "The tenant.", body: "Tenant" } },
  },
  deleteTenant: {
    ...ADMIN,
    method: "DELETE",
    path: "/v1/tenants/:tenant",
    summary: "Delete a tenant and everything that belongs to it",
    answers: {
      200: { description: "Everything is deleted.", body: "TenantDeleted" },
      202: { description: "Its keys are revoked, and deletion continues. Send the request again to check.", body: "TenantDeleted" },
    },
  },
  getQuotas: {
    ...ADMIN,
    method: "GET",
    path: "/v1/tenants/:tenant/quotas",
    summary: "Read a tenant's quotas",
    answers: { 200: { description: "The quotas.", body: "Quotas" } },
  },
  putQuotas: {
    ...ADMIN,
    method: "PUT",
    path: "/v1/tenants/:tenant/quotas",
    summary: "Change a tenant's quotas",
    description: "Quotas that are left out stay as they are.",
    body: QuotaBody,
    answers: { 200: { description: "The quotas.", body: "Quotas" } },
    problems: ["unsupported"],
  },
  createTenantKey: OF_TENANT.create,
  listTenantKeys: OF_TENANT.list,
  revokeTenantKey: OF_TENANT.revoke,
} as const satisfies Routes
