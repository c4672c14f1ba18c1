// Makes a model call of a live backtest [K23]. Its maximum cost must fit into the remaining budget, as in a run [B1, B2], and is reserved
// from the tenant's daily budget [B4], so no budget is exceeded.

import type { Amount, RunPrice } from "../../core/money/amount.ts"
import { tidy } from "../../core/money/tidy.ts"
import { dearestInput, isFree } from "../../core/money/prices.ts"
import { billFor } from "../../core/run/budget/bill.ts"
import { MIN_OUTPUT_TOKENS } from "../../core/run/budget/budget.ts"
import { worstCost } from "../../core/run/budget/worst-case.ts"
import type { ToolCall } from "../../core/run/event-parts.ts"
import type { Clock } from "../../ports/clock.ts"
import type { DayBudget } from "../../ports/day-budget.ts"
import type { FinalMessage } from "../../ports/model.ts"
import { reserve } from "../run/try-turn.ts"

export interface LiveCall {
  readonly ref: string
  /** The most tokens that the request has. */
  readonly input: number
  /** The most tokens that the agent may write. */
  readonly most: number
  /** What is left of the backtest's budget; a unit without a limit is absent. */
  readonly left: Amount
}

export interface LiveAnswer {
  /** Absent: the model did not answer. */
  readonly final?: FinalMessage
  readonly toolCalls: readonly ToolCall[]
  readonly amount: Amount
  readonly usd: number | null
}

interface AskDeps {
  ground(ref: string): Promise<{ readonly price?: RunPrice; readonly daily: Amount }>
  /** Asks for at most so many tokens. */
  send(output: number): Promise<{ readonly final: FinalMessage | undefined; readonly toolCalls: readonly ToolCall[] }>
  readonly dayBudget: Pick<DayBudget, "lease" | "close">
  readonly clock: Clock
}

/** Makes a call within the budget; undefined: it does not fit, and was not made. */
export async function askWithin(deps: AskDeps, call: LiveCall): Promise<LiveAnswer | undefined> {
  const { ref, input, left } = call
  const { price, daily } = await deps.ground(ref)
  const free = isFree(ref)
  if (!free && !price && (left.usd !== undefined || daily.usd !== undefined)) return undefined
  const output = outputWithin(call, free ? undefined : price)
  if (output === undefined) return undefined
  const held = await reserve(deps, { input, output, price }, free ? {} : daily)
  if ("code" in held) return undefined
  let spent: Amount | undefined
  try {
    const { final, toolCalls } = await deps.send(output)
    const said = final !== undefined && (final.text !== "" || toolCalls.length > 0 || final.thinking === true)
    const failed = final?.error !== undefined && final.error.begun !== true
    const unbilled = final?.unbilled === true || failed
    const bill = billFor({ key: "backtest", model: ref, input, output, said, reported: final?.usage, unbilled }, price)
    spent = bill.amount
    return { ...(final && !final.error ? { final } : {}), toolCalls, amount: bill.amount, usd: bill.cost }
  } finally {
    // A call that was cut off may have been billed whole.
    await held.settle(spent ?? { tokens: input + output, usd: price ? worstCost(price, input, output) : 0 })
  }
}

/** [B2] The longest output that fits, at least the minimum of a run's calls; undefined: not even that fits. */
export function outputWithin({ input, most, left }: Omit<LiveCall, "ref">, price: RunPrice | undefined): number | undefined {
  const floor = Math.min(MIN_OUTPUT_TOKENS, most)
  let output = Math.min(most, (left.tokens ?? Infinity) - input)
  if (price && left.usd !== undefined && worstCost(price, input, output) > left.usd) {
    const rest = left.usd - tidy((input * dearestInput(price)) / 1_000_000)
    output = price.output > 0 ? Math.min(output, Math.floor((rest * 1_000_000) / price.output)) : -1
    // Division may round up: one token less always fits.
    while (output >= floor && worstCost(price, input, output) > left.usd) output -= 1
  }
  return output < floor ? undefined : output
}
