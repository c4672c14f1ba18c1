// The built-in model `rehearsal` [M3]: no key, no network, the same answer every time. What the flow's rehearsal file scripts is
// played; everything else is finished at once, with a finish made from the finish tool's own schema.

import { turnAt, type Rehearsal, type Turn } from "../core/flow/rehearsal.ts"
import { isObject, type JsonSchema } from "../core/json.ts"
import type { Model, ModelRequest, Place } from "../ports/model.ts"
import { sample } from "./sample.ts"
import { finishTool, play } from "./turns.ts"

export function rehearsalModel(rehearsal: Rehearsal | undefined): Model {
  return {
    reply: (request, signal) => {
      const turn = turnAt(rehearsal?.steps.get(request.place.step) ?? [], request.place)
      return play(turn ?? builtIn(request), request, signal)
    },
  }
}

function builtIn(request: ModelRequest): Turn {
  const summary = `Rehearsed: ${request.place.step}`
  const tool = finishTool(request)
  if (!tool) return { text: summary }
  const labels = labelsOf(tool.parameters, request.place)
  const branch = labels.length === 0 ? {} : { branch: labelOf(request.place, labels) }
  const finish = sample(tool.parameters, "finish", { status: "complete", summary, ...branch })
  return { finish: isObject(finish) ? finish : {} }
}

function labelsOf(schema: JsonSchema, place: Place): readonly string[] {
  const branch = isObject(schema["properties"]) ? schema["properties"]["branch"] : undefined
  if (!isObject(branch)) return []
  return Array.isArray(branch["enum"]) ? branch["enum"].map(String) : (place.branches ?? [])
}

/** So that loops end: a loop decision goes round once, every other decision walks its labels, one a pass. */
function labelOf(place: Place, labels: readonly string[]): string {
  if (place.loop) {
    const wanted = place.loop.iteration === 1 && place.loop.max > 1 ? "loop" : "exit"
    if (labels.includes(wanted)) return wanted
  }
  return labels[(Math.max(1, place.pass) - 1) % labels.length] ?? ""
}
