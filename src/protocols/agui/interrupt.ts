// Converts a run's question to an AG-UI interrupt, and an entry of `resume` to its answer [P20].

import { defined } from "../../core/defined.ts"
import { isObject, type Json, type JsonObject } from "../../core/json.ts"
import { isoTime } from "../../core/text/iso-time.ts"
import { checkAnswer } from "../../core/run/session/ask/interaction.ts"
import type { Answer } from "../../core/run/signal.ts"
import { answerTo } from "../../core/run/question/answer.ts"
import { isApproval, question } from "../../core/run/question/question.ts"
import { questionText, type AskedPerson } from "../../core/run/protocol/person-text.ts"

export interface Resume {
  readonly interruptId: string
  readonly status: "resolved" | "cancelled"
  readonly payload?: Json | undefined
}

interface Question extends AskedPerson {
  readonly step: string
  readonly expires?: number | undefined
}

/** `id`: the interaction's id for the client. */
export function interruptOf(asked: Question, id: string, toolCallId: string | undefined): JsonObject {
  const { kind, step, payload, expires } = asked
  const isCall = isApproval(asked)
  return {
    id,
    reason: isCall ? "tool_call" : kind === "budget" ? "sluice:budget" : "input_required",
    message: questionText(asked),
    ...(isCall && toolCallId !== undefined ? { toolCallId } : {}),
    responseSchema: isCall ? APPROVAL : answerSchema(asked.schema),
    ...defined({ expiresAt: isoTime(expires) }),
    metadata: { sluice: { kind, step, payload } },
  }
}

const APPROVAL: JsonObject = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    editedArgs: { type: "object", description: "Replaces the call's arguments as a whole." },
    reason: { type: "string", maxLength: 65_536 },
  },
  required: ["approved"],
}

/** The body of Q2, or what its member `answer` is. */
function answerSchema(schema: JsonObject): JsonObject {
  const forms = (Array.isArray(schema["oneOf"]) ? schema["oneOf"] : [schema]).filter((form) => isObject(form))
  const bare = forms.flatMap((form) =>
    isObject(form["properties"]) && isObject(form["properties"]["answer"]) ? [form["properties"]["answer"]] : [],
  )
  return { anyOf: [...bare, ...forms] as Json[] }
}

/** The answer in an entry of `resume`; undefined: it does not fit the question. */
export function answerOf(asked: AskedPerson, { status, payload }: Resume): Answer | undefined {
  const tried = status === "cancelled" ? canceled(asked) : isApproval(asked) ? decisions(asked, payload) : said(payload)
  return tried.find((answer) => checkAnswer(asked, answer).ok)
}

/** [P20] Rejects an approval, stops a budget, cancels a question. A question that cannot be canceled commits to nothing. */
function canceled(asked: AskedPerson): Answer[] {
  const { stop, cancel } = question(asked).ways
  return [answerTo(asked, isApproval(asked) ? "reject" : stop ? "stop" : cancel ? "cancel" : "none").body]
}

function decisions(asked: AskedPerson, said: Json | undefined): Answer[] {
  if (!isObject(said) || typeof said["approved"] !== "boolean") return []
  const { approved, editedArgs, reason } = said as JsonObject
  if (reason !== undefined && reason !== null && typeof reason !== "string") return []
  if (approved === false) return [answerTo(asked, "reject", { feedback: reason ?? "" }).body]
  if (editedArgs === undefined || editedArgs === null) return [answerTo(asked, "approve", { feedback: reason ?? "" }).body]
  return isObject(editedArgs) ? [answerTo(asked, "edit", { args: editedArgs, feedback: reason ?? "" }).body] : []
}

const said = (payload: Json | undefined): Answer[] => [
  ...(isObject(payload) ? [payload as Answer] : []),
  ...(payload === undefined ? [] : [{ answer: payload }]),
]
