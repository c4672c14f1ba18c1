// Asks about a used-up budget [B2]: stop, or raise the limit. The tenant's day [B4] and the budget from a parent [B5] cannot be raised
// here.

import { unitsOf, type Amount } from "../../money/amount.ts"
import type { Json, JsonObject } from "../../json.ts"
import type { BudgetScope } from "./budget-state.ts"
import type { Fact } from "../event.ts"
import type { Interaction, Run } from "../state.ts"

interface Balance {
  readonly limit: Amount
  readonly spent: Amount
  readonly reserved: Amount
}

export function budgetQuestion(run: Run, scope: BudgetScope, step: string, balance: Balance, needed: Amount): Fact[] {
  const answer = (schema: Json): JsonObject => ({
    type: "object",
    properties: { answer: schema },
    required: ["answer"],
    additionalProperties: false,
  })
  const units = unitsOf(balance.limit)
  const raise: JsonObject = {
    type: "object",
    properties: Object.fromEntries(
      units.map((u) => [u, { type: u === "usd" ? "number" : "integer", exclusiveMinimum: balance.limit[u] ?? 0 }]),
    ),
    minProperties: 1,
    additionalProperties: false,
  }
  const mayRaise = scope !== "tenant" && run.parent === undefined
  return [
    { type: "budget.exhausted", step, amount: needed, ...balance, scope },
    {
      type: "interaction.asked",
      id: `i${run.asked + 1}`,
      kind: "budget",
      step,
      payload: {
        scope,
        limit: { ...balance.limit },
        spent: { ...balance.spent },
        reserved: { ...balance.reserved },
        needed: { ...needed },
        ...(scope === "tenant" && run.budget.lease ? { until: run.budget.lease.until } : {}),
      },
      schema: {
        oneOf: [
          answer({ const: "stop" }),
          ...(mayRaise ? [answer({ type: "object", properties: { raise }, required: ["raise"], additionalProperties: false })] : []),
        ],
      },
    },
  ]
}

/** The facts of the answer "stop"; the fold handles a raise. */
export function budgetAnswer(i: Interaction, answer: Json | undefined): Fact[] {
  if (answer !== "stop") return []
  const which =
    i.payload["scope"] === "tenant"
      ? "the tenant's budget of the day"
      : i.payload["scope"] === "step"
        ? `the budget of step "${i.step}"`
        : "the run's budget"
  return [
    {
      type: "run.ended",
      status: "failed",
      error: { step: i.step, source: "budget", message: `${which} is used up, and it was answered: stop` },
    },
  ]
}
