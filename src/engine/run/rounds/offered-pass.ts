// Reads what a scorer needs of a run before anything is awaited: the run has changed by the time that its journal is read.

import { defined } from "../../../core/defined.ts"
import { untilOf } from "../../../core/flow/flow.ts"
import type { Run } from "../../../core/run/state.ts"
import type { Scorer } from "../../../core/flow/scorer.ts"

export interface OfferedPass {
  readonly flow: string
  readonly step: string
  readonly opened: number
  readonly offered: number
  readonly scorer?: Scorer
  /** The hash of its handler. */
  readonly code?: string
}

export function offeredPass(run: Run, step: string): OfferedPass {
  const name = untilOf(run.plan.steps.get(step))?.scorer ?? ""
  const { openedSeq = 0, rounds } = run.steps[step] ?? {}
  const pin = run.pins?.scorers?.[name]
  return {
    flow: run.flow,
    step,
    opened: openedSeq,
    offered: rounds?.offered?.seq ?? 0,
    ...defined({ scorer: run.plan.scorers?.[name], code: pin?.code }),
  }
}
