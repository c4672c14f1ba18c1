// The input of one schedule: 200 branches side by side, a limit too small for all of them, a model's price, how many calls may be under
// way at once, and for every fourth world a tenant's day granted in slices [B1, B4]. The seed determines everything.

import { KERNEL } from "../../src/core/run/event-version.ts"
import { requestBytes } from "../../src/core/run/budget/budget-bytes.ts"
import type { Lease } from "../../src/core/run/signal.ts"
import type { FactOf } from "../../src/core/run/event.ts"
import type { Plan } from "../../src/core/run/plan.ts"
import type { Run } from "../../src/core/run/state.ts"
import { costOf } from "../../src/core/money/prices.ts"
import { agent, agentOf, flowOf, planOf } from "../support/kernel/builders.ts"
import { AT_ONCE } from "../support/kernel/shell.ts"
import { Dice } from "./dice.ts"

export const BRANCHES = 200
export const PRICE = { input: 3, output: 15, cacheWrite: 3.75 }
const MODEL = "acme/big"
const UNTIL = 10 ** 12
/** Approximate size of a first request: used only to choose limits that matter. */
const USUAL_INPUT = 2_500

export interface World {
  readonly seed: number
  readonly plan: Plan
  readonly started: FactOf<"run.started">
  readonly lease: Lease | undefined
  readonly limit: { readonly usd: number; readonly tokens?: number }
  readonly maxOutput: number
  readonly atOnce: number
  /** Tokens in the tenant's day, including the first slice. */
  readonly day: number | undefined
  readonly until: number
  dayLeft(slices: ReadonlyMap<string, number>): number
  inputOf(run: Run, step: string): number
}

/** Plans differ little: they are cached, together with the values computed once per plan. */
const plans = new Map<string, Plan>()

function planFor(maxOutput: number, stepLimits: boolean, isHasty: boolean): Plan {
  const key = `${maxOutput}/${stepLimits}/${isHasty}`
  const cached = plans.get(key)
  if (cached) return cached
  const steps = Array.from({ length: BRANCHES }, (_, i) =>
    agent(`s${i}`, {
      ...(stepLimits && i % 3 === 0 ? { budget: { tokens: 60_000 } } : {}),
      // They time out while a call is under way; then they restart.
      ...(isHasty && i % 5 === 0 ? { timeout: 30 + 7 * i, retry: { max: 5, backoff: 3 } } : {}),
    }),
  )
  const plan = planOf(flowOf(steps, { max_concurrent: BRANCHES }), [agentOf("worker", { max_output_tokens: maxOutput })])
  plans.set(key, plan)
  return plan
}

/** `most`: how many first calls the limit covers at most. */
export function worldOf(seed: number, check: "before" | "after", most = 3 * BRANCHES): World {
  const dice = new Dice(seed * 7919)
  const maxOutput = [400, 1000, 2000, 4000][Math.floor(dice.roll() * 4)] ?? 1000
  // From a limit for five calls up; by default to a limit for more than all branches need. Small limits are more frequent.
  const calls = 5 + Math.floor(dice.roll() ** 2 * most)
  const perCall = {
    usd: costOf(PRICE, { input: USUAL_INPUT, output: maxOutput, cacheWrite: USUAL_INPUT }),
    tokens: USUAL_INPUT + maxOutput,
  }
  const limit = {
    usd: calls * perCall.usd,
    ...(dice.roll() < 0.4 ? { tokens: Math.floor(calls * (0.7 + dice.roll()) * perCall.tokens) } : {}),
  }
  const day = check === "before" && seed % 4 === 0 ? Math.floor(calls * (0.5 + dice.roll()) * perCall.tokens) : undefined
  const first = day === undefined ? 0 : Math.min(day, 4 * perCall.tokens)
  return {
    seed,
    plan: planFor(maxOutput, check === "before" && dice.roll() < 0.5, check === "before" && dice.roll() < 0.3),
    started: {
      type: "run.started",
      kernel: KERNEL,
      run: `run_${seed}`,
      flow: "f",
      task: "the task",
      inputs: {},
      autonomous: true,
      pinned: { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: { worker: MODEL } },
      trigger: { kind: "api" },
      rehearsed: false,
      prices: { [MODEL]: PRICE },
      ...(check === "before" ? { budget: limit } : {}),
    },
    lease: day === undefined ? undefined : { granted: { tokens: first }, until: UNTIL },
    limit,
    maxOutput,
    // The platform's six, or one per branch.
    atOnce: dice.roll() < 0.5 ? AT_ONCE : BRANCHES,
    day,
    until: UNTIL,
    dayLeft: (slices) => Math.max(0, (day ?? 0) - first - [...slices.values()].reduce((a, b) => a + b, 0)),
    inputOf: requestBytes,
  }
}
