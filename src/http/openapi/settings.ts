// Settings, secrets, keys, tenants and the instance itself: how each route of theirs is described.

import { z } from "zod"
import { Amount } from "../../core/money/amount.ts"
import { CorsBody } from "../middleware/cors.ts"
import { KeyBody } from "../settings/keys.ts"
import { RetentionBody } from "../settings/retention.ts"
import { SecretBody } from "../settings/secrets.ts"
import { Services } from "../settings/services.ts"
import { Provider, Roles } from "../settings/settings.ts"
import { QuotaBody, TenantBody } from "../settings/tenants.ts"
import { CURSOR, IF_NONE_MATCH, PAGE, limitTo } from "./parameters.ts"
import {
  FirstPage,
  Health,
  Readiness,
  KeyRow,
  NewKey,
  Origins,
  PolicyBody,
  Prices,
  ProviderShown,
  QuotasShown,
  Retention,
  RolesShown,
  SecretRow,
  Tenant,
  TenantDeleted,
} from "./settings-shapes.ts"
import { JsonObject, listOf } from "./shapes.ts"
import type { Table, Tag, Told } from "./told.ts"

/** GET and PUT of one setting that is replaced whole; both answer what then holds. */
function setting(name: string, id: string, what: string, body: z.ZodType, shown: z.ZodType): Table {
  const answers = { 200: { says: "What holds.", body: shown } }
  return {
    [`GET /v1/settings/${name}`]: { id: `get${id}`, tag: "Settings", does: `Read ${what}`, answers },
    [`PUT /v1/settings/${name}`]: { id: `put${id}`, tag: "Settings", does: `Replace ${what}`, body, answers },
  }
}

function keys(base: string, id: string, tag: Tag, whose: string): Table {
  const table: Record<string, Told> = {
    [`POST ${base}`]: {
      id: `create${id}`,
      tag,
      does: `Make a key of ${whose}`,
      body: KeyBody,
      answers: { 201: { says: "The key, shown this once.", body: NewKey } },
      refuses: ["too_many_keys"],
    },
    [`GET ${base}`]: {
      id: `list${id}s`,
      tag,
      does: `List the keys of ${whose}`,
      query: PAGE,
      answers: { 200: { says: "All keys, without their texts.", body: listOf(KeyRow) } },
    },
    [`DELETE ${base}/{key}`]: {
      id: `revoke${id}`,
      tag,
      does: `Revoke a key of ${whose}, at once`,
      answers: { 204: { says: "Revoked." } },
    },
  }
  return table
}

