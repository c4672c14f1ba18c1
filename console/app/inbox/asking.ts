// What a question is called on the page.

import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import { isApproval } from "../../../src/core/run/question/question.ts"
import type { IconName } from "../shell/icons.tsx"
import { text } from "../../../web/chat/ui-message.ts"
import { visible } from "../../../web/chat/wording.ts"

const KINDS: Readonly<Record<Asked["kind"], { readonly word: string; readonly icon: IconName }>> = {
  "approval.tool": { word: "Approval", icon: "asks" },
  "approval.plan": { word: "Approval of a plan", icon: "asks" },
  ask_user: { word: "Question", icon: "help" },
  fork: { word: "Question", icon: "help" },
  budget: { word: "Budget", icon: "coin" },
  effects: { word: "Effects to commit", icon: "waiting" },
  elicitation: { word: "Question of a tool", icon: "help" },
}

export const kindOf = ({ kind }: Pick<Asked, "kind">): { readonly word: string; readonly icon: IconName } => KINDS[kind]

export const toolOf = ({ payload }: Pick<Asked, "payload">): string => visible(text(payload["tool"]) ?? text(payload["plan"]) ?? "a tool")

export function titleOf(ask: Asked): string {
  const question = visible(text(ask.payload["question"]) ?? "")
  if (isApproval(ask)) return toolOf(ask)
  if (ask.kind === "budget") return ask.payload["scope"] === "tenant" ? "The budget of the day is used" : "Budget used: raise or stop"
  if (ask.kind === "effects") return `${kept(ask)} to commit`
  return question === "" ? "The run asks something" : question
}

const kept = ({ payload }: Asked): number => (Array.isArray(payload["effects"]) ? payload["effects"].length : 0)

export const placeOf = (ask: Asked): string => (ask.run === null ? "asked outside a run" : `${ask.flow}, ${visible(ask.step)}`)

/** The parts of its address behind /console/inbox. */
export const partsOf = (ask: Asked): readonly string[] => (ask.run === null ? ["asked", ask.id] : [ask.run, ask.id])

/** What was decided, for a list: `Approved send_mail`, `Answered: Ireland`. */
export function saidAs(ask: Asked): { readonly said: string; readonly isNo: boolean } {
  const { answer = {}, status } = ask
  if (status === "expired") return { said: `Nobody decided in time: ${titleOf(ask)}`, isNo: true }
  if (status === "withdrawn") return { said: `No longer asked: ${titleOf(ask)}`, isNo: true }
  if (answer["cancelled"] === true) return { said: `Declined: ${titleOf(ask)}`, isNo: true }
  if (answer["decision"] === "reject") return { said: `Rejected ${titleOf(ask)}`, isNo: true }
  if (answer["decision"] === "edit") return { said: `Approved an edited ${titleOf(ask)}`, isNo: false }
  if (answer["decision"] === "approve") return { said: `Approved ${titleOf(ask)}`, isNo: false }
  if (answer["auto"] === true) return { said: `The agent chooses: ${titleOf(ask)}`, isNo: false }
  const given = answer["custom"] ?? answer["answer"]
  if (ask.kind === "budget")
    return given === "stop" ? { said: "Stopped for its budget", isNo: true } : { said: "Raised the budget", isNo: false }
  if (typeof given === "boolean") return { said: `Answered: ${given ? "Yes" : "No"}`, isNo: false }
  const words = Array.isArray(given) ? given.map((one) => visible(one)).join(", ") : visible(given ?? "")
  return { said: `Answered: ${words}`, isNo: false }
}
