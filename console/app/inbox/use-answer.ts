// Sends a decision, once: while it is under way no second one leaves, and one that comes too late says who was first.

import { useRef, useState } from "react"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import type { AnswerInput } from "../../../src/api/run/interactions.ts"
import { Interactions } from "../../../src/client/interactions.ts"
import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { everyFault } from "../parts/fault.ts"
import type { Api } from "../shell/session.ts"

export interface Answering {
  readonly isSending: boolean
  readonly fault: string | undefined
  send(answer: AnswerInput): void
  /** Says why nothing was sent. */
  refuse(why: string): void
}

export function useAnswer(api: Api, ask: Asked, onDecided: (decided: Asked, isMine: boolean) => void): Answering {
  const [fault, setFault] = useState<string>()
  const [isSending, setSending] = useState(false)
  const isBusy = useRef(false)
  const send = (answer: AnswerInput): void => {
    if (isBusy.current) return
    isBusy.current = true
    setSending(true)
    setFault(undefined)
    answerAsk(api, ask, answer)
      .then((decided) => onDecided(decided, true))
      .catch((error: unknown) => {
        const first = firstDecision(error, ask)
        if (first) onDecided(first, false)
        else setFault(everyFault(error))
      })
      .finally(() => {
        isBusy.current = false
        setSending(false)
      })
  }
  return { isSending, fault, send, refuse: setFault }
}

export async function answerAsk(api: Api, ask: Asked, answer: AnswerInput): Promise<Asked> {
  const interactions = new Interactions(api.transport)
  if (ask.run === null) return interactions.answerQuestion(ask.id, answer)
  return { ...ask, ...(await interactions.answer(ask.run, ask.id, answer)) }
}

/** The decision of whoever was first, as the server's refusal shows it; undefined: it was refused for something else. */
export function firstDecision(error: unknown, ask: Asked): Asked | undefined {
  if (!(error instanceof SluiceError) || error.code !== "already_answered") return undefined
  const found = error.problem["interaction"]
  if (typeof found !== "object" || found === null || !("status" in found) || found.status === "pending") return undefined
  return { ...ask, ...found } as Asked
}