export const SETTINGS: Table = {
  "GET /v1/settings/providers": {
    id: "listProviders",
    tag: "Settings",
    does: "List model providers",
    query: PAGE,
    answers: { 200: { says: "All of them, without their keys.", body: listOf(ProviderShown) } },
  },
  "GET /v1/settings/providers/{provider}": {
    id: "getProvider",
    tag: "Settings",
    does: "Look at a model provider",
    answers: { 200: { says: "The provider, without its key.", body: ProviderShown } },
  },
  "PUT /v1/settings/providers/{provider}": {
    id: "putProvider",
    tag: "Settings",
    does: "Write a model provider, its key and all",
    body: Provider,
    answers: { 200: { says: "The provider, without its key.", body: ProviderShown } },
    refuses: ["not_configured"],
  },
  "DELETE /v1/settings/providers/{provider}": {
    id: "deleteProvider",
    tag: "Settings",
    does: "Remove a model provider",
    answers: { 204: { says: "Removed." } },
  },
  ...setting("roles", "Roles", "which model each role is", Roles, RolesShown),
  ...setting("prices", "Prices", "the price table: `provider/model` → US dollars for a million tokens", Prices, Prices),
  ...setting("policy", "Policy", "the policy of tools and approvals", PolicyBody, PolicyBody),
  ...setting("budget", "DayBudget", "the budget of a day", Amount, Amount),
  ...setting("cors", "Cors", "the origins whose pages may read answers", CorsBody, Origins),
  ...setting("retention", "Retention", "for how long ended runs are kept", RetentionBody, Retention),
  ...setting("services", "Services", "the services that tools use", Services, Services),
  "GET /v1/secrets": {
    id: "listSecrets",
    tag: "Settings",
    does: "List the scopes of the vault",
    query: PAGE,
    answers: { 200: { says: "All scopes, without values.", body: listOf(SecretRow) } },
  },
  "PUT /v1/secrets/{scope}": {
    id: "putSecret",
    tag: "Settings",
    does: "Write the values of a scope",
    more: "`value`, or `values` with the newest first: that is how a secret is rotated.",
    body: SecretBody,
    answers: { 204: { says: "Written." } },
    refuses: ["not_configured"],
  },
  "DELETE /v1/secrets/{scope}": {
    id: "deleteSecret",
    tag: "Settings",
    does: "Remove a scope",
    answers: { 204: { says: "Removed." } },
  },
  ...keys("/v1/keys", "Key", "Keys", "the tenant"),
  ...keys("/v1/tenants/{tenant}/keys", "TenantKey", "Tenants", "a tenant"),
  "POST /v1/tenants": {
    id: "createTenant",
    tag: "Tenants",
    does: "Make a tenant",
    body: TenantBody,
    answers: { 201: { says: "The tenant.", body: Tenant, headers: ["location"] } },
    refuses: ["taken", "unsupported"],
  },
  "GET /v1/tenants": {
    id: "listTenants",
    tag: "Tenants",
    does: "List tenants, newest first",
    query: { limit: limitTo(200, 50), cursor: CURSOR },
    answers: { 200: { says: "A page of tenants.", body: listOf(Tenant) } },
  },
  "GET /v1/tenants/{tenant}": {
    id: "getTenant",
    tag: "Tenants",
    does: "Look at a tenant",
    answers: { 200: { says: "The tenant.", body: Tenant } },
  },
  "DELETE /v1/tenants/{tenant}": {
    id: "deleteTenant",
    tag: "Tenants",
    does: "Delete a tenant and all that is its",
    answers: {
      200: { says: "All of it is gone.", body: TenantDeleted },
      202: { says: "Its keys open nothing any more; the rest is taken away meanwhile. Ask again.", body: TenantDeleted },
    },
  },
  "GET /v1/tenants/{tenant}/quotas": {
    id: "getQuotas",
    tag: "Tenants",
    does: "Look at a tenant's quotas",
    answers: { 200: { says: "The quotas.", body: QuotasShown } },
  },
  "PUT /v1/tenants/{tenant}/quotas": {
    id: "putQuotas",
    tag: "Tenants",
    does: "Change a tenant's quotas",
    more: "What is not said stays.",
    body: QuotaBody,
    answers: { 200: { says: "The quotas.", body: QuotasShown } },
    refuses: ["unsupported"],
  },
  "GET /": {
    id: "getFirstPage",
    tag: "Instance",
    does: "What this is and where to go",
    more: "A page for a browser (`Accept: text/html`), JSON for everything else; the same for every caller.",
    answers: {
      200: {
        says: "Name, version and links, relative to the instance's root.",
        body: { "application/json": FirstPage, "text/html": z.string() },
      },
    },
    refuses: ["too_large"],
  },
  "GET /healthz": {
    id: "getHealth",
    tag: "Instance",
    does: "Whether the Worker answers",
    answers: { 200: { says: "It does.", body: Health } },
    refuses: ["too_large"],
  },
  "GET /readyz": {
    id: "getReadiness",
    tag: "Instance",
    does: "Whether what it stands on answers",
    more: "Asks the key-value store, the object store and a tenant's object; each may be remembered for a second.",
    answers: { 200: { says: "All of it does.", body: Readiness } },
    refuses: ["too_large", "not_ready"],
  },
  "GET /openapi.json": {
    id: "getOpenApi",
    tag: "Instance",
    does: "This document",
    headers: { "if-none-match": IF_NONE_MATCH },
    answers: {
      200: { says: "OpenAPI 3.1.", body: JsonObject, headers: ["etag"] },
      304: { says: "It is what is known already.", headers: ["etag"] },
    },
    refuses: ["too_large"],
  },
  "GET /d/{token}": {
    id: "openFileLink",
    tag: "Tools",
    does: "Open a signed link to a shared file",
    answers: { 200: { says: "The file, to be saved.", body: { "*/*": "bytes" }, headers: ["content-disposition"] } },
    refuses: ["link_refused", "not_found"],
  },
}
