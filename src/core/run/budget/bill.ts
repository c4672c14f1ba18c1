// Bills a model call [B3]: the cost that its provider reports, or the call's maximum cost when the report is missing or impossible.
//
// Promise: a bill never exceeds the call's reservation [B1]. The reservation bounds what a call can use, so a report of more is impossible.

import { isNothing, minus, type Amount, type Price } from "../../money/amount.ts"
import { turnPrice } from "../batch/factor.ts"
import { costOf, isFree, priceOf } from "../../money/prices.ts"
import { readUsage, type Usage } from "../../money/usage.ts"
import type { Run } from "../state.ts"
import { worstCost } from "./worst-case.ts"

/** Without a reservation a report may go beyond the request: gateways add prompts and searches of their own. It may not go far. */
// Limit: tokens that a report may have beyond twice what its request can hold, where nothing is reserved → the call counts as the most
// that it can use.
const MORE_TOKENS = 100_000
const MORE_TIMES = 2 // limit: times what its request can hold, before those tokens → the call counts as the most that it can use

/** A model call that got its answer. */
export interface AnsweredCall {
  readonly key: string
  readonly model: string
  /** The most tokens that it could read and write. */
  readonly input: number
  readonly output: number
  /** Whether the model said anything: text, thinking or calls. */
  readonly said: boolean
  readonly reported: Usage | undefined
  /** No provider was asked, so nothing was used. */
  readonly unbilled: boolean
  /** It is a turn, which may have gone into a batch. */
  readonly turn?: true
}

/** A provider that refuses a request bills nothing; one that goes silent, or fails after it began to reply, may have billed the whole call. */
export const isRefusal = ({ status, begun }: { readonly status?: number; readonly begun?: true }): boolean =>
  status !== undefined && status >= 400 && begun !== true

interface Bill {
  readonly usage: Usage
  /** null: the model has no price. */
  readonly cost: number | null
  readonly amount: Amount
}

export function billOf(run: Run, call: AnsweredCall): Bill {
  const held = Object.hasOwn(run.budget.holds, call.key) ? run.budget.holds[call.key]?.amount : undefined
  return billFor(call, call.turn ? turnPrice(run, call.model) : priceOf(run.prices, call.model), held)
}

/** `held`: the call's reservation. */
export function billFor(call: AnsweredCall, price: Price | undefined, held?: Amount): Bill {
  const usage = believed(call)
  if (usage) {
    const cost = price ? costOf(price, usage) : null
    const amount = { usd: cost ?? 0, tokens: usage.input + usage.output }
    const most = held ?? { tokens: MORE_TOKENS + MORE_TIMES * (call.input + call.output) }
    if (isNothing(minus(amount, { usd: Infinity, tokens: Infinity, ...most }))) return { usage, cost, amount }
  }
  // The conversation may have grown since the reservation: a person may have sent a message.
  const input = held?.tokens === undefined ? call.input : held.tokens - call.output
  const worst = { input, output: call.output, estimated: true } as const
  const cost = price ? (held?.usd ?? worstCost(price, input, call.output)) : null
  return { usage: worst, cost, amount: { usd: cost ?? 0, tokens: input + call.output, ...held } }
}

function believed({ model, said, reported, unbilled }: AnsweredCall): Usage | undefined {
  const usage = readUsage(reported)
  if (unbilled || isFree(model)) return usage ?? { input: 0, output: 0 }
  // Each request has tokens, and so has each reply that says something.
  return usage && usage.input > 0 && (usage.output > 0 || !said) ? usage : undefined
}
