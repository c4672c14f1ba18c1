// `budget` at a start. Enforcing one is a later issue, so a start with a budget is refused; but first it is said what the flow costs at
// least, when the budget could never do, and which model has no price, when dollars are limited [B3].

import { z } from "zod"
import type { TenantPort } from "../ports/catalog.ts"
import { unsupported, type Refusal } from "./problem.ts"

const Budget = z.strictObject({
  usd: z.number().nonnegative().exactOptional(),
  tokens: z.number().int().nonnegative().exactOptional(),
  tool_calls: z.number().int().nonnegative().exactOptional(),
  steps: z.number().int().nonnegative().exactOptional(),
})

export async function refuseBudget(tenant: TenantPort, flow: string, given: unknown): Promise<Refusal> {
  const budget = Budget.safeParse(given)
  if (!budget.success)
    return {
      code: "invalid",
      detail: "budget is {usd?, tokens?, tool_calls?, steps?}.",
      errors: [{ pointer: "/budget", message: "is no budget" }],
    }
  const { usd } = budget.data
  const check = usd === undefined ? undefined : await tenant.check(flow)
  if (usd !== undefined && check?.proof) {
    const { least, most } = check.proof.cost
    if (least === null) {
      const models = [...new Set(Object.values(check.models))].join(", ")
      const detail = `A limit in US dollars needs a price for every model of the flow (${models}): PUT /v1/settings/prices.`
      return { code: "no_price", detail, errors: [{ pointer: "/budget/usd", message: "a model has no price" }] }
    }
    if (usd < least) {
      const detail = `The flow costs at least ${least} USD (at most ${most ?? "unknown"}), and the budget is ${usd} USD.`
      return { code: "budget_too_low", detail, errors: [{ pointer: "/budget/usd", message: `must be at least ${least}` }] }
    }
  }
  return unsupported("budget", "/budget")
}
