// A tenant's hooks and schedules, as the catalog sees them: which flow each starts, and what that flow would lack [F78].

import { checkInputs } from "../../../core/flow/flow-inputs.ts"
import { startFaults } from "../../../core/webhook/mapping.ts"
import type { Trigger } from "../../../engine/catalog/catalog-breaks.ts"
import type { TenantStores } from "../tenant-stores.ts"

export const triggersOf = ({ hooks, scheduleRows }: Pick<TenantStores, "hooks" | "scheduleRows">): readonly Trigger[] => [
  ...hooks.list().map(({ id, flow, mapping }): Trigger => ({
    kind: "hook",
    id,
    flow,
    fault: (needs) => said(startFaults(mapping, needs, "/mapping")[0]),
  })),
  ...scheduleRows.list().map(({ id, flow, task = "", inputs = {} }): Trigger => ({
    kind: "schedule",
    id,
    flow,
    fault(needs) {
      const checked = checkInputs(needs.inputs, inputs)
      if (!checked.ok) return said(checked.error[0])
      return needs.task_required && task.trim() === "" ? "/task is required by the flow" : undefined
    },
  })),
]

const said = (fault: { readonly pointer: string; readonly message: string } | undefined): string | undefined =>
  fault && `${fault.pointer} ${fault.message}`.trim()
