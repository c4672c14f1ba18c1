// Finds budgets that are too small for the flow [F54, B1]. Both faults are warnings, because a person may raise any limit:
//
// FV-BUDGET-LEAST: the shortest path through the flow, or a single model call, does not fit: every run stops and asks.
// FV-BUDGET-STEPS: the worst case, with all loops and retries, opens more steps. Steps are counted exactly. Tokens and dollars have
// no such check: a model's output is bounded so loosely that every sensible budget is below the worst case.

import { defined } from "../../defined.ts"
import { dearestInput, listPrice } from "../../money/prices.ts"
import type { Amount } from "../../money/amount.ts"
import { agentOf, type Placed, type CheckScope } from "./check-scope.ts"
import { runsAgent, runsChildren } from "../flow.ts"
import { cheapestAndDearest, type Price } from "./course.ts"
import { parseModelRef } from "../model-ref.ts"
import { passesOf, triesOf } from "./passes.ts"
import { literalLength } from "../template.ts"

/** The shortest output limit that a call gets to fit a budget [B2]. */
const LEAST_OUTPUT = 512

export function checkBudget(scope: CheckScope): void {
  const { flow, steps, isWhole } = scope
  if (flow.budget !== undefined && isWhole) {
    checkSteps(scope, flow.budget)
    const asking = steps.filter(({ step }) => runsAgent(step) && (step.type !== "fork" || flow.autonomous))
    if (course(scope, (i) => (asking.some(({ index }) => index === i) ? ONCE : NEVER)).least > 0) checkCall(scope, flow.budget, asking)
  }
  for (const placed of steps)
    if (placed.step.budget !== undefined && runsAgent(placed.step)) checkCall(scope, placed.step.budget, [placed], placed)
}

const NEVER: Price = { least: 0, most: 0 }
const ONCE: Price = { least: 1, most: 1 }

function course({ flow, graph }: CheckScope, price: (index: number) => Price): Price {
  const passes = passesOf(flow, graph, flow.autonomous)
  return cheapestAndDearest(flow, graph, price, (i) => passes.runs(i) > 1, passes.goesBack)
}

function checkSteps(scope: CheckScope, { steps: limit }: Amount): void {
  if (limit === undefined) return
  const { flow, graph, parsed, report } = scope
  const passes = passesOf(flow, graph, flow.autonomous)
  const { least, most } = course(scope, (i) => ({ least: 1, most: passes.runs(i) * triesIn(flow, i) }))
  const at = parsed.place(["budget", "steps"])
  if (least > limit)
    report.warn(
      "FV-BUDGET-LEAST",
      at,
      `the shortest path through the flow has ${least} steps, but the budget allows ${limit}: every run stops and asks`,
      `steps: ${Math.max(least, Number.isFinite(most) ? most : 0)}`,
    )
  // Steps of children also count, but are unknown here.
  else if (Number.isFinite(most) && most > limit && !flow.steps.some(runsChildren))
    report.warn(
      "FV-BUDGET-STEPS",
      at,
      `with all loops and retries, a run opens up to ${most} steps, but the budget allows ${limit}: such a run stops and asks`,
      `steps: ${most}, or a lower limit for a loop`,
    )
}

const triesIn = ({ steps }: CheckScope["flow"], index: number): number => {
  const step = steps[index]
  return step ? triesOf(step) : 1
}

/** Warns if not even the smallest call of these steps fits. */
function checkCall(scope: CheckScope, limit: Amount, steps: readonly Placed[], own?: Placed): void {
  const { parsed, report } = scope
  for (const unit of ["tokens", "usd"] as const) {
    const allowed = limit[unit]
    const needs = steps.map(({ step }) => leastOf(scope, step)[unit])
    if (allowed === undefined || needs.length === 0 || needs.some((n) => n === undefined)) continue
    const need = Math.min(...needs.map((n) => n ?? 0))
    if (need <= allowed) continue
    const at = own === undefined ? parsed.place(["budget", unit]) : own.valueAt("budget", unit)
    const whose = own === undefined ? "the smallest model call of the flow" : "one model call of the step"
    const least = unit === "usd" ? Number(need.toPrecision(3)) : need
    report.warn(
      "FV-BUDGET-LEAST",
      at,
      `${whose} may need ${least} ${unit}, which is reserved before the call, but the budget allows ${allowed}: every run stops and asks`,
      `${unit}: ${unit === "usd" ? Number((need * 20).toPrecision(2)) : need * 20}`,
    )
  }
}

/** The least that a call must reserve. Dollars use the list prices, and only for a model named as PROVIDER/MODEL whose
 *  provider is called like its kind: a file is checked without the tenant's settings. */
function leastOf(scope: CheckScope, step: Placed["step"]): { readonly tokens?: number; readonly usd?: number } {
  const agent = agentOf(scope, step)
  if (agent === undefined || !runsAgent(step)) return {}
  const task = step.task ?? ""
  const input = literalLength(agent.body) + literalLength(task)
  const output = Math.min(LEAST_OUTPUT, agent.max_output_tokens ?? LEAST_OUTPUT)
  const ref = parseModelRef(step.model ?? agent.model ?? "")
  const price = ref.kind === "provider" ? listPrice(ref.provider, ref.id) : undefined
  return { tokens: input + output, ...defined({ usd: price && (input * dearestInput(price) + output * price.output) / 1_000_000 }) }
}
