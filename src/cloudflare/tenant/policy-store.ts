// PolicyStore: a tenant's policy [T30], and the count by which a run knows that its rules are older than these.
//
// The count grows with every change of the policy or of the vault's scopes (`rulesChanged`), in the same transaction.

import { DEFAULT_POLICY, type Policy, type Rules } from "../../core/policy/policy.ts"
import { parsePolicy } from "../../core/policy/parse-policy.ts"
import type { TenantSql } from "./tenant-sql.ts"

/** Whoever writes what a run's rules hold calls this in its transaction. */
export function rulesChanged(sql: SqlStorage): void {
  sql.exec("INSERT INTO meta (key, value) VALUES ('rules', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1")
}

export class PolicyStore {
  readonly #sql: TenantSql
  /** Scopes of the vault that hold a value. */
  readonly #scopes: () => readonly string[]

  constructor(sql: TenantSql, scopes: () => readonly string[]) {
    this.#sql = sql
    this.#scopes = scopes
  }

  /** Throws when the row is not a policy: what cannot be read must not be taken for one that allows everything. */
  policy(): Policy {
    const [row] = this.#sql.read<{ body: string }>("SELECT body FROM policy WHERE id = 1")
    if (!row) return DEFAULT_POLICY
    const policy = parsePolicy(JSON.parse(row.body))
    if (!policy.ok) throw new Error(`the stored policy cannot be read: ${policy.error.map((f) => `${f.pointer} ${f.message}`).join("; ")}`)
    return policy.value
  }

  /** Replaces the whole of it. */
  put(policy: Policy): void {
    this.#sql.write((sql) => {
      sql.exec("INSERT OR REPLACE INTO policy (id, body, at) VALUES (1, ?, ?)", JSON.stringify(policy), Date.now())
      rulesChanged(sql)
    })
  }

  /** The tenant is made. Its count goes on from the time, so that no run of its takes the rules of a tenant that was here before, and that
   *  somebody still remembers, for newer ones. */
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
