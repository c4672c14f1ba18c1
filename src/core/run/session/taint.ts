// Taint [G11]: anything made from text from outside stays marked wherever it goes. The mark limits what an agent may do, not what it reads.

import { references } from "../../flow/template.ts"
import type { Run, StepResult } from "../state.ts"

/** The marks of a step with these templates: a template uses a marked result, or the run itself is marked. The private mark spreads in
 *  the same way: a step that only passes private text on must not bypass the guard. */
export function taint(run: Run, templates: readonly string[]): { tainted?: true; private?: true } {
  const taken = templates.flatMap((t) => resultsIn(run, t))
  return {
    ...(run.tainted || taken.some((r) => r.tainted === true) ? { tainted: true } : {}),
    ...(run.private || taken.some((r) => r.private === true) ? { private: true } : {}),
  }
}

function resultsIn(run: Run, template: string): StepResult[] {
  return references(template, run.plan.stepIds).flatMap(({ ref }) => {
    // A fork's answer and notes are written by its agent.
    if (ref?.root !== "result" && ref?.root !== "fork") return []
    const result = Object.hasOwn(run.steps, ref.step) ? run.steps[ref.step]?.result : undefined
    return result ? [result] : []
  })
}
