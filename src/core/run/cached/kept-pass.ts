// Defines the result of a pass as it is kept for equal passes of other runs [R39].

import { defined } from "../../defined.ts"
import { originsOf, type Origin } from "../../flow/origin.ts"
import type { FactOf, RunEvent } from "../event.ts"
import type { StepResult } from "../state.ts"

/** What a complete finish says; it names no files, because a pass that is kept touches none. */
type KeptFinish = Pick<FactOf<"step.finished">, "summary" | "outputs" | "artifacts" | "branch" | "branches" | "text">

/** [G11] The marks of the result. */
interface KeptMarks {
  readonly tainted?: true
  readonly origins?: Origin[]
  readonly private?: true
}

export interface KeptPass {
  /** The run that asked, and when (ms). */
  readonly run: string
  readonly asked: number
  readonly finish: KeptFinish
  readonly marks: KeptMarks
}

export const finishOf = ({ summary, outputs, artifacts, branch, branches, text }: FactOf<"step.finished">): KeptFinish => ({
  summary,
  outputs,
  ...defined({ artifacts, branch, branches, text }),
})

export const marksOf = ({ tainted, origins, private: isPrivate }: Pick<StepResult, "tainted" | "origins" | "private">): KeptMarks => ({
  ...(tainted ? { tainted } : {}),
  ...(origins === undefined ? {} : { origins: originsOf(origins) }),
  ...(isPrivate ? { private: isPrivate } : {}),
})

/** The result in a journal: `step.cached` has its marks, and the event after it is its finish. */
export function keptBy(e: FactOf<"step.cached">, next: RunEvent | undefined): KeptPass | undefined {
  if (next?.type !== "step.finished") return undefined
  return { run: e.run, asked: e.asked, finish: finishOf(next), marks: marksOf(e) }
}
