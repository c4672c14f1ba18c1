// The first event of a journal [J3]: what a run was asked to be. The fields keep the order that `startOf` gives them, for the event is
// hashed as text.

import type { FactOf } from "../../core/run/event.ts"
import type { StartRequest } from "../../ports/run.ts"

export function startedOf(request: StartRequest): FactOf<"run.started"> {
  const { daily: _daily, held: _held, tenant, run, flow, task, inputs, autonomous, pins, ...rest } = request
  // As plain JSON. The field keeps the place that `rest` gives it; where it is undefined, the journal has none.
  const rules = rest.rules && JSON.parse(JSON.stringify(rest.rules))
  return { type: "run.started", tenant, run, flow, task, inputs, autonomous, pinned: pins, ...rest, rules }
}
