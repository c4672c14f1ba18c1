// The addresses of a tenant's search provider and cluster [T22, T25], one row each. The rows contain no secrets.

import type { Answers } from "../../ports/objects.ts"
import type { Services, ServicesPort } from "../../ports/services.ts"
import type { TenantSql } from "./tenant-sql.ts"

export class ServiceStore implements Answers<ServicesPort> {
  readonly #sql: TenantSql

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  get(): Services {
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
