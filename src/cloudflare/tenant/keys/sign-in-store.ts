// Stores sessions of people [H13], with names and times, in the tenant's jurisdiction. The rights of a session follow from these rows
// alone: its row in KV only names the tenant and holder (session-rows.ts), so one answer serves all sessions of a holder.

import { MOST_LISTED, signInId, type SignInRow } from "../../../ports/tenant/sign-ins.ts"
import type { TenantSql } from "../tenant-sql.ts"

/** Limit: sessions of one key → the oldest ends. */
export const MAX_SESSIONS_OF_KEY = 100

export class SignInStore {
  readonly #sql: TenantSql

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  open({ digest, key, by, place, until }: SignInRow, now: number): void {
    this.#sql.write((sql) => {
      sql.exec("DELETE FROM sign_in WHERE until <= ?", now)
      sql.exec("INSERT INTO sign_in (digest, key, by, place, created, until) VALUES (?, ?, ?, ?, ?, ?)", digest, key, by, place, now, until)
      sql.exec(
        "DELETE FROM sign_in WHERE key = ?1 AND digest NOT IN (SELECT digest FROM sign_in WHERE key = ?1 ORDER BY created DESC, rowid DESC LIMIT ?2)",
        key,
        MAX_SESSIONS_OF_KEY,
      )
    })
  }

  find(digest: string, now: number): SignInRow | undefined {
    return this.#sql.read<{ digest: string; key: string; by: string | null; place: string; until: number }>(
      "SELECT digest, key, by, place, until FROM sign_in WHERE digest = ? AND until > ?",
      digest,
      now,
    )[0]
  }

  /** The open sessions of a key. */
  ofKey(key: string, now: number): SignInRow[] {
    return this.#sql.read<{ digest: string; key: string; by: string | null; place: string; until: number }>(
      "SELECT digest, key, by, place, until FROM sign_in WHERE key = ? AND until > ?",
      key,
      now,
    )
  }

  close(digest: string): boolean {
    if (this.#sql.read("SELECT 1 FROM sign_in WHERE digest = ?", digest).length === 0) return false
    this.#sql.write((sql) => sql.exec("DELETE FROM sign_in WHERE digest = ?", digest))
    return true
  }

  /** Newest first. */
  list(now: number): (SignInRow & { readonly created: number })[] {
    return this.#sql.read<{ digest: string; key: string; by: string | null; place: string; created: number; until: number }>(
      "SELECT digest, key, by, place, created, until FROM sign_in WHERE until > ? ORDER BY created DESC, rowid DESC LIMIT ?",
      now,
      MOST_LISTED,
    )
  }

  /** The digest of the session with this id, whose beginning the id has. */
  digestOf(id: string, now: number): string | undefined {
    const start = id.slice(signInId("").length)
    const rows = this.#sql.read<{ digest: string }>(
      "SELECT digest FROM sign_in WHERE digest >= ?1 AND digest < ?1 || 'g' AND until > ?2 LIMIT 2",
      start,
      now,
    )
    return rows.find(({ digest }) => signInId(digest) === id)?.digest
  }

  /** The key is revoked. */
  forget(key: string): void {
    if (this.#sql.read("SELECT 1 FROM sign_in WHERE key = ? LIMIT 1", key).length === 0) return
    this.#sql.write((sql) => sql.exec("DELETE FROM sign_in WHERE key = ?", key))
  }
}
