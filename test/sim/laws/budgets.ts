// [B1], [B3] What is spent and reserved stays within the limit, at every event. Under a budget no model is asked without a reservation, made in
// the decision that begins the call, and no call costs more than was reserved for it.

import type { Amount } from "../../../src/core/money/amount.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { EventLaw } from "./event-law.ts"
import type { StoredRow } from "./stored-journal.ts"

type Unit = keyof Amount

/** Of sums of dollars. */
const EPSILON = 1e-9
const unitsOf = (amount: Amount): Unit[] => Object.keys(amount) as Unit[]

export class Budgets implements EventLaw {
  /** The run has a limit that model calls are reserved in. */
  #isLimited = false
  readonly #held = new Map<string, { readonly amount: Amount; readonly seq: number }>()
  /** Unit of the tenant's day → what was reserved of it before it had a limit. */
  readonly #day = new Map<Unit, number>()

  take(e: RunEvent, say: (fault: string) => void, row: StoredRow): void {
    switch (e.type) {
      case "run.started":
      case "run.forked":
        if (e.type === "run.started" || e.budget) this.#isLimited = e.budget?.usd !== undefined || e.budget?.tokens !== undefined
        if (e.rehearsed === true) this.#isLimited = false
        this.#held.clear()
        return
      case "budget.leased":
        for (const unit of unitsOf(e.granted))
          if (!this.#day.has(unit))
            this.#day.set(
              unit,
              [...this.#held.values()].reduce((sum, { amount }) => sum + (amount[unit] ?? 0), 0),
            )
        return
      case "budget.reserved":
      case "budget.settled":
        for (const unit of unitsOf(e.limit)) {
          const all = (e.spent[unit] ?? 0) + (e.reserved[unit] ?? 0)
          const before = e.scope === "tenant" ? (this.#day.get(unit) ?? 0) : 0
          if (all > (e.limit[unit] ?? 0) + before + EPSILON)
            say(`[B1] ${unit}: ${e.spent[unit]} spent and ${e.reserved[unit]} reserved of ${e.limit[unit]}`)
          if ((e.reserved[unit] ?? 0) < -EPSILON) say(`[B1] ${unit}: ${e.reserved[unit]} is reserved`)
        }
        if (e.key === undefined) return
        if (e.type === "budget.settled") this.#settle(e.key, e.amount, say)
        else {
          if (this.#held.has(e.key)) say(`[B1] ${e.key} has a reservation already`)
          this.#held.set(e.key, { amount: e.amount, seq: e.seq })
        }
        return
      case "action.begun": {
        if (e.kind !== "model" || !this.#isLimited) return
        const held = this.#held.get(e.key)
        if (!held) say(`[B1] nothing is reserved for ${e.key}`)
        else if (held.seq < row.since) say(`[B1] event ${held.seq} reserved for ${e.key}, in a commit before`)
        return
      }
      case "step.finished":
      case "run.ended":
        // What is still under way may be billed: all of it counts.
        for (const key of this.#held.keys()) if (e.type === "run.ended" || key.startsWith(`${e.step}/`)) this.#held.delete(key)
        return
      default:
    }
  }

  #settle(key: string, amount: Amount, say: (fault: string) => void): void {
    const held = this.#held.get(key)
    this.#held.delete(key)
    if (!held) return say(`[B1] ${key} is settled and was not reserved`)
    for (const unit of unitsOf(amount))
      if ((amount[unit] ?? 0) > (held.amount[unit] ?? 0) + EPSILON)
        say(`[B3] ${key} costs ${amount[unit]} ${unit} of ${held.amount[unit]} reserved`)
  }
}
