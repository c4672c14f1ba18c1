// Stores a tenant's encrypted vault [T32]. A scope is one row, with its values encrypted together. Lists show only the number of values.

import { MOST_SCOPES, VAULT_SIZE, type SecretRow } from "../../../ports/secrets.ts"
import { rulesChanged } from "../settings/policy-store.ts"
import { SealedValues } from "./sealed-values.ts"
import type { TenantSql } from "../tenant-sql.ts"
import type { Vault } from "../../platform/vault.ts"

type Row = { name: string; sealed: ArrayBuffer }

export class SecretStore {
  readonly #sql: TenantSql
  readonly #values: SealedValues

  constructor(sql: TenantSql, vault: Vault, tenant: string) {
    this.#sql = sql
    this.#values = new SealedValues(vault, "secret", tenant)
  }

  list(): readonly SecretRow[] {
    return this.#sql
      .read<{ scope: string; count: number; updated: number }>("SELECT scope, count, updated FROM secret ORDER BY scope")
      .map(({ scope, count, updated }) => ({ scope, values: count, updated }))
  }

  /** The scopes that have a value. A run's rules contain nothing else from the vault. */
  scopes(): readonly string[] {
    return this.list().map((row) => row.scope)
  }

  /** Replaces the values of the scope. `values`: newest first. */
  async put(scope: string, values: readonly string[]): Promise<"ok" | "full"> {
    const size = values.reduce((sum, value) => sum + value.length, 0)
    const sealed = await this.#values.seal(scope, JSON.stringify(values))
    const [others] = this.#sql.read<{ scopes: number; size: number }>(
      "SELECT count(*) AS scopes, coalesce(sum(size), 0) AS size FROM secret WHERE scope <> ?",
      scope,
    )
    if ((others?.scopes ?? 0) >= MOST_SCOPES || (others?.size ?? 0) + size > VAULT_SIZE) return "full"
    const isNew = !this.scopes().includes(scope)
    this.#sql.write((sql) => {
      if (isNew) rulesChanged(sql)
      sql.exec(
        "INSERT OR REPLACE INTO secret (scope, count, size, sealed, updated) VALUES (?, ?, ?, ?, ?)",
        scope,
        values.length,
        size,
        sealed,
        Date.now(),
      )
    })
    return "ok"
  }

  remove(scope: string): boolean {
    if (!this.scopes().includes(scope)) return false
    this.#sql.write((sql) => {
      rulesChanged(sql)
      sql.exec("DELETE FROM secret WHERE scope = ?", scope)
    })
    return true
  }

  /** The values of one scope, newest first; empty if there is no such scope. Throws if they cannot be opened. */
  async all(scope: string): Promise<readonly string[]> {
    const [row] = this.#sql.read<Row>("SELECT scope AS name, sealed FROM secret WHERE scope = ?", scope)
    return row ? valuesOf(await this.#values.open(row.name, row.sealed)) : []
  }

  /** Every scope that can be opened. */
  async open(): Promise<Record<string, readonly string[]>> {
    const opened = await this.#values.openAll(this.#sql.read<Row>("SELECT scope AS name, sealed FROM secret ORDER BY scope"))
    return Object.fromEntries(Array.from(opened, ([scope, text]) => [scope, valuesOf(text)]))
  }
}

function valuesOf(text: string): readonly string[] {
  const values: unknown = JSON.parse(text)
  return Array.isArray(values) ? values.filter((value) => typeof value === "string") : []
}
