// The room for a tenant's list of runs. Runs report only here, so everything that follows from a report starts here: callbacks, schedules,
// the queue, quotas.

import type { Answers } from "../../ports/objects.ts"
import type { Noted, RunListPort, RunRow } from "../../ports/run-list.ts"
import type { TenantResources } from "./tenant-resources.ts"

export class RunListRoom implements Answers<RunListPort> {
  readonly #all: TenantResources

  constructor(all: TenantResources) {
    this.#all = all
  }

  note(row: RunRow): Noted {
    const { runs, used, account, callbacks, sender, schedules, queue, gate, later } = this.#all
    // The tenant was deleted while this run was starting [N3].
    if (account.isGone(row.created)) return "gone"
    // The row and its messages in the outbox are one commit.
    const before = runs.lastReport(row.id)
    const hasMessages = callbacks.recordNotice(row, before?.seq ?? 0, Date.now())
    runs.note(used.note(row, before))
    if (hasMessages) sender.send()
    if (row.ended !== undefined) schedules.ended(row.id)
    if (row.status === "queued") queue.held(row.id)
    else if (row.view["parent"] === undefined) gate.note(row.id, row.ended !== undefined)
    if (!queue.isEmpty()) later(queue.drain().catch(() => undefined))
    return { retention: account.retention() }
  }

  knows(id: string): boolean {
    const { runs, deliveryRows } = this.#all
    return runs.lastReport(id) !== undefined || deliveryRows.waitingFor(id) !== undefined
  }

  remove(id: string): void {
    const { runs, used, sender, schedules, plans, watch, queue, gate, later } = this.#all
    used.forget(runs.lastReport(id))
    runs.remove(id)
    plans.forget(id)
    sender.drop(id)
    schedules.ended(id)
    watch.forget(id)
    queue.remove(id)
    gate.note(id, true)
    // This may free a place and bytes for queued runs.
    if (!queue.isEmpty()) later(queue.drain().catch(() => undefined))
  }

  readonly list: Answers<RunListPort>["list"] = (query) => this.#all.runs.list(query)

  readonly asking: Answers<RunListPort>["asking"] = (query) => this.#all.runs.asking(query)
}
