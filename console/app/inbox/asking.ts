// What an ask looks like on the page, and what was decided about it.

import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import type { IconName } from "../shell/icons.tsx"
import { visible } from "../../../web/chat/wording.ts"
import { KINDS, titleOf } from "../../../web/inbox/ask.ts"

const ICONS: Readonly<Record<Asked["kind"], IconName>> = {
  "approval.tool": "asks",
  "approval.plan": "asks",
  ask_user: "help",
  fork: "help",
  budget: "coin",
  effects: "waiting",
  elicitation: "help",
}

export const kindOf = ({ kind }: Pick<Asked, "kind">): { readonly word: string; readonly icon: IconName } => ({
  word: KINDS[kind].word,
  icon: ICONS[kind],
})

/** The parts of its address behind /console/inbox. */
export const partsOf = (ask: Asked): readonly string[] => (ask.run === null ? ["asked", ask.id] : [ask.run, ask.id])

/** What was decided, for a list: `Approved send_mail`, `Answered: Ireland`. */
export function saidAs(ask: Asked): { readonly said: string; readonly isNo: boolean } {
  const { answer = {}, status } = ask
  if (status === "expired") return { said: `No decision in time: ${titleOf(ask)}`, isNo: true }
  if (status === "withdrawn") return { said: `No longer asked: ${titleOf(ask)}`, isNo: true }
  if (answer["cancelled"] === true) return { said: `Declined: ${titleOf(ask)}`, isNo: true }
  if (answer["decision"] === "reject") return { said: `Rejected ${titleOf(ask)}`, isNo: true }
  if (answer["decision"] === "edit") return { said: `Approved an edited ${titleOf(ask)}`, isNo: false }
  if (answer["decision"] === "approve") return { said: `Approved ${titleOf(ask)}`, isNo: false }
  if (answer["auto"] === true) return { said: `Left to the agent: ${titleOf(ask)}`, isNo: false }
  const given = answer["custom"] ?? answer["answer"]
  if (ask.kind === "budget")
    return given === "stop" ? { said: "Stopped for its budget", isNo: true } : { said: "Raised the budget", isNo: false }
  if (typeof given === "boolean") return { said: `Answered: ${given ? "Yes" : "No"}`, isNo: false }
  const words = Array.isArray(given) ? given.map((one) => visible(one)).join(", ") : visible(given ?? "")
  return { said: `Answered: ${words}`, isNo: false }
}

export const MAY_NOT_ANSWER = "Your key may not answer: it needs interactions:answer."
