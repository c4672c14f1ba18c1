// Finds what a flow would lack if a hook or a schedule started it [F78, F79], for files and for settings over HTTP.

import type { DatasetRows } from "../../../core/dataset/dataset-file.ts"
import type { InputFault } from "../../../core/flow/flow-inputs.ts"
import type { ToolTraits } from "../../../core/flow/check/check-trifecta.ts"
import { reachOf } from "../../../core/tool/reach.ts"
import { shown } from "../../../core/flow/parse/report.ts"
import { nearest } from "../../../core/text/nearest.ts"
import { openInputs } from "../../../core/webhook/mapping.ts"
import type { HookSettings } from "../../../core/webhook/hook.ts"
import type { ScheduleSettings } from "../../../ports/tenant/schedules.ts"
import { intoFaults } from "../pin/start-faults.ts"
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
  return loaded.value
    ? faultsOf(needsOf(loaded.value)).map((fault) => ({ ...fault, code: fault.pointer.startsWith("/start") ? "PV-VALUE" : "PV-FLOW" }))
    : []
}

/** [V31] Rows that the flow's inputs refuse. */
export async function datasetFaults({ flow, rows }: DatasetRows, around: FileSurroundings): Promise<readonly ConfigFault[]> {
  const found = await flowFaults(around, flow, (needs) =>
    rows.flatMap(({ task = "", inputs = {} }, i) => {
      const ready = startable({ flow: needs }, { task, inputs })
      return ready.ok ? [] : ready.error.faults.map((fault) => ({ ...fault, pointer: `/rows/${i}${fault.pointer}` }))
    }),
  )
  return found.map((fault) => (fault.pointer.startsWith("/rows/") ? { ...fault, code: "EV-ROW" } : fault))
}

/** [W4, F26] Whatever a delivery starts has read text from outside: a tool step that changes something outside waits for a person each time. */
export async function hookAsks({ flow, tool }: Pick<FileSurroundings, "flow" | "tool">, id: string): Promise<readonly ConfigFault[]> {
  const loaded = await flow(id)
  return (loaded?.value?.steps ?? []).flatMap((step): ConfigFault[] => {
    const called = step.type === "tool" && step.effects?.after_untrusted !== "allow" ? tool(step.tool) : undefined
    if (called === undefined || !changesAlways(called)) return []
    return [
      {
        code: "PV-ASKS",
        isWarning: true,
        pointer: "/flow",
        message: `has the step "${step.id}", whose call of ${called.name} waits for a person in each run of this hook: what a delivery brings is text from outside`,
        suggestion: "effects: { after_untrusted: allow } on the step, if its arguments may come from outside",
      },
    ]
  })
}

/** The call leaves the run and changes something there, whatever its arguments are. */
const changesAlways = (tool: ToolTraits): boolean => {
  const reach = reachOf(tool)
  if (reach === undefined) return false
  return tool.effect === "write" || ("fixed" in reach.method && !/^(?:GET|HEAD)$/i.test(reach.method.fixed))
}

/** The reasons why no delivery can start the flow. */
export function hookFaults({ mapping, start }: Pick<HookSettings, "mapping" | "start">, flow: StartNeeds): readonly InputFault[] {
  const { task = "", inputs = {} } = mapping
  const into = start?.batch?.into
  // What a delivery gives for `into` is an item, whatever it is.
  const open = new Set([...openInputs(inputs), ...(into === undefined ? [] : [into])])
  const ready = startable({ flow }, { task, inputs, open })
  const faults = ready.ok ? [] : ready.error.faults.map((fault) => ({ ...fault, pointer: `/mapping${fault.pointer}` }))
  return [...faults, ...intoFaults(start, flow.inputs)]
}

export function scheduleFaults(
  { task = "", inputs = {}, start }: Pick<ScheduleSettings, "task" | "inputs" | "start">,
  flow: StartNeeds,
): readonly InputFault[] {
  const ready = startable({ flow }, { task, inputs })
  return [...(ready.ok ? [] : ready.error.faults), ...intoFaults(start, flow.inputs)]
}
