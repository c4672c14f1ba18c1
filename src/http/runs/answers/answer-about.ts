// Shows the background of a question on the page of its link [Q3]: the flow, its task, the tool's description, the reason for asking, and
// the deadline.

import { EFFECT_WORDS, isApproval, question } from "../../../core/run/question/question.ts"
import type { InteractionView } from "../../../core/run/views/view.ts"
import type { Effect } from "../../../core/tool/tool-spec.ts"
import { shown } from "./page-text.ts"

export interface AnswerContext {
  readonly flow?: string
  readonly task?: string
  /** What the tool of an approval does. */
  readonly does?: string
}

const MAX_ABOUT = 2_000 // limit: characters of a task or a description on the page of a link → its end is left out

export function aboutOf(asked: InteractionView, { flow, task, does }: AnswerContext): string {
  const { payload, expires, default: assumed } = asked
  const { effect } = payload
  const isCall = isApproval(asked)
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Flow", flow],
    ["Task", task],
    ["Effect", isCall && typeof effect === "string" ? (EFFECT_WORDS[effect as Effect] ?? effect) : undefined],
    ["What it does", isCall ? does : undefined],
    ["Why you", question(asked).why],
    ["Until", expires === undefined ? undefined : `${expires}${assumed === undefined ? "" : `; then: ${JSON.stringify(assumed)}`}`],
  ]
  const known = rows.flatMap(([name, text]) => (text === undefined || text === "" ? [] : [`<dt>${name}</dt><dd>${shown(cut(text))}</dd>`]))
  return known.length === 0 ? "" : `<dl>${known.join("")}</dl>`
}

const cut = (text: string): string => (text.length <= MAX_ABOUT ? text : `${text.slice(0, MAX_ABOUT)}…`)
