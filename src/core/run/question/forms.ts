// Lists the forms of an answer, and the verb of each form [Q2].

import { isObject, type Json, type JsonObject } from "../../json.ts"
import type { InteractionKind } from "../event-parts.ts"

export interface QuestionSource {
  readonly kind: InteractionKind
  readonly payload: JsonObject
  /** Of the answer's body; absent: what the payload says of it, because a chat has nothing else. */
  readonly schema?: JsonObject | undefined
  /** The answer that is assumed when nobody answers. */
  readonly default?: Json | undefined
}

/** `fill`: fill in the form of a tool's server. `commit`: carry out the chosen kept calls; `all` or `none` of them. */
export type Verb = Replying | Deciding | "stop" | "raise" | "commit" | "all" | "none"
type Replying = "answer" | "custom" | "auto" | "fill" | "cancel"
type Deciding = "approve" | "reject" | "edit"

/** The members of each form that the body may have. */
export function formsOf(asked: QuestionSource): JsonObject[] {
  const { schema = {} } = asked
  const forms = (Array.isArray(schema["oneOf"]) ? schema["oneOf"] : [schema]).map((form) => inside(form)["properties"])
  const known = forms.filter((form): form is JsonObject => isObject(form) && Object.keys(form).length > 0)
  return known.length > 0 ? known : payloadForms(asked)
}

function payloadForms({ kind, payload }: QuestionSource): JsonObject[] {
  const decisions = (...words: readonly string[]): JsonObject[] => words.map((word) => ({ decision: { const: word } }))
  switch (kind) {
    case "approval.tool":
    case "approval.plan":
      return [...decisions("approve", "reject", "edit"), { cancelled: {} }]
    case "budget": {
      const limits = inside(payload["limit"])
      const canRaise = payload["scope"] !== "tenant" && Object.keys(limits).length > 0
      return [{ answer: { const: "stop" } }, ...(canRaise ? [{ answer: { properties: { raise: { properties: limits } } } }] : [])]
    }
    case "effects":
      return [{ answer: {} }]
    case "elicitation":
      return [...(payload["mode"] === "form" ? [{ answer: {} }] : decisions("approve")), ...decisions("reject"), { cancelled: {} }]
    // A page may be older than a kind.
    case "ask_user":
    case "fork":
    default: {
      const options = listOf(payload["options"]).map(labelIn)
      const isMany = payload["multiSelect"] === true
      const choice: JsonObject =
        options.length === 0 ? { type: "string" } : isMany ? { type: "array", items: { enum: options } } : { enum: options }
      const hasAuto = kind === "ask_user" || payload["allowAuto"] === true
      return [
        { answer: payload["type"] === "confirm" ? { type: "boolean" } : choice, notes: {} },
        ...(payload["allowCustom"] === true && options.length > 0 && hasAuto ? [{ custom: {} }] : []),
        ...(hasAuto ? [{ auto: {} }] : []),
        { cancelled: {} },
      ]
    }
  }
}

/** Tells whether the verb fills this form. */
export function hasVerb(form: JsonObject, verb: Verb): boolean {
  switch (verb) {
    case "approve":
    case "reject":
    case "edit":
      return inside(form["decision"])["const"] === verb
    case "stop":
      return inside(form["answer"])["const"] === verb
    case "raise":
      return Object.hasOwn(inside(inside(form["answer"])["properties"]), verb)
    case "cancel":
      return Object.hasOwn(form, "cancelled")
    case "custom":
    case "auto":
      return Object.hasOwn(form, verb)
    default:
      return Object.hasOwn(form, "answer")
  }
}

export const inside = (value: unknown): JsonObject => (isObject(value) ? (value as JsonObject) : {})
export const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : [])
export const labelIn = (option: Json): string => textOf(isObject(option) ? option["label"] : option)
export const textOf = (value: unknown): string => (typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value))
