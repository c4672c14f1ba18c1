// A question of a run as an AG-UI interrupt, and an entry of `resume` as its answer [P20].

import { defined } from "../../defined.ts"
import { isObject, type Json, type JsonObject } from "../../json.ts"
import { isoTime } from "../../text/iso-time.ts"
import { checkAnswer } from "../session/interaction.ts"
import type { Answer } from "../signal.ts"
import { questionText, type Asked } from "./person-text.ts"

export interface Resume {
  readonly interruptId: string
  readonly status: "resolved" | "cancelled"
  readonly payload?: Json | undefined
}

interface Question extends Asked {
  readonly step: string
  readonly expires?: number | undefined
}

/** `id`: that of the interaction outside. */
export function interruptOf(asked: Question, id: string, toolCallId: string | undefined): JsonObject {
  const { kind, step, payload, expires } = asked
  const isApproval = kind.startsWith("approval")
  return {
    id,
    reason: isApproval ? "tool_call" : kind === "budget" ? "sluice:budget" : "input_required",
    message: questionText(asked),
    ...(isApproval && toolCallId !== undefined ? { toolCallId } : {}),
    responseSchema: isApproval ? APPROVAL : answerSchema(asked.schema),
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

/** undefined: it does not answer the question. */
export function answerOf(asked: Asked, { status, payload }: Resume): Answer | undefined {
  const tried = status === "cancelled" ? canceled(asked) : asked.kind.startsWith("approval") ? decisions(asked, payload) : said(payload)
  return tried.find((answer) => checkAnswer(asked, answer).ok)
}

/** [P20] Rejects an approval, stops a budget, cancels a question. A question that cannot be canceled commits to nothing. */
const canceled = ({ kind }: Asked): Answer[] =>
  kind.startsWith("approval")
    ? [{ decision: "reject" }]
    : kind === "budget"
      ? [{ answer: "stop" }]
      : [{ cancelled: true }, { answer: "cancel" }, { answer: { commit: [] } }]

function decisions({ payload }: Asked, said: Json | undefined): Answer[] {
  if (!isObject(said) || typeof said["approved"] !== "boolean") return []
  const { approved, editedArgs, reason } = said as JsonObject
  if (reason !== undefined && reason !== null && typeof reason !== "string") return []
  const words = typeof reason === "string" && reason !== "" ? { feedback: reason } : {}
  if (approved === false) return [{ decision: "reject", ...words }]
  // [Q3] What is approved is the call that was shown.
  const hash = typeof payload["hash"] === "string" ? { hash: payload["hash"] } : {}
  if (editedArgs === undefined || editedArgs === null) return [{ decision: "approve", ...hash, ...words }]
  return isObject(editedArgs) ? [{ decision: "edit", args: editedArgs as JsonObject, ...hash, ...words }] : []
}

const said = (payload: Json | undefined): Answer[] => [
  ...(isObject(payload) ? [payload as Answer] : []),
  ...(payload === undefined ? [] : [{ answer: payload }]),
]
