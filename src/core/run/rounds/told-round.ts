// Tells the step where a round begins why there is one [V24]: the round, the last result, its score and the reason.

import { untilOf } from "../../flow/flow.ts"
import { references } from "../../flow/template.ts"
import type { Apart } from "../session/told.ts"
import type { Offered, Rounds, Run } from "../state.ts"

/** The value of `${{until.STEP.FIELD}}`: empty in round 1. */
export function toldOfRound(rounds: Rounds | undefined, field: "round" | "score" | "reason"): string {
  const last = rounds?.scored.at(-1)
  if (!rounds || !last) return ""
  if (field === "round") return rounds.round > 1 ? String(rounds.round) : ""
  return field === "score" ? String(last.score ?? "") : (last.reason ?? "")
}

export interface ToldRound {
  /** The steps whose last round is told. */
  readonly judged: readonly string[]
  readonly apart: readonly Apart[]
}

/** What follows the message of a step that begins rounds. `own`: its task and its agent's body, which may say it themselves. */
export function roundTold(run: Run, id: string, own: readonly string[]): ToldRound {
  const judged: string[] = []
  const apart: Apart[] = []
  for (const step of run.plan.judged) {
    const until = untilOf(run.plan.steps.get(step))
    const { rounds } = run.steps[step] ?? {}
    const score = rounds?.scored.at(-1)
    if (!until || !rounds?.last || !score || rounds.round < 2 || (until.from ?? step) !== id) continue
    if (own.some((text) => references(text, run.plan.stepIds).some(({ ref }) => ref?.root === "until" && ref.step === step))) continue
    const { last } = rounds
    const said = (name: string, text: string): Apart => ({ name, text, ...(last.tainted ? {} : { own: true }) })
    judged.push(step)
    apart.push(
      { name: "Round", text: `${rounds.round} of at most ${until.rounds}: the last result was not good enough`, own: true },
      said("Last result", resultText(last)),
      { name: "Score", text: `${score.score ?? 0}, and at least ${until.at_least} is needed`, own: true },
      ...(score.reason === undefined ? [] : [said("Reason", score.reason)]),
    )
  }
  return { judged, apart }
}

const resultText = ({ summary, outputs }: Offered): string =>
  Object.keys(outputs).length === 0 ? summary : `${summary}\n${JSON.stringify(outputs)}`
