// Stores a tenant's policy [T30], and the version of its rules, from which a run sees that its own rules are out of date.
//
// Every change of the policy or of the vault's scopes increments the version in the same transaction (`rulesChanged`).

import { DEFAULT_POLICY, type Policy, type Rules } from "../../../core/tool/policy/policy.ts"
import { parsePolicy } from "../../../core/tool/policy/parse-policy.ts"
import { faultsText } from "../../../core/text/fault-text.ts"
import type { TenantRows, TenantSql } from "../tenant-sql.ts"

/** Code that changes data in a run's rules calls this in its transaction. */
export function rulesChanged(sql: TenantRows): void {
  sql.exec("INSERT INTO meta (key, value) VALUES ('rules', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1")
}

export class PolicyStore {
  readonly #sql: TenantSql
  /** The scopes of the vault that have a value. */
  readonly #scopes: () => readonly string[]

  constructor(sql: TenantSql, scopes: () => readonly string[]) {
    this.#sql = sql
    this.#scopes = scopes
  }

  /** Throws if the row is not a valid policy: an unreadable policy must not be treated as one that allows everything. */
  policy(): Policy {
    const [row] = this.#sql.read<{ body: string }>("SELECT body FROM policy WHERE id = 1")
    if (!row) return DEFAULT_POLICY
    const policy = parsePolicy(JSON.parse(row.body))
    if (!policy.ok) throw new Error(`the stored policy cannot be read: ${faultsText(policy.error)}`)
    return policy.value
  }

  /** Replaces the whole policy. */
  put(policy: Policy): void {
    this.#sql.write((sql) => {
      sql.exec("INSERT OR REPLACE INTO policy (id, body, at) VALUES (1, ?, ?)", JSON.stringify(policy), Date.now())
      rulesChanged(sql)
    })
  }

  /** Called when the tenant is created. The version starts at the time of creation, so the rules of a deleted tenant of the same id, which an
   *  isolate may still have cached, are never taken for newer ones. */
  begin(at: number): void {
    this.#sql.write((sql) =>
      sql.exec("INSERT INTO meta (key, value) VALUES ('rules', ?1) ON CONFLICT (key) DO UPDATE SET value = max(value, ?1)", at),
    )
  }

  rules(): Rules {
    const [row] = this.#sql.read<{ value: number }>("SELECT value FROM meta WHERE key = 'rules'")
    return { policy: this.policy(), scopes: this.#scopes(), version: row?.value ?? 0 }
  }
}
