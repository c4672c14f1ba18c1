// Callbacks in memory, for the HTTP tests.

import type { CallbackRow, CallbacksPort, MessageRow, NewCallback, PushConfig, Signing } from "../../../src/ports/tenant/callbacks.ts"

export class FakeCallbacks implements CallbacksPort {
  /** Scope → whether it can sign; other scopes exist and can. */
  readonly scopes = new Map<string, Signing>()
  readonly rows: CallbackRow[] = []
  readonly sent: MessageRow[] = []
  readonly asked: unknown[] = []
  readonly redriven: string[] = []
  full = false

  async signing(scope: string) {
    return this.scopes.get(scope) ?? "ok"
  }
  readonly pushed: (PushConfig & { readonly run: string })[] = []

  async addPush(run: string, config: PushConfig) {
    this.pushed.push({ run, ...config })
    return "ok" as const
  }
  async pushes(run: string) {
    return this.pushed.filter((row) => row.run === run)
  }
  async removePush(run: string, id: string) {
    const at = this.pushed.findIndex((row) => row.run === run && row.id === id)
    if (at >= 0) this.pushed.splice(at, 1)
  }
  async create(callback: NewCallback) {
    if (this.full) return "full" as const
    const row = { id: `cb_${this.rows.length}`, enabled: true, created: 1_000, ...callback }
    this.rows.unshift(row)
    return row
  }
  async list() {
    return this.rows
  }
  async find(id: string) {
    return this.rows.find((row) => row.id === id)
  }
  async remove(id: string) {
    const at = this.rows.findIndex((row) => row.id === id)
    if (at >= 0) this.rows.splice(at, 1)
    return at >= 0
  }
  async messages(query: Parameters<CallbacksPort["messages"]>[0]) {
    this.asked.push(query)
    return query.cursor === "foreign" ? ({ badCursor: true } as const) : { data: this.sent, next_cursor: "next" }
  }
  async message(id: string) {
    return this.sent.find((row) => row.id === id)
  }
  async redrive(id: string) {
    const row = await this.message(id)
    if (!row) return "not_found"
    if (row.status === "delivered") return "delivered"
    this.redriven.push(id)
    return "ok"
  }
}
