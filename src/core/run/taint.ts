// Taint [G11]: what was made from text from outside stays marked, wherever it is handed on. It limits what an agent may do, not what it reads.

import { references } from "../flow/template.ts"
import type { Run } from "./state.ts"

/** The mark of a step that is given these templates: one of them takes up a result that is tainted, or the run itself is. */
export function taint(run: Run, templates: readonly string[]): { tainted?: true } {
  return run.tainted || templates.some((t) => refersToTainted(run, t)) ? { tainted: true } : {}
}

function refersToTainted(run: Run, template: string): boolean {
  return references(template, run.plan.stepIds).some(({ ref }) => {
    // A fork's answer and notes are its agent's words.
    if (ref?.root !== "result" && ref?.root !== "fork") return false
    const result = Object.hasOwn(run.steps, ref.step) ? run.steps[ref.step]?.result : undefined
    return result?.tainted === true
  })
}
