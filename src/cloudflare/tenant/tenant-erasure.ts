// Deletes a tenant [N3] in rounds, because a large tenant has more data than one call may touch. `begin` counts the data and deletes the rows
// from which anything could still start or be sent: keys, hooks, schedules, callbacks. The rounds then delete the runs, live runs first; the
// bodies in R2 with their copies in KV; and the memory. The object's own rows are last. Rounds may be repeated, so any caller can continue.

import { atOnce, failedOf } from "../../engine/at-once.ts"
import type { Deleted } from "../../ports/tenant/tenants.ts"
import type { AccountStore } from "./account-store.ts"
import type { TenantSql } from "./tenant-sql.ts"

/** A round makes far fewer calls than the 1,000 that the platform allows per invocation. */
const RUNS = 200
const BODIES = 400

export interface Elsewhere {
  eraseRun(id: string): Promise<void>
  eraseMemory(): Promise<void>
  readonly bodies: R2Bucket
  /** Absent: no data of the tenant was ever in it. */
  readonly cache?: KVNamespace
}

/** Tables that the rounds themselves need. */
const STAYS: ReadonlySet<string> = new Set(["run", "setting", "meta", "sign_in"])

export class TenantErasure {
  readonly #sql: TenantSql
  readonly #account: AccountStore
  readonly #prefix: string
  readonly #elsewhere: Elsewhere
  /** Runs whose objects could not be erased: everything else goes before they are tried again. */
  readonly #stuck = new Set<string>()

  constructor(sql: TenantSql, account: AccountStore, tenant: string, elsewhere: Elsewhere) {
    this.#sql = sql
    this.#account = account
    this.#prefix = `t/${tenant}/`
    this.#elsewhere = elsewhere
  }

  isUnderWay(): boolean {
    return this.#account.leaving() !== undefined
  }

  /** Returns the counts from when the deletion began. */
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

  /** Deletes the next part. true: only the object's own rows are left. */
  async round(): Promise<boolean> {
    const runs = this.#nextRuns()
    if (runs.length > 0) {
      const failed = await failedOf(runs, ({ id }) => this.#elsewhere.eraseRun(id))
      for (const { item } of failed) this.#stuck.add(item.id)
      this.#sql.write((sql) => {
        for (const { id } of runs) if (!this.#stuck.has(id)) sql.exec("DELETE FROM run WHERE id = ?", id)
      })
      return false
    }
    if (await this.#sessionsLeave()) return false
    const { bodies, cache } = this.#elsewhere
    const found = await bodies.list({ prefix: this.#prefix, limit: BODIES })
    if (found.objects.length > 0) {
      const keys = found.objects.map(({ key }) => key)
      // The copy first: once the body is gone, the copy's key is no longer listed anywhere.
      if (cache) await atOnce(keys, (key) => cache.delete(key))
      await bodies.delete(keys)
      return false
    }
    await this.#elsewhere.eraseMemory()
    if (this.#stuck.size === 0) return true
    // The next round tries them again.
    this.#stuck.clear()
    return false
  }

  /** The rows of sessions in KV, which these name. false: there are none left. */
  async #sessionsLeave(): Promise<boolean> {
    if (!this.#tables().includes("sign_in")) return false
    const rows = this.#sql.read<{ digest: string }>("SELECT digest FROM sign_in LIMIT ?", BODIES)
    const { cache } = this.#elsewhere
    if (cache) await atOnce(rows, ({ digest }) => cache.delete(`${this.#prefix}session/${digest}`).catch(() => undefined))
    this.#sql.write((sql) => {
      for (const { digest } of rows) sql.exec("DELETE FROM sign_in WHERE digest = ?", digest)
    })
    return rows.length > 0
  }

  /** Those that go on come first. Neither query sorts: a tenant may have ten million runs, and each round asks anew. */
  #nextRuns(): { id: string }[] {
    const limit = RUNS + this.#stuck.size
    const isLeft = ({ id }: { readonly id: string }): boolean => !this.#stuck.has(id)
    const live = this.#sql.read<{ id: string }>("SELECT id FROM run WHERE ended IS NULL ORDER BY created LIMIT ?", limit).filter(isLeft)
    return live.length > 0 ? live : this.#sql.read<{ id: string }>("SELECT id FROM run LIMIT ?", limit).filter(isLeft)
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
