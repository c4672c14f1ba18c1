// Manages the instance's tenants with its admin key [N5].

import type { Paged } from "./transport/paged.ts"
import { Keys } from "./settings.ts"
import type * as shapes from "../api/doc/tenants.doc.ts"
import type { Quotas, Tenant, TenantDeleted } from "../api/doc/tenants.doc.ts"
import type { NewTenant, tenants } from "../api/tenants.ts"
import { Part } from "./transport/part.ts"
import { part } from "./transport/transport.ts"

export class Tenants extends Part<typeof tenants, typeof shapes> {
  readonly list: () => Paged<Tenant> = this.paged("/v1/tenants")
  readonly create: (tenant: NewTenant) => Promise<Tenant> = this.route("POST /v1/tenants")
  readonly get: (id: string) => Promise<Tenant> = this.route("GET /v1/tenants/*")
  readonly delete: (id: string) => Promise<TenantDeleted> = this.route("DELETE /v1/tenants/*")
  readonly quotas: (id: string) => Promise<Quotas> = this.route("GET /v1/tenants/*/quotas")
  /** Quotas that are left out stay as they are. */
  readonly putQuotas: (id: string, quotas: Partial<Quotas>) => Promise<Quotas> = this.route("PUT /v1/tenants/*/quotas")
  keys(id: string): Keys {
    return new Keys(this.transport, `/v1/tenants/${part(id)}/keys`)
  }
}
