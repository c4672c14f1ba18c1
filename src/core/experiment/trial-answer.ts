// Answers a trial's question in a person's place [V35]: as the recording did, or as its row says. An approval for a call that would only be kept is
// given. Whatever else needs a person stops the trial.

import { defined } from "../defined.ts"
import type { JsonObject } from "../json.ts"
import type { Answer } from "../run/signal.ts"
import type { InteractionView } from "../run/views/view.ts"
import type { RecordedAnswers } from "./recorded-answers.ts"

export interface AskedTrial {
  readonly question: InteractionView
  /** STEP, or FLOW/STEP of a child. */
  readonly place: string
  /** The questions of the same run before it. */
  readonly before: readonly Pick<InteractionView, "step" | "kind">[]
  /** Places whose questions the row has answered. */
  readonly answered: readonly string[]
}

interface Sources {
  /** Absent: its row has no run, or that one never started such a run below. */
  readonly recorded?: RecordedAnswers | undefined
  /** The row's. */
  readonly answers: readonly JsonObject[]
  /** Whether the call of an approval would only be kept. */
  readonly isKept: (tool: string, args: JsonObject) => boolean
}

export type TrialReply = { readonly answer: Answer; readonly isOfRow?: true } | { readonly stop: string }

export function trialAnswer({ question, place, before, answered }: AskedTrial, { recorded, answers, isKept }: Sources): TrialReply {
  const { kind, step, payload } = question
  if (kind === "approval.tool") {
    const { tool, args } = payload
    if (typeof tool === "string" && isKept(tool, (args ?? {}) as JsonObject)) return { answer: { decision: "approve" } as Answer }
  }
  const earlier = before.filter((one) => one.step === step && one.kind === kind).length
  const said = recorded?.answer(step, kind, earlier)
  if (said) {
    const { answer, notes, custom, auto, cancelled, decision, args, feedback } = said
    return { answer: defined({ answer, notes, custom, auto, cancelled, decision, args, feedback }) as Answer }
  }
  const own = answerOfRow(answers, answered, place)
  return own ? { answer: own as Answer, isOfRow: true } : { stop: `${place} asked a person: ${kind}` }
}

/** Each answer once: those of a step first, then those that say no step. */
function answerOfRow(answers: readonly JsonObject[], answered: readonly string[], place: string): JsonObject | undefined {
  const left = [...answers]
  const take = (of: string): JsonObject | undefined => {
    const own = left.findIndex(({ step }) => step === of)
    const at = own >= 0 ? own : left.findIndex(({ step }) => step === undefined)
    return at < 0 ? undefined : left.splice(at, 1)[0]
  }
  for (const of of answered) take(of)
  const found = take(place)
  if (!found) return undefined
  const { step: _step, ...body } = found
  return body
}
