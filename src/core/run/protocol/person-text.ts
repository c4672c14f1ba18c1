// Writes a run's question as text, and reads text as its answer [P6], for clients that have only text. If a text is not clearly an answer,
// the run asks again.

import type { Json, JsonObject } from "../../json.ts"
import { answerTo } from "../question/answer.ts"
import type { QuestionField } from "../question/fields.ts"
import { isApproval, question } from "../question/question.ts"
import { checkAnswer } from "../session/ask/interaction.ts"
import type { InteractionKind } from "../event-parts.ts"
import type { Answer } from "../signal.ts"
import { setOutValue } from "../../outside/set-out.ts"

export interface AskedPerson {
  readonly kind: InteractionKind
  readonly payload: JsonObject
  readonly schema: JsonObject
}

const SHOWN_ARGS = 4_000

/** The question with its numbered options, or with the other possible answers. */
export function questionText(asked: AskedPerson): string {
  const { kind, payload } = asked
  if (isApproval(asked)) {
    const { tool, args, plan, body, declare } = payload
    const what = kind === "approval.plan" ? { plan, body } : args
    const name = typeof tool === "string" ? tool : "a tool"
    const why = typeof declare === "string" ? `\n\n${declare}` : ""
    return `May ${name} be called?\n\n${cut(setOutValue(what))}${why}\n\nSay "approve", or "reject: REASON".`
  }
  if (kind === "effects") {
    return `The run is done. May its held calls be carried out?\n\n${cut(numbered(keptIn(asked)))}\n\nSay "all", "none", or their numbers separated by commas.`
  }
  const words = [payload["question"], payload["message"]].find((text) => typeof text === "string") ?? "The run asks for a decision."
  const { kind: takes, options } = fieldOf(asked) ?? {}
  if (takes === "yes-no") return `${words}\n\nSay "yes" or "no".`
  if (options === undefined || options.length === 0) return words
  return `${words}\n\n${numbered(options)}${takes === "choices" ? "\n\nSeveral may be chosen, with commas between." : ""}`
}

const numbered = (options: QuestionField["options"]): string => options.map(({ label }, i) => `${i + 1}. ${label}`).join("\n")

/** undefined: the text is not an answer. */
export function answerOfText(asked: AskedPerson, text: string): Answer | undefined {
  const said = text.trim()
  const answer = isApproval(asked) ? decisionOf(asked, said) : asked.kind === "effects" ? commitOf(asked, said) : choiceOf(asked, said)
  return answer !== undefined && checkAnswer(asked, answer).ok ? answer : undefined
}

function decisionOf(asked: AskedPerson, text: string): Answer | undefined {
  if (/^approve$/i.test(text)) return answerTo(asked, "approve").body
  const said = /^reject(?:\s*:\s*([\s\S]+))?$/i.exec(text)
  return said ? answerTo(asked, "reject", { feedback: said[1] }).body : undefined
}

/** [K32] */
function commitOf(asked: AskedPerson, text: string): Answer | undefined {
  if (/^all$/i.test(text)) return answerTo(asked, "all").body
  if (/^none$/i.test(text)) return answerTo(asked, "none").body
  if (!/^\d{1,4}(?:\s*,\s*\d{1,4})*$/.test(text)) return undefined
  const kept = keptIn(asked)
  const keys = text.split(",").map((part) => kept[Number(part) - 1]?.value)
  return keys.includes(undefined) ? undefined : answerTo(asked, "commit", { commit: [...new Set(keys)] }).body
}

const keptIn = (asked: AskedPerson): QuestionField["options"] => question(asked).ways.commit?.fields[0]?.options ?? []

function choiceOf(asked: AskedPerson, text: string): Answer | undefined {
  const { kind, options = [] } = fieldOf(asked) ?? {}
  if (text === "") return undefined
  if (kind === "yes-no") return /^(?:yes|no)$/i.test(text) ? { answer: /^yes$/i.test(text) } : undefined
  if (kind === "text") return { answer: text }
  const one = optionOf(options, text)
  if (one !== undefined) return { answer: kind === "choices" ? [one] : one }
  const several = kind === "choices" ? text.split(",").map((part) => optionOf(options, part.trim())) : []
  const found = several.filter((option) => option !== undefined)
  if (found.length > 0 && found.length === several.length) return { answer: [...new Set(found)] }
  return question(asked).ways.custom ? { custom: text } : undefined
}

function optionOf(options: QuestionField["options"], text: string): Json | undefined {
  const same = options.find(({ label }) => label.toLowerCase() === text.toLowerCase())
  return same?.value ?? (/^\d{1,4}$/.test(text) ? options[Number(text) - 1]?.value : undefined)
}

/** What the member `answer` of the body may be. */
function fieldOf(asked: AskedPerson): Pick<QuestionField, "kind" | "options"> | undefined {
  const { answer, stop } = question(asked).ways
  // A limit is raised with a whole body.
  return stop ? { kind: "choice", options: [{ value: "stop", label: "stop" }] } : answer?.fields[0]
}

const cut = (text: string): string => (text.length > SHOWN_ARGS ? `${text.slice(0, SHOWN_ARGS)}…` : text)
