// Provides the built-in model `rehearsal` [M3]: no key, no network, the same answer every time. It plays the turns of the flow's rehearsal
// file; every other step finishes at once, with a finish generated from the finish tool's schema.

import { turnAt, type Rehearsal, type RehearsedTurn } from "../../core/case/rehearsal.ts"
import { isObject, type JsonObject, type JsonSchema } from "../../core/json.ts"
import type { Model, ModelRequest, FlowPosition } from "../../ports/model.ts"
import { sample } from "./sample.ts"
import { finishTool, playing } from "./turns.ts"

export function rehearsalModel(rehearsal: Rehearsal | undefined): Model {
  return playing((request) => turnAt(rehearsal?.steps.get(request.place.step) ?? [], request.place) ?? builtIn(request))
}

function builtIn(request: ModelRequest): RehearsedTurn {
  const unread = request.messages.some((m) => m.role !== "assistant" && (m.attached ?? []).length > 0)
  // [F56] A rehearsal looks at nothing, and says so.
  const summary = `Rehearsed: ${request.place.step}${unread ? " (the pictures and PDFs were not looked at)" : ""}`
  const tool = finishTool(request)
  if (!tool) return { text: summary }
  const labels = labelsOf(tool.parameters, request.place)
  const branch = labels.length === 0 ? {} : { branch: labelOf(request.place, labels) }
  const finish = sample(tool.parameters, "finish", given(tool.parameters, summary, branch))
  if (!isObject(finish)) return { finish: {} }
  // A success has no error, although the schema allows one.
  const { error: _error, ...success } = finish
  return { finish: finish["status"] === "SUCCESS" ? success : finish }
}

/** The schema shows which finish fields the offered tool takes. */
function given(schema: JsonSchema, summary: string, branch: JsonObject): JsonObject {
  const status = isObject(schema["properties"]) ? schema["properties"]["status"] : undefined
  const isFinalizer = isObject(status) && Array.isArray(status["enum"]) && status["enum"].includes("SUCCESS")
  return isFinalizer ? { status: "SUCCESS", result: summary, ...branch } : { status: "complete", summary, ...branch }
}

function labelsOf(schema: JsonSchema, place: FlowPosition): readonly string[] {
  const branch = isObject(schema["properties"]) ? schema["properties"]["branch"] : undefined
  if (!isObject(branch)) return []
  // [F21] Where several may be chosen, the labels are those of the list's items.
  if (isObject(branch["items"])) return labelsOf({ properties: { branch: branch["items"] } }, place)
  return Array.isArray(branch["enum"]) ? branch["enum"].map(String) : (place.branches ?? [])
}

/** Makes loops end: a loop decision loops once, every other decision takes its labels in turn, one per pass. */
function labelOf(place: FlowPosition, labels: readonly string[]): string {
  if (place.loop) {
    const wanted = place.loop.iteration === 1 && place.loop.max > 1 ? "loop" : "exit"
    if (labels.includes(wanted)) return wanted
  }
  return labels[(Math.max(1, place.pass) - 1) % labels.length] ?? ""
}
