// Tracks the questions that a call's server asked [T27]: how often it asked, the answers it got, and whether the call must begin again.

import { isObject, type Json, type JsonObject } from "../../../json.ts"
import { elicitReply, type AnsweredQuestion, type Elicitation, type ServerQuestion } from "../../../tool/elicitation.ts"
import type { Interaction, OpenCall, Run } from "../../state.ts"

/** Tells whether a call that was stopped for a question must begin again. It was not lost. `key`: the call's key. */
export const beginsAnew = (run: Run, open: OpenCall, key: string): boolean =>
  open.args === undefined || (open.elicited !== undefined && open.asked === undefined && !Object.hasOwn(run.begun, key))

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "")

export const roundsOf = (run: Run, open: OpenCall): number =>
  (open.elicited ?? []).reduce((most, id) => Math.max(most, roundOf(run.interactions[id])), 0)

const roundOf = (i: Interaction | undefined): number => {
  const round = i?.payload["round"]
  return typeof round === "number" ? round : 0
}

/** The server's question in this payload. */
export function questionIn({ key, question, mode, form, url }: JsonObject): ServerQuestion {
  const message = textOf(question)
  const asked: Elicitation =
    mode === "url" ? { mode, message, url: textOf(url) } : { mode: "form", message, requested: isObject(form) ? (form as JsonObject) : {} }
  return { key: textOf(key), asked }
}

/** The answers that the server has so far, for the repeated call. */
export function answersFor(run: Run, open: OpenCall): AnsweredQuestion[] {
  return (open.elicited ?? []).flatMap((id): AnsweredQuestion[] => {
    const i = run.interactions[id]
    if (!i) return []
    const reply = elicitReply(i.status === "answered" ? i.answer : undefined)
    return [{ ...questionIn(i.payload), round: roundOf(i), reply }]
  })
}
