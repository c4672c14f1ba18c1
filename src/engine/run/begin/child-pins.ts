// Derives the pins of a child run: its parent's definitions, seen from the child's flow, with the rehearsal file and models of that flow.

import { defined } from "../../../core/defined.ts"
import { JUDGE_PREFIX } from "../../../core/flow/judge-flow.ts"
import type { Pins } from "../../../core/run/event-parts.ts"

/** The pins of a child; undefined: its flow is not pinned. `at`: the child's place (core/case/play.ts), which may have its own turns [K20]. */
export function childPins(pins: Pins, flow: string, at = ""): Pins | undefined {
  if (flow.startsWith(JUDGE_PREFIX)) return judgePins(pins, flow, at)
  const hash = pins.flows && Object.hasOwn(pins.flows, flow) ? pins.flows[flow] : undefined
  if (hash === undefined) return undefined
  const { rehearsal: _own, rehearsals: all = {}, ...rest } = pins
  const rehearsal = Object.hasOwn(all, at) ? all[at] : all[flow]
  const inside = Object.entries(all).flatMap(([name, own]): [string, string][] => {
    if (!name.includes("[")) return [[name, own]]
    return at !== "" && name.startsWith(`${at}/`) ? [[name.slice(at.length + 1), own]] : []
  })
  const rehearsals = pins.rehearsals === undefined ? {} : { rehearsals: Object.fromEntries(inside) }
  const models = seenFrom(flow, pins.models)
  const fallbacks = pins.fallbacks && { fallbacks: seenFrom(flow, pins.fallbacks) }
  return { ...rest, ...rehearsals, flow: { id: flow, hash }, models, ...fallbacks, ...defined({ rehearsal }) }
}

/** [V27] A judge's run follows what its scorer's pins say, and nothing else of the run. */
function judgePins({ revision, scorers = {}, rehearsals = {} }: Pins, flow: string, at: string): Pins | undefined {
  const name = flow.slice(JUDGE_PREFIX.length)
  const judge = Object.hasOwn(scorers, name) ? scorers[name]?.judge : undefined
  if (!judge) return undefined
  const rehearsal = Object.hasOwn(rehearsals, at) ? rehearsals[at] : rehearsals[flow]
  return {
    revision,
    flow: { id: flow, hash: judge.flow },
    agents: { [judge.agent]: judge.hash },
    skills: {},
    models: { [judge.agent]: judge.model },
    ...(judge.fallbacks ? { fallbacks: { [judge.agent]: judge.fallbacks } } : {}),
    ...defined({ rehearsal }),
  }
}

function seenFrom<Value>(flow: string, pinned: Readonly<Record<string, Value>>): Record<string, Value> {
  const seen: Record<string, Value> = {}
  for (const [key, value] of Object.entries(pinned)) {
    const [agent, place] = key.split("@")
    if (agent === undefined) continue
    if (agent === "") seen[key] = value
    // `agent@step` refers to a step of the parent; the child may have a different step with that name.
    if (place === undefined || place.includes("/")) seen[key] = value
    if (place?.startsWith(`${flow}/`)) seen[`${agent}@${place.slice(flow.length + 1)}`] = value
  }
  return seen
}
