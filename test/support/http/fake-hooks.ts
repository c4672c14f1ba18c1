// Hooks in memory, for the HTTP tests. They record what was delivered and refused. The store removes duplicates and has its own tests.

import type { HookSettings } from "../../../src/core/webhook/hook.ts"
import type { Delivered, DeliveryRow, HookDoor, HookRow, HooksPort, DeliveryResult } from "../../../src/ports/tenant/hooks.ts"

export class FakeHooks implements HooksPort {
  readonly stored = new Map<string, HookRow>()
  readonly delivered: Delivered[] = []
  readonly refused: { readonly verdict: string; readonly reason: string }[] = []
  /** The vault's values for every hook. */
  secrets: readonly string[] = []
  full = false
  again: DeliveryResult | "not_found" | "refused" = "not_found"
  rows: DeliveryRow[] = []
  /** The store's verdict, in place of the delivery's own. */
  verdict: Partial<DeliveryResult> = {}

  async create(settings: HookSettings) {
    if (this.full) return "too_many" as const
    const row = { ...settings, id: `hook-${this.stored.size}`.padEnd(24, "0"), created: 1_000 }
    this.stored.set(row.id, row)
    return row
  }
  async list() {
    return [...this.stored.values()]
  }
  async find(id: string) {
    return this.stored.get(id)
  }
  async replace(id: string, settings: HookSettings) {
    const row = this.stored.get(id)
    if (!row) return undefined
    this.stored.set(id, { ...settings, id, created: row.created })
    return this.stored.get(id)
  }
  async remove(id: string) {
    return this.stored.delete(id)
  }
  async deliveries(hook: string, query: { readonly cursor?: string }) {
    if (!this.stored.has(hook)) return undefined
    return query.cursor === "foreign" ? ({ badCursor: true } as const) : { data: this.rows, next_cursor: null }
  }
  async delivery(hook: string, id: string) {
    return this.stored.has(hook) ? this.rows.find((row) => row.id === id) : undefined
  }
  async redeliver() {
    return this.again
  }

  door(id: string): HookDoor | undefined {
    const hook = this.stored.get(id)
    if (!hook?.enabled) return undefined
    return {
      hook,
      secrets: this.secrets,
      refuse: async (verdict, reason) => {
        this.refused.push({ verdict, reason })
      },
      deliver: async (delivered) => {
        this.delivered.push(delivered)
        const { verdict } = delivered.what
        return { delivery: `dl_${this.delivered.length}`, run: verdict === "accepted" ? "run_1" : null, verdict, ...this.verdict }
      },
    }
  }
}
