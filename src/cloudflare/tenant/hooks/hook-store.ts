// Stores a tenant's hooks [W1], one row each. DeliveryStore has their deliveries.

import type { HookSettings } from "../../../core/webhook/hook.ts"
import { MOST_HOOKS, type HookRow } from "../../../ports/tenant/hooks.ts"
import { newHookId } from "./hook-id.ts"
import type { VaultEnv } from "../../platform/vault.ts"
import type { TenantSql } from "../tenant-sql.ts"

type Row = { id: string; body: string; created: number }

export class HookStore {
  readonly #sql: TenantSql
  readonly #env: VaultEnv
  readonly #tenant: string

  constructor(sql: TenantSql, env: VaultEnv, tenant: string) {
    this.#sql = sql
    this.#env = env
    this.#tenant = tenant
  }

  /** A hook's id must be impossible to guess, so it cannot be derived from `act`. The row stores `act` instead, to recognize a repeated call [H4]. */
  create(settings: HookSettings, act?: string): HookRow | "too_many" {
    const [existing] =
      act === undefined ? [] : this.#sql.read<Row>("SELECT id, body, created FROM hook WHERE json_extract(body, '$.act') = ?", act)
    if (existing) return rowOf(existing)
    if (this.count() >= MOST_HOOKS) return "too_many"
    const row = { id: this.newId(), created: Date.now() }
    this.#sql.write((sql) =>
      sql.exec("INSERT INTO hook (id, body, created) VALUES (?, ?, ?)", row.id, JSON.stringify({ ...settings, act }), row.created),
    )
    return { ...settings, ...row }
  }

  newId(): string {
    return newHookId(this.#env, this.#tenant)
  }

  /** [F79] The hook of a file, new or with its deliveries kept. */
  place(id: string, name: string, settings: HookSettings): void {
    this.#sql.write((sql) =>
      sql.exec(
        "INSERT INTO hook (id, body, created) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body",
        id,
        JSON.stringify({ ...settings, name }),
        Date.now(),
      ),
    )
  }

  count(): number {
    return this.#sql.read<{ n: number }>("SELECT count(*) AS n FROM hook")[0]?.n ?? 0
  }

  list(): HookRow[] {
    return this.#sql.read<Row>("SELECT id, body, created FROM hook ORDER BY created DESC, id DESC").map(rowOf)
  }

  find(id: string): HookRow | undefined {
    const [row] = this.#sql.read<Row>("SELECT id, body, created FROM hook WHERE id = ?", id)
    return row && rowOf(row)
  }

  replace(id: string, settings: HookSettings): HookRow | undefined {
    const before = this.find(id)
    if (!before) return undefined
    this.#sql.write((sql) => sql.exec("UPDATE hook SET body = ? WHERE id = ?", JSON.stringify(settings), id))
    return { ...settings, id, created: before.created }
  }

  /** Also deletes the hook's deliveries, except those whose run has not started: their senders got the answer that they are accepted [S1]. */
  remove(id: string): boolean {
    if (!this.find(id)) return false
    this.#sql.write((sql) => {
      sql.exec("DELETE FROM hook WHERE id = ?", id)
      sql.exec("DELETE FROM hook_seen WHERE hook = ?", id)
      sql.exec("DELETE FROM delivery_given WHERE delivery IN (SELECT id FROM delivery WHERE hook = ? AND due IS NULL)", id)
      sql.exec("DELETE FROM delivery WHERE hook = ? AND due IS NULL", id)
    })
    return true
  }
}

/** Needs no check: only this class writes the row. */
function rowOf({ id, body, created }: Row): HookRow {
  const { act: _act, ...settings } = JSON.parse(body) as HookSettings & { act?: string; name?: string }
  return { ...settings, id, created }
}
