// Sends a decision, once: while it is under way no second one leaves, and one that comes too late says who was first.

import { useRef, useState } from "react"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import type { AnswerInput } from "../../../src/api/interactions.ts"
import { Interactions } from "../../../src/client/interactions.ts"
import { SluiceError } from "../../../src/client/sluice-error.ts"
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
    const interactions = new Interactions(api.transport)
    const sent =
      ask.run === null
        ? interactions.answerQuestion(ask.id, answer)
        : interactions.answer(ask.run, ask.id, answer).then((view) => ({ ...view, flow: ask.flow }))
    sent
      .then((decided) => onDecided(decided, true))
      .catch((error: unknown) => {
        const first = error instanceof SluiceError && error.code === "already_answered" ? askedIn(error, ask) : undefined
        if (first && first.status !== "pending") onDecided(first, false)
        else setFault(everyFault(error))
      })
      .finally(() => {
        isBusy.current = false
        setSending(false)
      })
  }
  return { isSending, fault, send, refuse: setFault }
}

/** The interaction as the server's refusal shows it. */
function askedIn({ problem }: SluiceError, ask: Asked): Asked | undefined {
  const found = problem["interaction"]
  if (typeof found !== "object" || found === null || !("status" in found)) return undefined
  return { ...ask, ...found } as Asked
}
