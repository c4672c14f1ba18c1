// A question of a run as text, and a text as its answer [P6], for clients that have nothing but text. What is not clearly an answer is none:
// the run then asks again.

import { defined } from "../../defined.ts"
import { isObject, type Json, type JsonObject } from "../../json.ts"
import { checkAnswer } from "../session/interaction.ts"
import type { InteractionKind } from "../event-parts.ts"
import type { Answer } from "../signal.ts"
import { setOutValue } from "../../outside/set-out.ts"

export interface Asked {
  readonly kind: InteractionKind
  readonly payload: JsonObject
  readonly schema: JsonObject
}

const SHOWN_ARGS = 4_000

/** The question, with numbered options or what else may be said. */
export function questionText({ kind, payload, schema }: Asked): string {
  if (kind.startsWith("approval")) {
    const { tool, args, plan, body, declare } = payload
    const what = kind === "approval.plan" ? { plan, body } : args
    const name = typeof tool === "string" ? tool : "a tool"
    const why = typeof declare === "string" ? `\n\n${declare}` : ""
    return `May ${name} be called?\n\n${cut(setOutValue(what))}${why}\n\nSay "approve", or "reject: REASON".`
  }
  if (kind === "effects") {
    const list = Array.isArray(payload["effects"]) ? payload["effects"] : []
    const lines = list.map((one, i) => `${i + 1}. ${effectText(one)}`)
    return `The run is done. May its kept calls be carried out?\n\n${cut(lines.join("\n"))}\n\nSay "all", "none", or their numbers with commas between.`
  }
  const question = [payload["question"], payload["message"]].find((text) => typeof text === "string") ?? "The run asks for a decision."
  const choices = choicesOf(schema)
  if (choices.kind === "options") {
    const many = choices.many ? " Several may be chosen, with commas between." : ""
    return `${question}\n\n${choices.options.map((option, i) => `${i + 1}. ${labelOf(option)}`).join("\n")}${many && `\n\n${many.trim()}`}`
  }
  return choices.kind === "confirm" ? `${question}\n\nSay "yes" or "no".` : question
}

/** undefined: the text decides nothing. */
export function answerOfText(asked: Asked, text: string): Answer | undefined {
  const said = text.trim()
  const answer = asked.kind.startsWith("approval")
    ? decisionOf(asked, said)
    : asked.kind === "effects"
      ? commitOf(asked, said)
      : choiceOf(asked, said)
  return answer !== undefined && checkAnswer(asked, answer).ok ? answer : undefined
}

function decisionOf({ payload }: Asked, text: string): Answer | undefined {
  const { hash } = payload
  if (/^approve$/i.test(text)) return { decision: "approve", ...(typeof hash === "string" ? { hash } : {}) }
  const [, reason] = /^reject(?:\s*:\s*([\s\S]+))?$/i.exec(text) ?? [undefined, undefined]
  if (!/^reject(?:\s*:\s*[\s\S]+)?$/i.test(text)) return undefined
  return { decision: "reject", ...defined({ feedback: reason }) }
}

/** [K32] */
function commitOf({ payload }: Asked, text: string): Answer | undefined {
  if (/^all$/i.test(text)) return { answer: { commit: "all" } }
  if (/^none$/i.test(text)) return { answer: { commit: [] } }
  if (!/^\d{1,4}(?:\s*,\s*\d{1,4})*$/.test(text)) return undefined
  const list = Array.isArray(payload["effects"]) ? payload["effects"] : []
  const keys = text
    .split(",")
    .map((part) => list[Number(part) - 1])
    .map((one) => (isObject(one) ? one["key"] : undefined))
  return keys.every((key) => typeof key === "string") ? { answer: { commit: [...new Set(keys)] } } : undefined
}

function effectText(one: unknown): string {
  const { tool, args } = isObject(one) ? one : { tool: "", args: {} }
  return `${typeof tool === "string" ? tool : ""} ${JSON.stringify(args)}`
}

function choiceOf(asked: Asked, text: string): Answer | undefined {
  const choices = choicesOf(asked.schema)
  if (text === "") return undefined
  if (choices.kind === "confirm") {
    if (/^yes$/i.test(text)) return { answer: true }
    return /^no$/i.test(text) ? { answer: false } : undefined
  }
  if (choices.kind === "text") return { answer: text }
  if (choices.kind === "options") {
    const one = optionOf(choices.options, text)
    if (one !== undefined) return { answer: choices.many ? [one] : one }
    const several = choices.many ? text.split(",").map((part) => optionOf(choices.options, part.trim())) : []
    const found = several.filter((option) => option !== undefined)
    if (found.length > 0 && found.length === several.length) return { answer: [...new Set(found)] }
  }
  return takesCustom(asked.schema) ? { custom: text } : undefined
}

function optionOf(options: readonly Json[], text: string): Json | undefined {
  const same = options.find((option) => labelOf(option).toLowerCase() === text.toLowerCase())
  if (same !== undefined) return same
  return /^\d{1,4}$/.test(text) ? options[Number(text) - 1] : undefined
}

type Choices =
  | { readonly kind: "options"; readonly options: readonly Json[]; readonly many: boolean }
  | { readonly kind: "confirm" }
  | { readonly kind: "text" }
  | { readonly kind: "other" }

/** What the member `answer` of the body may be. */
function choicesOf(schema: JsonObject): Choices {
  const answer = membersOf(schema).find((member) => member["answer"] !== undefined)?.["answer"]
  if (!isObject(answer)) return { kind: "other" }
  const options = enumOf(answer)
  if (options) return { kind: "options", options, many: false }
  const items = enumOf(answer["items"])
  if (items) return { kind: "options", options: items, many: true }
  if (answer["type"] === "boolean") return { kind: "confirm" }
  return answer["type"] === "string" ? { kind: "text" } : { kind: "other" }
}

const takesCustom = (schema: JsonObject): boolean => membersOf(schema).some((member) => member["custom"] !== undefined)

/** The properties of each form of the body. */
function membersOf(schema: JsonObject): JsonObject[] {
  const forms = Array.isArray(schema["oneOf"]) ? schema["oneOf"] : [schema]
  return forms.flatMap((form) => (isObject(form) && isObject(form["properties"]) ? [form["properties"] as JsonObject] : []))
}

function enumOf(schema: unknown): readonly Json[] | undefined {
  if (!isObject(schema)) return undefined
  if (Array.isArray(schema["enum"])) return schema["enum"] as Json[]
  if ("const" in schema) return [schema["const"] as Json]
  const forms = Array.isArray(schema["oneOf"]) ? schema["oneOf"] : undefined
  const options = forms?.map((form) => enumOf(form))
  return options?.every((option) => option !== undefined) === true ? options.flat() : undefined
}

const labelOf = (option: Json): string => (typeof option === "string" ? option : JSON.stringify(option))

const cut = (text: string): string => (text.length > SHOWN_ARGS ? `${text.slice(0, SHOWN_ARGS)}…` : text)
