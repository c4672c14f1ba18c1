// Finds what a flow would lack if a hook or a schedule started it [F78, F79], for files and for settings over HTTP.

import type { InputFault } from "../../../core/flow/flow-inputs.ts"
import { shown } from "../../../core/flow/parse/report.ts"
import { nearest } from "../../../core/text/nearest.ts"
import { openInputs } from "../../../core/webhook/mapping.ts"
import type { HookSettings } from "../../../core/webhook/hook.ts"
import type { ScheduleSettings } from "../../../ports/tenant/schedules.ts"
import { needsOf, startable, type StartNeeds } from "../pin/startable.ts"
import type { ConfigFault } from "./config-fault.ts"
import type { FileSurroundings } from "./surroundings.ts"

/** The reasons why a hook or a schedule could never start its flow. An invalid flow is reported elsewhere. */
export async function flowFaults(
  { flow, entries }: Pick<FileSurroundings, "flow" | "entries">,
  id: string,
  faultsOf: (needs: StartNeeds) => readonly InputFault[],
): Promise<readonly ConfigFault[]> {
  const loaded = await flow(id)
  if (!loaded) {
    const near = nearest(
      id,
      entries.flatMap((e) => (e.kind === "flow" ? [e.id] : [])),
    )
    const suggestion = near === undefined ? `the id of a flow: flows/support.yaml has the id support` : `did you mean "${near}"?`
    return [{ code: "PV-FLOW", pointer: "/flow", message: `names ${shown(id)}, which is not the id of a flow`, suggestion }]
  }
  return loaded.value ? faultsOf(needsOf(loaded.value)).map((fault) => ({ ...fault, code: "PV-FLOW" })) : []
}

/** The reasons why no delivery can start the flow. */
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
