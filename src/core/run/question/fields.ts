// Describes the fields of each way to answer a question [Q1, Q2]: whether they are required, their choices and their initial values.

import { defined } from "../../defined.ts"
import { isObject, type Json, type JsonObject } from "../../json.ts"
import { inside, labelIn, listOf, textOf, type QuestionSource, type Verb } from "./forms.ts"

export interface QuestionOption {
  readonly value: Json
  readonly label: string
  readonly about?: string
  /** The step that it leads to. */
  readonly to?: string
}

export interface QuestionField {
  readonly name: string
  readonly kind: "text" | "number" | "integer" | "yes-no" | "choice" | "choices" | "object"
  readonly label: string
  readonly about?: string
  readonly required: boolean
  readonly options: readonly QuestionOption[]
  readonly default?: Json
  /** A number must be greater. */
  readonly above?: number
}

const field = (name: string, kind: QuestionField["kind"], label: string, required: boolean): QuestionField => ({
  name,
  kind,
  label,
  required,
  options: [],
})

/** `form`: the form that the verb fills. */
export function fieldsOf(asked: QuestionSource, verb: Verb, form: JsonObject = {}): QuestionField[] {
  const { kind, payload } = asked
  const notes = Object.hasOwn(form, "notes") ? [field("notes", "text", "Notes for the agent", false)] : []
  const feedback = kind === "elicitation" ? [] : [field("feedback", "text", "Feedback for the agent", false)]
  switch (verb) {
    case "answer":
      return [answerField(asked, inside(form["answer"])), ...notes]
    case "custom":
      return [field("custom", "text", "Another answer", true), ...notes]
    case "auto":
      return notes
    case "approve":
    case "reject":
      return feedback
    case "edit": {
      const { args } = payload
      const edited = field("args", "object", "Arguments, as JSON", kind === "approval.tool")
      return [args === undefined ? edited : { ...edited, default: args }, ...feedback]
    }
    case "raise":
      return Object.entries(inside(inside(inside(inside(form["answer"])["properties"])["raise"])["properties"])).map(([unit]) => {
        const limit = inside(payload["limit"])[unit]
        const amount = field(unit, unit === "usd" ? "number" : "integer", `New limit, ${unit}`, false)
        return typeof limit === "number" ? { ...amount, above: limit } : amount
      })
    case "fill": {
      const { properties, required } = inside(payload["form"])
      const needed = listOf(required)
      return Object.entries(inside(properties)).map(([name, about]) => formField(name, inside(about), needed.includes(name)))
    }
    case "commit": {
      const kept = listOf(payload["effects"]).map(inside)
      const options = kept.map(({ key = "", tool, args }) => ({ value: key, label: `${textOf(tool)} ${JSON.stringify(args)}` }))
      const stops = field("stop_on_failure", "yes-no", "Stop at the first failure", false)
      return [{ ...field("commit", "choices", "Calls to carry out", true), options }, { ...stops, options: YES_NO }, ...notes]
    }
    default:
      return []
  }
}

/** Its choices with what the payload says of each. */
function answerField({ payload, default: assumed }: QuestionSource, schema: JsonObject): QuestionField {
  const given = assumed ?? payload["defaultValue"]
  const known = new Map(listOf(payload["options"]).map((option) => [labelIn(option), inside(option)]))
  const plain = formField("answer", given === undefined ? schema : { ...schema, default: given }, true)
  const options = plain.options.map((option): QuestionOption => {
    const { description, target } = known.get(option.label) ?? {}
    return {
      ...option,
      ...(typeof description === "string" && description !== "" ? { about: description } : {}),
      ...(typeof target === "string" ? { to: target } : {}),
    }
  })
  return { ...plain, label: "Your answer", options }
}

const YES_NO: readonly QuestionOption[] = [
  { value: true, label: "Yes" },
  { value: false, label: "No" },
]

/** A field of the form that a tool's server asks with [T27]: flat, and plain. */
function formField(name: string, about: JsonObject, required: boolean): QuestionField {
  const { type, title, description, default: given } = about
  const several = type === "array" ? choicesOf(inside(about["items"])) : undefined
  const options = several ?? (type === "boolean" ? YES_NO : choicesOf(about))
  const plain = type === "number" || type === "integer" ? type : "text"
  const kind = several ? "choices" : type === "boolean" ? "yes-no" : options ? "choice" : plain
  return {
    ...field(name, kind, textOf(title) || name, required),
    options: options ?? [],
    ...(typeof description === "string" ? { about: description } : {}),
    ...defined({ default: given }),
  }
}

/** The choices of a field with their words; undefined: it is free. */
function choicesOf({ enum: values, enumNames: names, oneOf, anyOf }: JsonObject): readonly QuestionOption[] | undefined {
  if (Array.isArray(values)) return values.map((value, i) => ({ value, label: textOf(listOf(names)[i]) || textOf(value) }))
  const titled = oneOf ?? anyOf
  if (!Array.isArray(titled)) return undefined
  return titled.flatMap((one) =>
    isObject(one) ? [{ value: one["const"] as Json, label: textOf(one["title"]) || textOf(one["const"]) }] : [],
  )
}
