// A tenant's list of runs, as its object answers for it. A run tells of itself here and nowhere else, so this is where the others learn
// what follows from its word: callbacks, schedules, the queue, quotas.

import type { Noted, RunRow, TenantPort } from "../../ports/catalog.ts"
import type { AccountStore } from "./account-store.ts"
import type { CallbackSender } from "./triggers/callback-sender.ts"
import type { CallbackStore } from "./triggers/callback-store.ts"
import type { KeyWatch } from "./keys/key-watch.ts"
import type { PlanStore } from "./plan-store.ts"
import type { RunIndex } from "./run-index.ts"
import type { Schedules } from "./triggers/schedules.ts"
import type { StartGate } from "./starts/start-gate.ts"
import type { StartQueue } from "./starts/start-queue.ts"
import type { StorageUse } from "./storage-use.ts"

export interface RunListDeps {
  readonly runs: RunIndex
  readonly used: StorageUse
  readonly account: AccountStore
  readonly callbacks: CallbackStore
  readonly sender: CallbackSender
  readonly schedules: Schedules
  readonly plans: PlanStore
  readonly watch: KeyWatch
  readonly queue: StartQueue
  readonly gate: StartGate
  readonly later: (work: Promise<unknown>) => void
}

export class RunListRpc {
  readonly #deps: RunListDeps

  constructor(deps: RunListDeps) {
    this.#deps = deps
  }

  note(row: RunRow): Noted {
    const { runs, used, account, callbacks, sender, schedules, queue, gate, later } = this.#deps
    // A start that was under way while its tenant was deleted [N3].
    if (account.isGone(row.created)) return "gone"
    // In one commit: what the row knows to be told is in the outbox.
    const known = runs.known(row.id)
    const isNews = callbacks.hear(row, known?.seq ?? 0, Date.now())
    runs.note(used.note(row, known))
    if (isNews) sender.send()
    if (row.ended !== undefined) schedules.ended(row.id)
    if (row.status === "queued") queue.held(row.id)
    else if (row.view["parent"] === undefined) gate.note(row.id, row.ended !== undefined)
    if (!queue.isEmpty()) later(queue.drain().catch(() => undefined))
    return { retention: account.retention() }
  }

  remove(id: string): void {
    const { runs, used, sender, schedules, plans, watch, queue, gate, later } = this.#deps
    used.forget(runs.known(id))
    runs.remove(id)
    plans.forget(id)
    sender.drop(id)
    schedules.ended(id)
    watch.forget(id)
    queue.remove(id)
    gate.note(id, true)
    // What it held may be room for others.
    if (!queue.isEmpty()) later(queue.drain().catch(() => undefined))
  }

  list(query: Parameters<TenantPort["listRuns"]>[0]): Awaited<ReturnType<TenantPort["listRuns"]>> {
    return this.#deps.runs.list(query)
  }

  asking(query: Parameters<TenantPort["askingRuns"]>[0]): Awaited<ReturnType<TenantPort["askingRuns"]>> {
    return this.#deps.runs.asking(query)
  }
}
