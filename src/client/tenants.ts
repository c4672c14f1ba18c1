// The instance's tenants, for its admin key [N5].

import { Paged } from "./paged.ts"
import { Keys } from "./settings.ts"
import type { Quotas, Tenant, TenantDeleted } from "../api/doc/tenants.doc.ts"
import type { NewTenant } from "../api/tenants.ts"
import { part, type Transport } from "./transport.ts"

const of = (tenant: string): string => `/v1/tenants/${part(tenant)}`

export class Tenants {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  list(): Paged<Tenant> {
    return new Paged(this.#transport, "/v1/tenants")
  }
  create(tenant: NewTenant): Promise<Tenant> {
    return this.#transport.json("POST", "/v1/tenants", { body: tenant })
  }
  get(id: string): Promise<Tenant> {
    return this.#transport.json("GET", of(id))
  }
  delete(id: string): Promise<TenantDeleted> {
    return this.#transport.json("DELETE", of(id))
  }
  quotas(id: string): Promise<Quotas> {
    return this.#transport.json("GET", `${of(id)}/quotas`)
  }
  /** Quotas that are left out stay as they are. */
  putQuotas(id: string, quotas: Partial<Quotas>): Promise<Quotas> {
    return this.#transport.json("PUT", `${of(id)}/quotas`, { body: quotas })
  }
  keys(id: string): Keys {
    return new Keys(this.#transport, `${of(id)}/keys`)
  }
}
