// Deleting a tenant [N3], in rounds: a large one has more than a single call may touch. The first round counts what there is and takes
// away all that could still begin or be sent, keys first; then the runs go, live ones before the others, then the bodies in R2 with
// their copies in KV, the memory, and last the object's own rows. A round that is repeated does no harm, so whoever began it may go.

import { atOnce } from "../../engine/at-once.ts"
import type { Deleted } from "../../ports/tenants.ts"
import type { AccountStore } from "./account-store.ts"
import type { TenantSql } from "./tenant-sql.ts"

/** Calls of one round stay far below the 1,000 that the platform allows an invocation. */
const RUNS = 200
const BODIES = 400

export interface Elsewhere {
  eraseRun(id: string): Promise<void>
  eraseMemory(): Promise<void>
  readonly bodies: R2Bucket
  /** Absent: nothing of the tenant was ever in it. */
  readonly cache?: KVNamespace
}

/** Rows that the rounds themselves go by. */
const STAYS: ReadonlySet<string> = new Set(["run", "setting", "meta"])

export class TenantErasure {
  readonly #sql: TenantSql
  readonly #account: AccountStore
  readonly #prefix: string
  readonly #elsewhere: Elsewhere

  constructor(sql: TenantSql, account: AccountStore, tenant: string, elsewhere: Elsewhere) {
    this.#sql = sql
    this.#account = account
    this.#prefix = `t/${tenant}/`
    this.#elsewhere = elsewhere
  }

  isUnderWay(): boolean {
    return this.#account.leaving() !== undefined
  }

  /** What there was when it began. */
  begin(): Deleted {
    const counted = this.#account.leaving()
    if (counted !== undefined) return counted as Deleted
    const deleted: Deleted = {
      runs: this.#count("run"),
      flows: this.#count("file", "kind = 'flow'"),
      agents: this.#count("file", "kind = 'agent'"),
      skills: this.#count("file", "kind = 'skill' AND id LIKE '%/SKILL.md'"),
      hooks: this.#count("hook"),
      schedules: this.#count("schedule"),
      callbacks: this.#count("callback"),
      secrets: this.#count("secret"),
      keys: this.#count("api_key"),
    }
    this.#account.leave({ ...deleted })
    this.#sql.write((sql) => {
      for (const table of this.#tables()) if (!STAYS.has(table)) sql.exec(`DELETE FROM "${table}"`)
    })
    return deleted
  }

  /** true: only the object's own rows are left. */
  async round(): Promise<boolean> {
    const runs = this.#sql.read<{ id: string }>("SELECT id FROM run ORDER BY ended IS NOT NULL, created, id LIMIT ?", RUNS)
    if (runs.length > 0) {
      await atOnce(runs, ({ id }) => this.#elsewhere.eraseRun(id))
      this.#sql.write((sql) => {
        for (const { id } of runs) sql.exec("DELETE FROM run WHERE id = ?", id)
      })
      return false
    }
    const { bodies, cache } = this.#elsewhere
    const found = await bodies.list({ prefix: this.#prefix, limit: BODIES })
    if (found.objects.length > 0) {
      const keys = found.objects.map(({ key }) => key)
      // The copy first: when the body is gone nobody knows the copy's key.
      if (cache) await atOnce(keys, (key) => cache.delete(key))
      await bodies.delete(keys)
      return false
    }
    await this.#elsewhere.eraseMemory()
    return true
  }

  #tables(): string[] {
    return this.#sql
      .read<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
      )
      .map(({ name }) => name)
  }

  #count(table: string, where = "TRUE"): number {
    if (!this.#tables().includes(table)) return 0
    return this.#sql.read<{ n: number }>(`SELECT count(*) AS n FROM "${table}" WHERE ${where}`)[0]?.n ?? 0
  }
}
