// Finds what another place's `start` block says that its flow does not allow [R2, R3]: of a start's body, a hook, a schedule.

import type { InputFault } from "../../../core/flow/flow-inputs.ts"
import { shown } from "../../../core/flow/parse/report.ts"
import { isObject, type JsonObject } from "../../../core/json.ts"
import { setByFlow } from "../../../core/language/resolve-start.ts"
import { START_BOUNDS, type StartDelay } from "../../../core/start/start-block.ts"
import { durationText } from "../../../core/text/duration.ts"
import type { StartNeeds } from "./startable.ts"

interface Said {
  readonly concurrency?: object
  readonly throttle?: object
  readonly batch?: { readonly into: string }
}

/** [R2] A batch's `into` is an input of type array. */
export function intoFaults(said: Said | undefined, inputs: JsonObject): readonly InputFault[] {
  const into = said?.batch?.into
  if (into === undefined) return []
  const spec = Object.hasOwn(inputs, into) ? inputs[into] : undefined
  if (isObject(spec) && spec["type"] === "array") return []
  return [{ pointer: "/start/batch/into", message: `names ${shown(into)}, which is not an input of the flow of type array` }]
}

/** [R2] A delay is as long as any, also one that is said as a time. */
export function delayFaults(said: { readonly delay?: StartDelay } | undefined, now: number): readonly InputFault[] {
  const { most } = START_BOUNDS.delay
  if (said?.delay === undefined || !("at" in said.delay) || said.delay.at <= now + most) return []
  return [{ pointer: "/start/delay", message: `must be at most ${durationText(most)} from now` }]
}

/** [R3] What is wrong when it is written or sent; a flow that gains a member later makes nothing wrong. */
export const finalFaults = (said: Said | undefined, { start }: Pick<StartNeeds, "start">): readonly InputFault[] =>
  setByFlow(start, said).map((member) => ({
    pointer: `/start/${member}`,
    message: "is set by the flow, and no other place can set it: leave it out, or change the flow's file",
  }))
