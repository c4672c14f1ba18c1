// Tracks the questions that a call's server asked [T27]: how often it asked, what it was told, and whether the call is to begin.

import { isObject, type Json, type JsonObject } from "../../json.ts"
import { elicitReply, type AnsweredQuestion, type Elicitation, type ServerQuestion } from "../../tool/elicitation.ts"
import type { Interaction, OpenCall, Run } from "../state.ts"

/** A call that was given up to ask begins anew; it was not lost. `key`: its own. */
export const beginsAnew = (run: Run, open: OpenCall, key: string): boolean =>
  open.args === undefined || (open.elicited !== undefined && open.asked === undefined && !Object.hasOwn(run.begun, key))

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "")

export const roundsOf = (run: Run, open: OpenCall): number =>
  (open.elicited ?? []).reduce((most, id) => Math.max(most, roundOf(run.interactions[id])), 0)

const roundOf = (i: Interaction | undefined): number => {
  const round = i?.payload["round"]
  return typeof round === "number" ? round : 0
}

/** The question that this payload shows. */
export function questionIn({ key, question, mode, form, url }: JsonObject): ServerQuestion {
  const message = textOf(question)
  const asked: Elicitation =
    mode === "url" ? { mode, message, url: textOf(url) } : { mode: "form", message, requested: isObject(form) ? (form as JsonObject) : {} }
  return { key: textOf(key), asked }
}

/** What the server was told so far, for the call that is made again. */
export function answersFor(run: Run, open: OpenCall): AnsweredQuestion[] {
  return (open.elicited ?? []).flatMap((id): AnsweredQuestion[] => {
    const i = run.interactions[id]
    if (!i) return []
    const reply = elicitReply(i.status === "answered" ? i.answer : undefined)
    return [{ ...questionIn(i.payload), round: roundOf(i), reply }]
  })
}
