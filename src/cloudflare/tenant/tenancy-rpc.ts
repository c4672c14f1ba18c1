// What the instance asks of a tenant's object [N3, N5]: that it be a tenant, what it may use, and that it be one no longer. A deletion
// goes in rounds, by whoever asked for it or else by the alarm; the object's grave keeps late starts out for a while.

import type { InTurn } from "../../engine/in-turn.ts"
import type { Deleted, Quotas } from "../../ports/tenants.ts"
import type { AccountStore, Founding } from "./account-store.ts"
import type { CallbackSender } from "./triggers/callback-sender.ts"
import type { PolicyStore } from "./policy-store.ts"
import type { StartGate } from "./starts/start-gate.ts"
import type { DueWork, TenantAlarm } from "./tenant-alarm.ts"
import type { TenantErasure } from "./tenant-erasure.ts"
import type { TenantSql } from "./tenant-sql.ts"

/** Whoever asked for a deletion may still be asking for its next rounds. */
const PATIENCE_MS = 10_000

export interface TenancyDeps {
  readonly account: AccountStore
  readonly policies: PolicyStore
  readonly erasure: TenantErasure
  readonly sender: CallbackSender
  readonly gate: StartGate
  readonly alarm: TenantAlarm
  readonly sql: TenantSql
  readonly storage: DurableObjectStorage
  readonly inTurn: InTurn
}

export class TenancyRpc {
  readonly #deps: TenancyDeps
  #roundAt = 0

  constructor(deps: TenancyDeps) {
    this.#deps = deps
    for (const work of this.#dueWork()) deps.alarm.share(work)
  }

  found(founding: Founding): Quotas {
    const { account, policies } = this.#deps
    account.found(founding)
    policies.begin(founding.created)
    account.forget()
    return account.quotas()
  }

  since(): number | undefined {
    return this.#deps.account.since()
  }

  putQuotas(quotas: Partial<Quotas>): Quotas {
    const all = this.#deps.account.putQuotas(quotas)
    // There may be room now for what is queued.
    this.#deps.alarm.want(Date.now())
    return all
  }

  /** One round; the alarm goes on where nobody asks for the next. */
  async erase(): Promise<{ readonly done: boolean; readonly deleted: Deleted }> {
    const { erasure, sender, alarm } = this.#deps
    const deleted = erasure.begin()
    sender.stop()
    this.#roundAt = Date.now()
    alarm.want(this.#roundAt + PATIENCE_MS)
    return { done: await this.#round(), deleted }
  }

  #round(): Promise<boolean> {
    const { account, erasure, gate, alarm, sql, storage, inTurn } = this.#deps
    return inTurn(async () => {
      this.#roundAt = Date.now()
      if (!(await erasure.round())) return false
      await storage.deleteAll()
      sql.forget()
      gate.forget()
      alarm.forget()
      account.bury()
      alarm.want(account.graveUntil() ?? Date.now())
      return true
    })
  }

  #dueWork(): readonly DueWork[] {
    const { account, erasure } = this.#deps
    return [
      {
        name: "erasure",
        due: () => (erasure.isUnderWay() ? this.#roundAt + PATIENCE_MS : undefined),
        work: async () => {
          await this.#round()
          this.#roundAt = 0
        },
      },
      { name: "grave", due: () => account.graveUntil(), work: async () => account.forget() },
    ]
  }
}
