// Writes the refusal of a start for HTTP [H3, B3].

import { noPrice, unpricedFault } from "../../engine/catalog/pin/start-money.ts"
import type { Unstartable } from "../../engine/catalog/pin/startable.ts"
import type { PinResult } from "../../ports/tenant/catalog.ts"
import { invalid, type Fault, type Refusal } from "../middleware/problem.ts"

export function unstartable({ flow }: Extract<PinResult, { ok: true }>, why: Unstartable): Refusal {
  if (why.code === "no_price") return unpriced(why.models, why.faults)
  if (why.code !== "task_required") return invalid(why.faults)
  const detail = flow.task_prompt ?? "This flow needs a task: send `task` and say what the run should do."
  // What the code is about comes first.
  return { code: why.code, detail, errors: [...why.faults.slice(-1), ...why.faults.slice(0, -1)] }
}

export const unpriced = (models: readonly string[], errors: readonly Fault[] = [unpricedFault(models)]): Refusal => ({
  code: "no_price",
  detail: noPrice(models),
  errors,
})
