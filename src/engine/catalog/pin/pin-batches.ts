// Says which models of a run are asked through their provider's batch API [R32], or which one has none.

import { childFlowOf, runsChildren, type Flow, type MapStep } from "../../../core/flow/flow.ts"
import { bareModel } from "../../../core/money/prices.ts"
import type { Pins } from "../../../core/run/event-parts.ts"
import { err, ok, type Result } from "../../../core/result.ts"
import { isRehearsal, type ModelSettings } from "./model-choice.ts"
import { modelKeyOf, type Use } from "./pin-flow.ts"
import type { Refused } from "./pin-refusal.ts"

export type Batches = Pick<Pins, "batch">

/** `flows`: the started one first, then all that it leads to. */
export function pinBatches(
  [root, ...children]: readonly Flow[],
  uses: readonly Use[],
  { models, fallbacks = {} }: Pick<Pins, "models" | "fallbacks">,
  { batches = {} }: ModelSettings,
): Result<Batches, Refused> {
  const byId = new Map([root, ...children].flatMap((flow) => (flow ? [[flow.id, flow] as const] : [])))
  const factors: Record<string, number> = {}
  for (const flow of byId.values())
    for (const step of flow.steps) {
      if (step.type !== "map" || step.batch_api !== true) continue
      const below = flowsBelow(byId, step)
      for (const use of uses) {
        // An agent that is called is of no step, and asks at once.
        if (!below.has(use.child ?? root?.id ?? "") || !use.isOfStep) continue
        const key = modelKeyOf(use)
        for (const ref of [models[key] ?? "", ...(Object.hasOwn(fallbacks, key) ? (fallbacks[key] ?? []) : [])]) {
          const model = bareModel(ref)
          const provider = model.slice(0, Math.max(0, model.indexOf("/")))
          const factor = Object.hasOwn(batches, provider) ? batches[provider] : undefined
          if (isRehearsal(model) || factor === "at once") continue
          if (factor === undefined) return err(without(step, flow === root ? undefined : flow.id, model))
          factors[model] = factor
        }
      }
    }
  return ok(Object.keys(factors).length > 0 ? { batch: factors } : {})
}

function flowsBelow(flows: ReadonlyMap<string, Flow>, map: MapStep): ReadonlySet<string> {
  const below = new Set([map.do])
  for (const id of below)
    for (const step of flows.get(id)?.steps ?? []) {
      if (runsChildren(step)) below.add(childFlowOf(step))
    }
  return below
}

const without = ({ id }: MapStep, flow: string | undefined, model: string): Refused => ({
  ok: false,
  code: "unsupported",
  message: `step "${id}"${flow === undefined ? "" : ` of "${flow}"`}: its calls go through the batch API, which ${model} does not have: name models of providers of kind anthropic or openai, or leave batch_api out`,
  step: id,
  diagnostics: [],
})
