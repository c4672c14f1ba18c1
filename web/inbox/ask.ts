// Says what the inbox knows of an open ask.

import type { JsonObject } from "../../src/core/json.ts"
import type { InteractionKind } from "../../src/core/run/event-parts.ts"
import { text } from "../chat/ui-message.ts"
import { visible } from "../chat/wording.ts"

export interface OpenAsk {
  /** null: it is asked outside a run. */
  readonly run: string | null
  readonly id: string
  readonly kind: InteractionKind
  readonly flow?: string
  readonly step?: string
  readonly agent?: string
  readonly payload: JsonObject
  readonly created: string
  readonly expires?: string
  /** The beginning of its run's task. */
  readonly task?: string
  readonly tags?: readonly string[]
}

/** `family`: what its group is called. */
export const KINDS: Readonly<Record<InteractionKind, { readonly word: string; readonly family: string }>> = {
  "approval.tool": { word: "Approval", family: "approvals" },
  "approval.plan": { word: "Approval of a plan", family: "plans" },
  ask_user: { word: "Question", family: "questions" },
  fork: { word: "Question", family: "questions" },
  budget: { word: "Budget", family: "budgets" },
  effects: { word: "Effects to commit", family: "effects" },
  elicitation: { word: "Question of a tool", family: "questions of tools" },
}

export const nameOf = ({ run, id }: Pick<OpenAsk, "run" | "id">): string => `${run ?? ""} ${id}`

export const toolIn = ({ payload }: Pick<OpenAsk, "payload">): string => visible(text(payload["tool"]) ?? text(payload["plan"]) ?? "a tool")

/** What tells it from others of its group. */
export function titleOf(ask: OpenAsk): string {
  const question = visible(text(ask.payload["question"]) ?? "")
  if (ask.kind === "approval.tool" || ask.kind === "approval.plan") return toolIn(ask)
  if (ask.kind === "budget") return ask.payload["scope"] === "tenant" ? "The budget of the day is used" : "Budget used: raise or stop"
  if (ask.kind === "effects") return `${held(ask)} to commit`
  return question === "" ? "The run asks something" : question
}

const held = ({ payload }: OpenAsk): number => (Array.isArray(payload["effects"]) ? payload["effects"].length : 0)

/** The second line: the task's first line, or where it is asked. */
export function lineOf(ask: OpenAsk): string {
  const [first = ""] = (ask.task ?? "").trim().split("\n")
  if (first !== "") return visible(first)
  if (ask.run === null) return "asked outside a run"
  return `${ask.flow ?? ""}, ${visible(ask.step ?? "")}`
}
