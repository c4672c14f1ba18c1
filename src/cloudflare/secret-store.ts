// SecretStore: a tenant's vault at rest [T32]. A scope is one row, its values sealed together; what is shown of it is their number.

import { MOST_SCOPES, VAULT_SIZE, type SecretRow } from "../ports/secrets.ts"
import { rulesChanged } from "./policy-store.ts"
import type { TenantSql } from "./tenant-sql.ts"
import type { Vault } from "./vault.ts"

type Row = { scope: string; sealed: ArrayBuffer }

export class SecretStore {
  readonly #sql: TenantSql
  readonly #vault: Vault
  readonly #tenant: string

  constructor(sql: TenantSql, vault: Vault, tenant: string) {
    this.#sql = sql
    this.#vault = vault
    this.#tenant = tenant
  }

  list(): readonly SecretRow[] {
    return this.#sql
      .read<{ scope: string; count: number; updated: number }>("SELECT scope, count, updated FROM secret ORDER BY scope")
      .map(({ scope, count, updated }) => ({ scope, values: count, updated }))
  }

  /** Those that hold a value: what a run's rules know of the vault. */
  scopes(): readonly string[] {
    return this.list().map((row) => row.scope)
  }

  /** Newest first. Replaces what the scope held. */
  async put(scope: string, values: readonly string[]): Promise<"ok" | "full"> {
    const size = values.reduce((sum, value) => sum + value.length, 0)
    const sealed = await this.#vault.seal(JSON.stringify(values), this.#place(scope))
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

  /** The values of one scope, newest first; none: it is not there. Throws when they cannot be opened. */
  async all(scope: string): Promise<readonly string[]> {
    const [row] = this.#sql.read<Row>("SELECT scope, sealed FROM secret WHERE scope = ?", scope)
    return row ? this.#open(row) : []
  }

  /** Every scope that opens. One that was sealed under another key is left out: nobody holds its values, so nobody can tell them. */
  async open(): Promise<Record<string, readonly string[]>> {
    const rows = this.#sql.read<Row>("SELECT scope, sealed FROM secret ORDER BY scope")
    const opened: [string, readonly string[]][] = []
    for (const row of rows) {
      try {
        opened.push([row.scope, await this.#open(row)])
      } catch (e) {
        console.error(
          JSON.stringify({ level: "error", event: "vault.sealed", scope: row.scope, message: e instanceof Error ? e.message : "" }),
        )
      }
    }
    return Object.fromEntries(opened)
  }

  async #open({ scope, sealed }: Row): Promise<readonly string[]> {
    const values: unknown = JSON.parse(await this.#vault.open(sealed, this.#place(scope)))
    return Array.isArray(values) ? values.filter((value) => typeof value === "string") : []
  }

  /** Not a provider's place: what is sealed for one opens nowhere else. */
  #place(scope: string): string {
    return `secret ${this.#tenant}/${scope}`
  }
}
