// Serves the instance's admin [N3, N5]: creates the tenant, sets its quotas, and deletes it. A deletion runs in rounds, driven by the
// request or, if no request continues it, by the alarm. The tombstone refuses late starts for a while.

import type { Answers, Founding, TenancyRoom as Tenancy } from "../../ports/objects.ts"
import { NOTHING, type Deleted, type Quotas } from "../../ports/tenant/tenants.ts"
import type { DueWork } from "./tenant-alarm.ts"
import type { TenantResources } from "./tenant-resources.ts"

/** How long the alarm waits for the request to drive the next round. */
const PATIENCE_MS = 10_000

export class TenancyRoom implements Answers<Tenancy> {
  readonly #all: TenantResources
  #roundAt = 0

  constructor(all: TenantResources) {
    this.#all = all
    for (const work of this.#dueWork()) all.alarm.share(work)
  }

  found(founding: Founding): Quotas {
    const { account, policies, strays } = this.#all
    // [F71] What a request to the tenant before stores now belongs to nobody.
    if (account.found(founding).follows) strays.lost(Date.now())
    policies.begin(founding.created)
    account.forget()
    return account.quotas()
  }

  since(): number | undefined {
    return this.#all.account.since()
  }

  putQuotas(quotas: Partial<Quotas>): Quotas {
    const all = this.#all.account.putQuotas(quotas)
    // There may now be room for queued runs.
    this.#all.line.room()
    this.#all.alarm.want(Date.now())
    return all
  }

  async erase(created: number): Promise<{ readonly done: boolean; readonly deleted: Deleted }> {
    const { account, erasure, promises, desks, sender, alarm } = this.#all
    await desks.flush()
    if (!account.isOf(created)) return { done: true, deleted: NOTHING }
    promises.unfold()
    const deleted = erasure.begin()
    sender.stop()
    this.#roundAt = Date.now()
    alarm.want(this.#roundAt + PATIENCE_MS)
    return { done: await this.#round(), deleted }
  }

  #round(): Promise<boolean> {
    const { account, catalog, erasure, gate, line, promises, desks, usage, sums, feed, alarm, sql, storage, inTurn } = this.#all
    return inTurn(async () => {
      // The round before this one was the last.
      if (!erasure.isUnderWay()) return true
      this.#roundAt = Date.now()
      if (!(await erasure.round())) return false
      await storage.deleteAll()
      sql.forget()
      catalog.pins.forget()
      gate.forget()
      line.forget()
      promises.forget()
      usage.forget()
      sums.forget()
      desks.forget()
      feed.forget()
      alarm.forget()
      account.bury()
      alarm.want(account.graveUntil() ?? Date.now())
      return true
    })
  }

  #dueWork(): readonly DueWork[] {
    const { account, erasure } = this.#all
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
