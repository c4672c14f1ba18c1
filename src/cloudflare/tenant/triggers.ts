// Lists a tenant's hooks and schedules for the catalog: the flow that each starts, and what that flow would lack [F78].

import { defined } from "../../core/defined.ts"
import type { Trigger } from "../../engine/catalog/catalog-breaks.ts"
import { hookFaults, scheduleFaults } from "../../engine/catalog/config/trigger-faults.ts"
import type { TenantStores } from "./tenant-stores.ts"

export const triggersOf = ({ hooks, scheduleRows }: Pick<TenantStores, "hooks" | "scheduleRows">): readonly Trigger[] => [
  ...hooks.list().map((hook): Trigger => ({ ...named(hook), kind: "hook", fault: (needs) => said(hookFaults(hook, needs)[0]) })),
  ...scheduleRows
    .list()
    .map((schedule): Trigger => ({ ...named(schedule), kind: "schedule", fault: (needs) => said(scheduleFaults(schedule, needs)[0]) })),
]

const named = ({ id, name, flow }: { readonly id: string; readonly name?: string; readonly flow: string }) => ({
  id,
  flow,
  ...defined({ name }),
})

const said = (fault: { readonly pointer: string; readonly message: string } | undefined): string | undefined =>
  fault && `${fault.pointer} ${fault.message}`.trim()
