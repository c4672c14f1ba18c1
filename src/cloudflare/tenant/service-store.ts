// ServiceStore: where a tenant's search provider and cluster stand [T22, T25]; one row for each, no secrets among them.

import type { Services, ServicesPort } from "../../ports/services.ts"
import { asking, type TenantPortEnv } from "../clients/tenant-port.ts"
import type { TenantSql } from "./tenant-sql.ts"

export class ServiceStore {
  readonly #sql: TenantSql

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  all(): Services {
    const rows = this.#sql.read<{ name: string; body: string }>("SELECT name, body FROM service ORDER BY name")
    return Object.fromEntries(rows.map((row) => [row.name, JSON.parse(row.body)]))
  }

  put(services: Services): void {
    this.#sql.write((sql) => {
      sql.exec("DELETE FROM service")
      for (const [name, body] of Object.entries(services))
        sql.exec("INSERT INTO service (name, body) VALUES (?, ?)", name, JSON.stringify(body))
    })
  }
}

export function servicesPort(env: TenantPortEnv, tenant: string): ServicesPort {
  const ask = asking(env, tenant)
  return { get: () => ask((o) => o.settings.services()), put: (services) => ask((o) => o.settings.putServices(services)) }
}
