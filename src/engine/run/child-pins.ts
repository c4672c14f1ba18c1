// What a child run pins: its parent's definitions, seen from the child's flow, with the rehearsal file and models of that flow.

import type { Pins } from "../../core/run/event.ts"

/** undefined: the parent did not pin this flow. */
export function childPins(pins: Pins, flow: string): Pins | undefined {
  const hash = pins.flows && Object.hasOwn(pins.flows, flow) ? pins.flows[flow] : undefined
  if (hash === undefined) return undefined
  const { rehearsal: _own, ...rest } = pins
  const rehearsal = pins.rehearsals?.[flow]
  const models: Record<string, string> = {}
  for (const [key, model] of Object.entries(pins.models)) {
    const [agent, place] = key.split("@")
    if (agent === undefined) continue
    if (agent === "") models[key] = model
    // `agent@step` refers to a step of the parent; the child may have a different step with that name.
    if (place === undefined || place.includes("/")) models[key] = model
    if (place?.startsWith(`${flow}/`)) models[`${agent}@${place.slice(flow.length + 1)}`] = model
  }
  return { ...rest, flow: { id: flow, hash }, models, ...(rehearsal === undefined ? {} : { rehearsal }) }
}
