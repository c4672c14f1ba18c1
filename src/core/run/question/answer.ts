// Turns the filled fields of a question into the body of its answer [Q2], or into an error for each wrong field.

import { isObject, type Json, type JsonObject } from "../../json.ts"
import type { Answer } from "../signal.ts"
import { fieldsOf, type QuestionField, type QuestionOption } from "./fields.ts"
import { formsOf, hasVerb, listOf, textOf, type QuestionSource, type Verb } from "./forms.ts"

export interface FilledIn {
  /** As far as the fields could be read. */
  readonly body: Answer
  /** By the field's name. */
  readonly faults: Readonly<Record<string, string>>
}

/** Converts texts to the types of their fields. A text that cannot be converted stays as it is, and the server refuses it. */
export function answerTo(asked: QuestionSource, verb: Verb, given: Readonly<Record<string, unknown>> = {}): FilledIn {
  const form = formsOf(asked).find((one) => hasVerb(one, verb))
  const fields = fieldsOf(asked, verb, form)
  const faults: [string, string][] = fields.flatMap(({ name, required }) =>
    required && given[name] === undefined ? [[name, "is needed"]] : [],
  )
  const values: [string, Json][] = []
  for (const [name, raw] of Object.entries(given)) {
    const about = fields.find((one) => one.name === name)
    // An empty field is left out; an empty text may be the answer.
    const isAnswer = about?.kind === "object" || (about?.kind === "text" && about.required)
    if (raw === undefined || (raw === "" && !isAnswer)) continue
    const { value, fault } = about ? read(about, raw) : { value: raw as Json, fault: undefined }
    values.push([name, value])
    if (fault !== undefined) faults.push([name, fault])
  }
  if (verb === "raise" && values.length === 0) faults.push([fields[0]?.name ?? verb, "is needed"])
  return { body: bodyOf(asked, verb, Object.fromEntries(values)), faults: Object.fromEntries(faults) }
}

function read({ kind, options, above }: QuestionField, raw: unknown): { readonly value: Json; readonly fault?: string } {
  const value = raw as Json
  switch (kind) {
    case "text":
      return typeof raw === "string" ? { value } : { value, fault: "is not a text" }
    case "number":
    case "integer": {
      const number = typeof raw === "string" ? Number(raw) : raw
      if (typeof number !== "number" || !Number.isFinite(number)) return { value, fault: "is not a number" }
      if (kind === "integer" && !Number.isInteger(number)) return { value: number, fault: "is not a whole number" }
      return above !== undefined && !(number > above) ? { value: number, fault: `must be above ${above}` } : { value: number }
    }
    case "yes-no":
    case "choice": {
      const option = optionOf(options, raw)
      return option ? { value: option.value } : { value, fault: "is not one of the choices" }
    }
    case "choices": {
      const chosen = listOf(raw).map((one) => optionOf(options, one))
      if (!Array.isArray(raw) || chosen.includes(undefined)) return { value, fault: "is not a list of the choices" }
      return { value: chosen.flatMap((option) => (option ? [option.value] : [])) }
    }
    case "object": {
      const object = typeof raw === "string" ? parsed(raw) : raw
      return isObject(object) ? { value: object as JsonObject } : { value, fault: "must be a JSON object: the arguments to run instead" }
    }
  }
}

const optionOf = (options: readonly QuestionOption[], raw: unknown): QuestionOption | undefined =>
  options.find(({ value }) => value === raw || (typeof raw === "string" && textOf(value) === raw))

/** [Q2] */
function bodyOf({ payload: { hash } }: QuestionSource, verb: Verb, values: JsonObject): Answer {
  switch (verb) {
    case "answer":
    case "custom":
      return values
    case "auto":
      return { auto: true, ...values }
    case "cancel":
      return { cancelled: true }
    case "reject":
      return { decision: verb, ...values }
    case "approve":
    case "edit":
      // [Q3] What is approved is the call that was shown, not a later replacement.
      return { decision: verb, ...(typeof hash === "string" ? { hash } : {}), ...values }
    case "stop":
      return { answer: "stop" }
    case "raise":
      return { answer: { raise: values } }
    case "fill":
      return { answer: values }
    case "commit": {
      const { notes, ...chosen } = values
      return { answer: chosen, ...(typeof notes === "string" ? { notes } : {}) }
    }
    case "all":
      return { answer: { commit: "all" } }
    case "none":
      return { answer: { commit: [] } }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
