// Writes the facts of a budget [B1]: the reservation before an effect begins, and the cost afterward. Makes no decisions.

import { only, plus, minus, unitsOf, type Amount } from "../../money/amount.ts"
import { ledgersOf, shown } from "./budget-ledger.ts"
import type { Fact } from "../event.ts"
import type { Run } from "../state.ts"

/** `budget.reserved`; comes before `action.begun`, in the same commit. */
export function reserve(run: Run, step: string, key: string, amount: Amount): Fact[] {
  const [first] = ledgersOf(run, step, key)
  if (!first) return []
  const { limit, spent, reserved } = shown(first.ledger)
  return [
    {
      type: "budget.reserved",
      step,
      key,
      amount,
      limit,
      spent,
      reserved: only(plus(reserved, amount), unitsOf(limit)),
      scope: first.scope,
    },
  ]
}

/** Settles a reservation at `cost`; undefined: in full, because the bill is unknown. Empty when nothing was reserved. */
export function settlement(run: Run, key: string, cost: Amount | undefined): Fact[] {
  const held = Object.hasOwn(run.budget.holds, key) ? run.budget.holds[key] : undefined
  const [first] = held ? ledgersOf(run, held.step, key) : []
  if (!held || !first) return []
  const amount = cost === undefined ? held.amount : only(cost, unitsOf(held.amount))
  const { limit, spent, reserved } = shown(first.ledger)
  const units = unitsOf(limit)
  return [
    {
      type: "budget.settled",
      step: held.step,
      key,
      amount,
      limit,
      spent: only(plus(spent, amount), units),
      reserved: only(minus(reserved, held.amount), units),
      scope: first.scope,
    },
  ]
}
