// How a run's ledgers follow its events [B1]. Part of `apply`: nothing is judged here.
//
// Dollars and tokens are spent by `budget.settled` alone, tool calls and steps by the events that are them. What is under way when
// its step ends is nobody's business any more, but may still be billed: its whole reservation counts as spent.

import { isNothing, only, plus, unitsOf, type Amount } from "../../money/amount.ts"
import { isObject } from "../../json.ts"
import { hold, ledgersOf, settle, spend } from "./budget-ledger.ts"
import { newLedger, type Lease } from "./budget-state.ts"
import { eventBytes } from "./budget-bytes.ts"
import type { EventOf, RunEvent } from "../event.ts"
import type { Interaction, Run } from "../state.ts"
import { closed } from "../steps/touch.ts"
import { leaseKey } from "../key.ts"

export function limited(run: Run, e: EventOf<"run.started">): void {
  run.prices = e.prices ?? {}
  if (e.budget && unitsOf(e.budget).length > 0) run.budget.run = newLedger(e.budget)
}

/** A step is opened: it counts, and what its file allows it begins anew with each pass. */
export function stepCounted(run: Run, step: string): void {
  run.usage.steps += 1
  for (const { ledger } of ledgersOf(run, step)) spend(ledger, { steps: 1 })
  const limit = run.plan.steps.get(step)?.budget
  if (limit && unitsOf(limit).length > 0) run.budget.steps[step] = newLedger(limit)
}

export function callCounted(run: Run, step: string): void {
  for (const { ledger } of ledgersOf(run, step)) spend(ledger, { tool_calls: 1 })
}

export function reserved(run: Run, e: EventOf<"budget.reserved">): void {
  if (e.key === undefined) return
  const { lease } = run.budget
  run.budget.holds[e.key] = { step: e.step, amount: e.amount, ...(lease ? { until: lease.until } : {}) }
  for (const { ledger } of ledgersOf(run, e.step, e.key)) hold(ledger, e.amount)
}

export function settled(run: Run, e: EventOf<"budget.settled">): void {
  if (e.key !== undefined) close(run, e.key, e.amount)
}

function close(run: Run, key: string, cost: Amount): void {
  const held = Object.hasOwn(run.budget.holds, key) ? run.budget.holds[key] : undefined
  if (!held) return
  delete run.budget.holds[key]
  for (const { scope, ledger } of ledgersOf(run, held.step, key)) {
    // A slice of another day than the one it was taken from knows nothing of it.
    if (scope !== "tenant" || held.until === run.budget.lease?.until) settle(ledger, held.amount, cost)
  }
}

/** A step, or the whole run, is at its end: whatever is held back for it may be billed yet. */
export function closeHolds(run: Run, step?: string): void {
  const { holds } = run.budget
  for (const key in holds) {
    const held = holds[key]
    if (held && (step === undefined || held.step === step)) close(run, key, held.amount)
  }
  if (step === undefined) run.budget.steps = {}
  else delete run.budget.steps[step]
}

/** [B4] */
export function leased(run: Run, e: EventOf<"budget.leased">): void {
  const before = run.budget.lease
  const slices = (before?.slices ?? 0) + 1
  const key = leaseKey(slices)
  delete run.underway[key]
  delete run.begun[key]
  const sameDay = before !== undefined && before.until === e.until
  const units = unitsOf(e.granted)
  if (units.length === 0) {
    // The tenant limits nothing any more.
    delete run.budget.lease
    return withdrawBudget(run, "tenant")
  }
  const lease: Lease = {
    limit: sameDay ? plus(before.limit, e.granted) : e.granted,
    spent: sameDay ? before.spent : {},
    reserved: sameDay ? before.reserved : {},
    until: e.until,
    slices,
    ...(e.retry === undefined ? {} : { retry: e.retry }),
  }
  run.budget.lease = lease
  if (e.retry === undefined || !isNothing(e.granted)) withdrawBudget(run, "tenant")
}

/** There is something to be had again: nobody needs to be asked about the tenant's day any more. */
function withdrawBudget(run: Run, scope: string): void {
  for (const id of run.pending) {
    const i = run.interactions[id]
    if (i?.kind !== "budget" || i.payload["scope"] !== scope) continue
    i.status = "withdrawn"
    closed(run, id)
  }
}

/** A person has raised a limit [B2]. */
export function raised(run: Run, i: Interaction): void {
  const answer = i.answer?.["answer"]
  const raise = isObject(answer) ? answer["raise"] : undefined
  if (!isObject(raise)) return
  const ledger = i.payload["scope"] === "step" ? run.budget.steps[i.step] : run.budget.run
  if (!ledger) return
  const limits = unitsOf(ledger.limit).map((u) => [u, typeof raise[u] === "number" ? raise[u] : ledger.limit[u]])
  ledger.limit = only(Object.fromEntries(limits), unitsOf(ledger.limit))
}

/** What a session's next request will hold grows by what was just said [J8]. */
export function weighed(run: Run, e: RunEvent): void {
  const bytes = eventBytes(e)
  if (bytes === 0 || !("step" in e) || e.step === undefined) return
  const session = Object.hasOwn(run.steps, e.step) ? run.steps[e.step]?.session : undefined
  if (!session) return
  if (e.type !== "context.compacted") session.bytes += bytes
  // What was said while it was being made shorter is not in its figure.
  else if (e.upTo > 0) session.bytes = bytes + Math.max(0, session.bytes - (session.shortening ?? session.bytes))
}
