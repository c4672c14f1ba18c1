// Finds what a flow would lack if a hook or a schedule started it [F78, F79]: for their files, and for their settings over HTTP.

import type { InputFault } from "../../../core/flow/flow-inputs.ts"
import { openInputs } from "../../../core/webhook/mapping.ts"
import type { HookSettings } from "../../../core/webhook/hook.ts"
import type { ScheduleSettings } from "../../../ports/tenant/schedules.ts"
import { startable, type StartNeeds } from "../pin/startable.ts"

/** Why no delivery can start the flow. */
export function hookFaults({ mapping }: Pick<HookSettings, "mapping">, flow: StartNeeds): readonly InputFault[] {
  const { task = "", inputs = {} } = mapping
  const ready = startable({ flow }, { task, inputs, open: openInputs(inputs) })
  return ready.ok ? [] : ready.error.faults.map((fault) => ({ ...fault, pointer: `/mapping${fault.pointer}` }))
}

export function scheduleFaults(
  { task = "", inputs = {} }: Pick<ScheduleSettings, "task" | "inputs">,
  flow: StartNeeds,
): readonly InputFault[] {
  const ready = startable({ flow }, { task, inputs })
  return ready.ok ? [] : ready.error.faults
}
