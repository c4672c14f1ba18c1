// Taint [G11]: what was made from text from outside stays marked, wherever it is handed on. It limits what an agent may do, not what it reads.

import { references } from "../../flow/template.ts"
import type { Run, StepResult } from "../state.ts"

/** The marks of a step that is given these templates: one of them takes up a result that has the mark, or the run itself is tainted.
 *  What is private stays so as well: a step that only hands it on must not be the way around the guard. */
export function taint(run: Run, templates: readonly string[]): { tainted?: true; private?: true } {
  const taken = templates.flatMap((t) => resultsIn(run, t))
  return {
    ...(run.tainted || taken.some((r) => r.tainted === true) ? { tainted: true } : {}),
    ...(run.private || taken.some((r) => r.private === true) ? { private: true } : {}),
  }
}

function resultsIn(run: Run, template: string): StepResult[] {
  return references(template, run.plan.stepIds).flatMap(({ ref }) => {
    // A fork's answer and notes are its agent's words.
    if (ref?.root !== "result" && ref?.root !== "fork") return []
    const result = Object.hasOwn(run.steps, ref.step) ? run.steps[ref.step]?.result : undefined
    return result ? [result] : []
  })
}
