// The digests that a fork's signal brings [K9], as the shell computes them.

import { canonical } from "../../../src/core/json.ts"
import { apply } from "../../../src/core/run/apply.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { approvedCalls, approvedName, approvedPlace } from "../../../src/core/run/fork/ask-anew.ts"
import type { Plan } from "../../../src/core/run/plan.ts"
import { newRun } from "../../../src/core/run/state.ts"
import { roundTrip } from "./shell.ts"

export function digestsOf(plan: Plan, prefix: readonly RunEvent[], run = "run_2"): Record<string, string> {
  let before = newRun(plan)
  for (const e of roundTrip(prefix)) before = apply(before, e)
  return Object.fromEntries(
    approvedCalls(before).map((one) => [approvedName(one.step, one.open.call.id), canonical(approvedPlace(run, one))]),
  )
}
