// Hooks in memory, for the door's tests. They remember what was delivered and refused; dedupe is the store's, and is tested there.

import type { HookSettings } from "../../../src/core/webhook/hook.ts"
import type { Delivered, DeliveryRow, HookDoor, HookRow, HooksPort, Taken } from "../../../src/ports/hooks.ts"

export class FakeHooks implements HooksPort {
  readonly kept = new Map<string, HookRow>()
  readonly delivered: Delivered[] = []
  readonly refused: { readonly verdict: string; readonly reason: string }[] = []
  /** What the vault holds for every hook. */
  secrets: readonly string[] = []
  full = false
  again: Taken | "not_found" | "refused" = "not_found"
  rows: DeliveryRow[] = []
  /** What the store would say in place of the delivery's own verdict. */
  says: Partial<Taken> = {}

  async create(settings: HookSettings) {
    if (this.full) return "too_many" as const
    const row = { ...settings, id: `hook-${this.kept.size}`.padEnd(24, "0"), created: 1_000 }
    this.kept.set(row.id, row)
    return row
  }
  async list() {
    return [...this.kept.values()]
  }
  async find(id: string) {
    return this.kept.get(id)
  }
  async replace(id: string, settings: HookSettings) {
    const row = this.kept.get(id)
    if (!row) return undefined
    this.kept.set(id, { ...settings, id, created: row.created })
    return this.kept.get(id)
  }
  async remove(id: string) {
    return this.kept.delete(id)
  }
  async deliveries(hook: string, query: { readonly cursor?: string }) {
    if (!this.kept.has(hook)) return undefined
    return query.cursor === "foreign" ? ({ badCursor: true } as const) : { data: this.rows, next_cursor: null }
  }
  async delivery(hook: string, id: string) {
    return this.kept.has(hook) ? this.rows.find((row) => row.id === id) : undefined
  }
  async redeliver() {
    return this.again
  }

  door(id: string): HookDoor | undefined {
    const hook = this.kept.get(id)
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
        return { delivery: `dl_${this.delivered.length}`, run: verdict === "accepted" ? "run_1" : null, verdict, ...this.says }
      },
    }
  }
}
