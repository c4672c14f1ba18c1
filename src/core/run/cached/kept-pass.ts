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
  /** [R40] Of a step with `until`: the score that was enough. */
  readonly scored?: KeptScore
}

export type KeptScore = Pick<FactOf<"step.scored">, "scorer" | "version" | "score" | "level" | "reason">

export const scoreOf = ({ scorer, version, score, level, reason }: FactOf<"step.scored">): KeptScore => ({
  scorer,
  version,
  score,
  ...defined({ level, reason }),
})

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

/** The result in a journal: `step.cached` has its marks, and the event after it is its finish, or the score before that. */
export function keptBy(e: FactOf<"step.cached">, next: RunEvent | undefined, last: RunEvent | undefined): KeptPass | undefined {
  const [finish, scored] = next?.type === "step.scored" ? [last, scoreOf(next)] : [next]
  if (finish?.type !== "step.finished") return undefined
  return { run: e.run, asked: e.asked, finish: finishOf(finish), marks: marksOf(e), ...defined({ scored }) }
}
