// Reads the answer in the result of a call that asked a person, from OpenAI's clients [P25, P28]: a text, which may be JSON.

import { isObject, type Json } from "../../core/json.ts"
import { exactJson } from "../../core/outside/exact-json.ts"
import { answerOfText } from "../../core/run/protocol/person-text.ts"
import { checkAnswer } from "../../core/run/session/ask/interaction.ts"
import type { Answer } from "../../core/run/signal.ts"
import type { InteractionView } from "../../core/run/views/view.ts"
import { AnswerBody } from "../../api/run/interactions.ts"

/** Accepts the whole body as JSON, a person's words, or only the answer as JSON. */
export function answerOfOutput(asked: InteractionView, text: string): Answer | undefined {
  const value = jsonOf(text)
  const whole = isObject(value) ? AnswerBody.safeParse(value) : undefined
  if (whole?.success === true && checkAnswer(asked, whole.data).ok) return whole.data
  const said = answerOfText(asked, text)
  if (said) return said
  return value !== undefined && checkAnswer(asked, { answer: value }).ok ? { answer: value } : undefined
}

function jsonOf(text: string): Json | undefined {
  try {
    return exactJson(text) as Json
  } catch {
    return undefined
  }
}
