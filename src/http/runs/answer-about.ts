// Tells a person what to know before answering by a link [Q3]: which flow asks, for what task, what the tool does, why a person is asked,
// and until when.

import type { InteractionView } from "../../core/run/views/view.ts"
import { shown } from "./page-text.ts"

export interface AnswerContext {
  readonly flow?: string
  readonly task?: string
  /** What the tool of an approval does. */
  readonly does?: string
}

const MAX_ABOUT = 2_000 // limit: characters of a task or a description on the page of a link → its end is left out

const REASONS: Readonly<Record<string, string>> = {
  policy: "Calls of this tool need an approval.",
  hook: "A hook of the policy asks a person before this call.",
  autonomy: "At this level of autonomy, calls that change something need an approval.",
  tainted: "The agent has read text from outside, which may have made it call this. Look closely.",
}
const EFFECTS: Readonly<Record<string, string>> = {
  none: "nothing outside",
  read: "reads, and changes nothing",
  write: "changes something",
}

export function aboutOf({ kind, payload, expires, default: assumed }: InteractionView, { flow, task, does }: AnswerContext): string {
  const { reason, effect } = payload
  const isCall = kind === "approval.tool" || kind === "approval.plan"
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Flow", flow],
    ["Task", task],
    ["Effect", isCall && typeof effect === "string" ? (EFFECTS[effect] ?? effect) : undefined],
    ["What it does", isCall ? does : undefined],
    ["Why you", isCall && typeof reason === "string" ? (REASONS[reason] ?? reason) : undefined],
    ["Until", expires === undefined ? undefined : `${expires}${assumed === undefined ? "" : `; then: ${JSON.stringify(assumed)}`}`],
  ]
  const known = rows.flatMap(([name, text]) => (text === undefined || text === "" ? [] : [`<dt>${name}</dt><dd>${shown(cut(text))}</dd>`]))
  return known.length === 0 ? "" : `<dl>${known.join("")}</dl>`
}

const cut = (text: string): string => (text.length <= MAX_ABOUT ? text : `${text.slice(0, MAX_ABOUT)}…`)
