// Describes a run's question for display [Q1, Q2]: why a person is asked, the ways to answer, and the fields of each way. Screens, pages
// and protocols display it differently, but only this folder has the rules of a question. Browsers load these files, so they check no
// schema: the server checks every answer.

import type { AskReason } from "../../tool/policy/policy.ts"
import type { Effect } from "../../tool/tool-spec.ts"
import type { InteractionKind } from "../event-parts.ts"
import { fieldsOf, type QuestionField } from "./fields.ts"
import { formsOf, hasVerb, type QuestionSource, type Verb } from "./forms.ts"

export interface Way {
  readonly label: string
  readonly fields: readonly QuestionField[]
}

export interface QuestionModel {
  /** Of an approval: why a person is asked. */
  readonly why?: string
  readonly ways: Readonly<Partial<Record<Verb, Way>>>
}

const WHY: Readonly<Record<AskReason, string>> = {
  policy: "A rule of the agent, the flow, the tool or the policy requires approval before this tool runs.",
  hook: "A hook of the policy requires approval for this call.",
  autonomy: "In this flow, calls that change something need approval.",
  tainted: "The step has read text from outside, which may have caused this call. Look closely.",
}

export const whyAsked = (reason: unknown): string => WHY[reason as AskReason] ?? "This call needs approval."

/** Describes what a call does; follows the tool's name. */
export const EFFECT_WORDS: Readonly<Record<Effect, string>> = {
  none: "nothing outside",
  read: "reads, and changes nothing",
  write: "changes something",
}

const VERBS: Readonly<Record<InteractionKind, readonly Verb[]>> = {
  ask_user: ["answer", "custom", "auto", "cancel"],
  fork: ["answer", "custom", "auto", "cancel"],
  "approval.tool": ["approve", "reject", "edit", "cancel"],
  "approval.plan": ["approve", "reject", "edit", "cancel"],
  budget: ["stop", "raise"],
  effects: ["commit", "all", "none"],
  elicitation: ["fill", "approve", "reject", "cancel"],
}

const LABELS: Readonly<Record<Verb, string>> = {
  answer: "Answer",
  custom: "Answer that",
  auto: "Let the agent decide",
  fill: "Answer",
  approve: "Approve",
  reject: "Reject",
  edit: "Approve edited call",
  stop: "Stop the run",
  raise: "Raise the limit",
  commit: "Carry out",
  all: "Carry out all",
  none: "Discard all",
  cancel: "Decline to answer",
}
const OF_A_SERVER: Readonly<Partial<Record<Verb, string>>> = { approve: "I have done it", reject: "Refuse" }

export function question(asked: QuestionSource): QuestionModel {
  const { kind, payload } = asked
  const forms = formsOf(asked)
  const ways = (VERBS[kind] ?? VERBS.ask_user).flatMap((verb): [Verb, Way][] => {
    const form = forms.find((one) => hasVerb(one, verb))
    const label = (kind === "elicitation" ? OF_A_SERVER[verb] : undefined) ?? LABELS[verb]
    return form === undefined ? [] : [[verb, { label, fields: fieldsOf(asked, verb, form) }]]
  })
  return { ...(isApproval(asked) ? { why: whyAsked(payload["reason"]) } : {}), ways: Object.fromEntries(ways) }
}

export const isApproval = ({ kind }: Pick<QuestionSource, "kind">): boolean => kind === "approval.tool" || kind === "approval.plan"
