// Finds finishes of a rehearsal that the guard refuses [G5]: the pass then ends with a finish that nobody wrote.

import type { Agent } from "../flow/agent.ts"
import type { Step } from "../flow/flow.ts"
import { judgeFinish } from "../run/session/finish.ts"
import type { Path } from "../flow/parse/source.ts"
import type { JsonObject } from "../json.ts"

/** The agent that finishes a step; undefined: none, or an unknown one. */
export type Finisher = (step: string) => { readonly agent: Agent; readonly step: Step } | undefined

export function refusedFinishes(
  turns: readonly { readonly finish?: JsonObject }[],
  path: Path,
  finisher: ReturnType<Finisher>,
): readonly { readonly path: Path; readonly message: string }[] {
  if (finisher === undefined) return []
  return turns.flatMap(({ finish }, i) => {
    const judged = finish === undefined ? undefined : judgeFinish(finisher.agent, finisher.step, { args: finish })
    if (judged === undefined || judged.ok) return []
    const why = judged.error.map(({ path: at, message }) => (at === "" ? message : `${at.slice(1)}: ${message}`)).join("; ")
    return [{ path: [...path, i, "finish"], message: `this finish is refused: ${why}` }]
  })
}

export const INSTEAD = "what is missing; otherwise the step goes on with its next turn, or ends with a made-up finish"
