// Answers asks that are alike: each gets its own answer, about its own call, and each row says what became of it. Somebody else may have been first.

import { useRef, useState } from "react"
import type { Asked } from "../../../../src/api/doc/run/interactions.doc.ts"
import type { AnswerInput } from "../../../../src/api/run/interactions.ts"
import { nameOf } from "../../../../web/inbox/ask.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { everyFault } from "../../parts/fault.ts"
import type { Api } from "../../shell/session.ts"
import { saidAs } from "../asking.ts"
import { answerAsk, firstDecision } from "../use-answer.ts"

/** At once: a server has other work too. */
const AT_ONCE = 4

/** `lost`: somebody else was first. */
export type AlikeResult =
  | { readonly is: "sending" }
  | { readonly is: "done"; readonly words: string }
  | { readonly is: "lost"; readonly words: string }
  | { readonly is: "failed"; readonly words: string }

export interface Alike {
  /** By the name of the ask. */
  readonly results: Readonly<Record<string, AlikeResult>>
  readonly isSending: boolean
  send(asks: readonly Asked[], answerOf: (ask: Asked) => AnswerInput): void
}

export function useAlike(api: Api, onDecided: (decided: Asked, isMine: boolean) => void): Alike {
  const [results, setResults] = useState<Alike["results"]>({})
  const [isSending, setSending] = useState(false)
  const isBusy = useRef(false)
  const say = (ask: Asked, result: AlikeResult): void => setResults((before) => ({ ...before, [nameOf(ask)]: result }))
  const one = async (ask: Asked, answer: AnswerInput): Promise<void> => {
    say(ask, { is: "sending" })
    try {
      const decided = await answerAsk(api, ask, answer)
      say(ask, { is: "done", words: saidAs(decided).said })
      onDecided(decided, true)
    } catch (error) {
      const first = firstDecision(error, ask)
      if (first === undefined) return say(ask, { is: "failed", words: everyFault(error) })
      say(ask, { is: "lost", words: `${first.by === undefined ? "Somebody" : visible(first.by)} was first: ${saidAs(first).said}` })
      onDecided(first, false)
    }
  }
  const send: Alike["send"] = (asks, answerOf) => {
    if (isBusy.current) return
    isBusy.current = true
    setSending(true)
    const open = [...asks]
    const work = async (): Promise<void> => {
      for (let ask = open.shift(); ask !== undefined; ask = open.shift()) await one(ask, answerOf(ask))
    }
    void Promise.all(Array.from({ length: AT_ONCE }, work)).finally(() => {
      isBusy.current = false
      setSending(false)
    })
  }
  return { results, isSending, send }
}
