// Reads facts for all replay readers: the envelope taken off, the key under way, the settlement that follows a fact.

import { defined } from "../../../core/defined.ts"
import type { Json } from "../../../core/json.ts"
import type { Amount } from "../../../core/money/amount.ts"
import type { EventOf, RunEvent } from "../../../core/run/event.ts"
import type { Lease } from "../../../core/run/signal.ts"
import type { Run, Underway } from "../../../core/run/state.ts"

/** The event without its envelope. */
export function factOf<E extends RunEvent>(event: E): Omit<E, "seq" | "at" | "v" | "prev"> {
  const { seq: _seq, at: _at, v: _v, prev: _prev, ...fact } = event
  return fact
}

export const leaseOf = ({ granted, until, retry }: EventOf<"budget.leased">): Lease => ({ granted, until, ...defined({ retry }) })

/** The effect of this kind under way for this step: each of these kinds has at most one. */
export function keyOf(run: Run, kind: Underway["kind"], step: string | undefined): string | undefined {
  return Object.entries(run.underway).find(([, u]) => u.kind === kind && u.step === step)?.[0]
}

/** The amount at which the event at `from`, of the effect with this key, settled its reservation, according to the next event. */
export function settledBy(events: readonly RunEvent[], from: number, key: string): Amount | undefined {
  const next = events[from + 1]
  return next?.type === "budget.settled" && next.key === key ? next.amount : undefined
}

export const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "")
