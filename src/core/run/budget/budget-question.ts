// The question of a budget that is used up [B2]: stop, or raise the limit. The tenant's day [B4] and what a parent gave [B5] cannot be
// raised here.

import { unitsOf, type Amount } from "../../money/amount.ts"
import type { Json, JsonObject } from "../../json.ts"
import type { Scope } from "./budget-state.ts"
import type { Fact } from "../event.ts"
import type { Interaction, Run } from "../state.ts"

interface Standing {
  readonly limit: Amount
  readonly spent: Amount
  readonly reserved: Amount
}

export function budgetQuestion(run: Run, scope: Scope, step: string, standing: Standing, needed: Amount): Fact[] {
  const answer = (schema: Json): JsonObject => ({
    type: "object",
    properties: { answer: schema },
    required: ["answer"],
    additionalProperties: false,
  })
  const units = unitsOf(standing.limit)
  const raise: JsonObject = {
    type: "object",
    properties: Object.fromEntries(
      units.map((u) => [u, { type: u === "usd" ? "number" : "integer", exclusiveMinimum: standing.limit[u] ?? 0 }]),
    ),
    minProperties: 1,
    additionalProperties: false,
  }
  const mayRaise = scope !== "tenant" && run.parent === undefined
  return [
    { type: "budget.exhausted", step, amount: needed, ...standing, scope },
    {
      type: "interaction.asked",
      id: `i${run.asked + 1}`,
      kind: "budget",
      step,
      payload: {
        scope,
        limit: { ...standing.limit },
        spent: { ...standing.spent },
        reserved: { ...standing.reserved },
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

/** What "stop" means; a raise is the fold's. */
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
