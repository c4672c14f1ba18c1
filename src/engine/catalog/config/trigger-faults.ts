// Checks what a flow would lack if a hook or a schedule started it [F78, F79].

import { checkInputs } from "../../../core/flow/flow-inputs.ts"
import type { Flow } from "../../../core/flow/flow.ts"
import type { JsonObject } from "../../../core/json.ts"
import type { BodyFault } from "../../../core/schema/body-faults.ts"
import { startFaults } from "../../../core/webhook/mapping.ts"
import type { HookSettings } from "../../../core/webhook/hook.ts"
import type { ScheduleSettings } from "../../../ports/tenant/schedules.ts"

export interface FlowNeeds {
  readonly inputs: JsonObject
  readonly task_required: boolean
}

export const needsOf = ({ inputs, task_required }: Flow): FlowNeeds => ({
  inputs: Object.fromEntries(Object.entries(inputs).map(([name, spec]) => [name, { ...spec }])),
  task_required,
})

export const hookFaults = ({ mapping }: Pick<HookSettings, "mapping">, needs: FlowNeeds): readonly BodyFault[] =>
  startFaults(mapping, needs, "/mapping")

export function scheduleFaults(
  { task = "", inputs = {} }: Pick<ScheduleSettings, "task" | "inputs">,
  needs: FlowNeeds,
): readonly BodyFault[] {
  const checked = checkInputs(needs.inputs, inputs)
  return [
    ...(checked.ok ? [] : checked.error),
    ...(needs.task_required && task.trim() === "" ? [{ pointer: "/task", message: "is required by the flow" }] : []),
  ]
}
