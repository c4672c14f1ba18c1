// Updates a run's ledgers from its events [B1]. Part of `apply`: nothing is judged here.
//
// Only `budget.settled` spends dollars and tokens; tool calls and steps are spent by their own events. When a step ends, calls that are
// still under way may be billed although nobody waits for them: their whole reservation counts as spent.

import { isNothing, only, plus, unitsOf, type Amount } from "../../money/amount.ts"
import { isObject } from "../../json.ts"
import { reserve, ledgersOf, settle, spend } from "./budget-ledger.ts"
import { newLedger, type Lease } from "./budget-state.ts"
import { tokensIn } from "../session/files/attachment.ts"
import { eventBytes } from "./budget-bytes.ts"
import type { EventOf, RunEvent } from "../event.ts"
import type { Interaction, Run } from "../state.ts"
import { closed } from "../steps/touch.ts"
import { leaseKey } from "../key.ts"

export function limited(run: Run, e: EventOf<"run.started">): void {
  run.prices = e.prices ?? {}
  if (e.budget && unitsOf(e.budget).length > 0) run.budget.run = newLedger(e.budget)
}

/** Counts an opened step. The step's own budget starts over with each pass. */
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
  for (const { ledger } of ledgersOf(run, e.step, e.key)) reserve(ledger, e.amount)
}

export function settled(run: Run, e: EventOf<"budget.settled">): void {
  if (e.key !== undefined) close(run, e.key, e.amount)
}

function close(run: Run, key: string, cost: Amount): void {
  const held = Object.hasOwn(run.budget.holds, key) ? run.budget.holds[key] : undefined
  if (!held) return
  delete run.budget.holds[key]
  for (const { scope, ledger } of ledgersOf(run, held.step, key)) {
    // A reservation from another day's slice is not part of the current one.
    if (scope !== "tenant" || held.until === run.budget.lease?.until) settle(ledger, held.amount, cost)
  }
}

/** Spends the open reservations of a step, or of the whole run, that has ended: they may still be billed. */
export function closeHolds(run: Run, step?: string): void {
  const { holds } = run.budget
  for (const key in holds) {
    const held = holds[key]
    if (held && (step === undefined || held.step === step)) close(run, key, held.amount)
  }
  if (step === undefined) run.budget.steps = {}
  else delete run.budget.steps[step]
}

/** [B4] Adds a leased slice. */
export function leased(run: Run, e: EventOf<"budget.leased">): void {
  const before = run.budget.lease
  const slices = (before?.slices ?? 0) + 1
  const key = leaseKey(slices)
  delete run.underway[key]
  delete run.begun[key]
  const sameDay = before !== undefined && before.until === e.until
  const units = unitsOf(e.granted)
  if (units.length === 0) {
    // The tenant no longer limits anything.
    if (before) run.budget.lifted = { until: before.until, spent: before.spent }
    delete run.budget.lease
    return withdrawBudget(run, "tenant")
  }
  const lease: Lease = {
    limit: sameDay ? plus(before.limit, e.granted) : e.granted,
    // What was spent of a unit that was not limited is not of this slice.
    spent: sameDay ? only(before.spent, unitsOf(before.limit)) : {},
    reserved: sameDay ? before.reserved : {},
    until: e.until,
    slices,
    ...(e.retry === undefined ? {} : { retry: e.retry }),
  }
  run.budget.lease = lease
  if (e.retry === undefined || !isNothing(e.granted)) withdrawBudget(run, "tenant")
}

/** The tenant's day has budget again: no question about it is needed any more. */
function withdrawBudget(run: Run, scope: string): void {
  for (const id of run.pending) {
    const i = run.interactions[id]
    if (i?.kind !== "budget" || i.payload["scope"] !== scope) continue
    i.status = "withdrawn"
    closed(run, id)
  }
}

/** [B2] A person raised a limit. */
export function raised(run: Run, i: Interaction): void {
  const answer = i.answer?.["answer"]
  const raise = isObject(answer) ? answer["raise"] : undefined
  if (!isObject(raise)) return
  const ledger = i.payload["scope"] === "step" ? run.budget.steps[i.step] : run.budget.run
  if (!ledger) return
  const limits = unitsOf(ledger.limit).map((u) => [u, typeof raise[u] === "number" ? raise[u] : ledger.limit[u]])
  ledger.limit = only(Object.fromEntries(limits), unitsOf(ledger.limit))
}

/** [J8] Adds the event's bytes to the size of its session's next request. */
export function weighed(run: Run, e: RunEvent): void {
  const bytes = eventBytes(e)
  if (bytes === 0 || !("step" in e) || e.step === undefined) return
  const session = Object.hasOwn(run.steps, e.step) ? run.steps[e.step]?.session : undefined
  if (!session) return
  const unseen = session.blind && "attached" in e ? tokensIn(e.attached) : 0
  if (e.type !== "context.compacted") session.bytes += bytes - unseen
  // The event's figure does not include entries that were added while the conversation was being shortened.
  else if (e.upTo > 0) session.bytes = bytes + Math.max(0, session.bytes - (session.shortening ?? session.bytes))
}
