// Marks a map's results that are too large for an output [F23h]: references to them have no value, so they fail with the size and the file
// instead of silently becoming an empty text.

import { forms, type TemplateReference } from "../../flow/template.ts"
import type { Step } from "../../flow/flow.ts"
import type { Fact } from "../event.ts"
import { stepState, type Run } from "../state.ts"
import { collectedPath } from "./changed-files.ts"
import { lookup } from "./scope.ts"

/** Limit: characters of a map's results in its output → they are in a file only, and references to them fail with their size. */
export const INLINE_CHARS = 1024 * 1024

/** The reason why these templates cannot be filled; undefined: they can. */
export function lostIn(run: Run, templates: () => readonly string[]): string | undefined {
  return hasLost(run) ? firstLost(run, templates()) : undefined
}

export const lost = (run: Run, step: Step, summary: string): Fact[] => {
  const { pass } = stepState(run, step.id)
  return [
    { type: "step.opened", step: step.id, stepType: step.type, pass, tools: [] },
    { type: "step.finished", step: step.id, pass, status: "error", source: "config", summary, files: [], outputs: {} },
  ]
}

const hasLost = (run: Run): boolean => run.plan.flow.steps.some((step) => step.type === "map" && bytesOf(run, step.id) !== undefined)

function firstLost(run: Run, templates: readonly string[]): string | undefined {
  const see = lookup(run, {})
  for (const text of templates)
    for (const { raw, operands } of forms(text, run.plan.stepIds))
      for (const { ref } of operands) {
        if (ref === undefined) break
        const bytes = lostBytes(run, ref)
        if (ref.root === "result" && bytes !== undefined)
          return `${raw} has ${bytes} bytes, and at most ${INLINE_CHARS} characters are handed on: read the lines of ${collectedPath(ref.step)}, or let the children return less`
        // What comes after a value is not used.
        if (see(ref) !== undefined) break
      }
  return undefined
}

const lostBytes = (run: Run, ref: TemplateReference): number | undefined =>
  ref.root === "result" && ref.field === "results" ? lostBytesOf(run, ref.step) : undefined

/** The bytes of a map's results that are not among its outputs. */
export const lostBytesOf = (run: Run, step: string): number | undefined =>
  run.plan.steps.get(step)?.type === "map" ? bytesOf(run, step) : undefined

function bytesOf(run: Run, id: string): number | undefined {
  const outputs = Object.hasOwn(run.steps, id) ? run.steps[id]?.result?.outputs : undefined
  const bytes = outputs && !Object.hasOwn(outputs, "results") ? outputs["bytes"] : undefined
  return typeof bytes === "number" ? bytes : undefined
}
