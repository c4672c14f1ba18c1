// Draws a question of any kind with its possible answers [Q1, Q2].

import type { JsonObject } from "../../src/core/json.ts"
import { answerTo } from "../../src/core/run/question/answer.ts"
import type { QuestionOption } from "../../src/core/run/question/fields.ts"
import type { QuestionSource, Verb } from "../../src/core/run/question/forms.ts"
import { question, type QuestionModel } from "../../src/core/run/question/question.ts"
import { labelled } from "./approval-form.ts"
import type { Power } from "./chat-token.ts"
import type { ChatThread } from "./chat-thread.ts"
import { button, h } from "./draw.ts"
import { formFields } from "./form-fields.ts"
import { fields, text, type CallPart } from "./ui-message.ts"
import { visible } from "./wording.ts"

interface Drawing extends Pick<QuestionModel, "ways"> {
  readonly payload: JsonObject
  answer(verb: Verb, given?: Readonly<Record<string, unknown>>): void
  /** The button of a way that has no fields; nothing if the question does not take it. */
  press(verb: Verb, kind: string): Node[]
}

export function questionForm(thread: ChatThread, part: CallPart, power: Power): Node[] {
  const payload = fields(part.input) as JsonObject
  const asked: QuestionSource = { kind: part.toolName as QuestionSource["kind"], payload }
  const { ways } = question(asked)
  const answer: Drawing["answer"] = (verb, given) => void thread.answer(part, answerTo(asked, verb, given).body)
  const press: Drawing["press"] = (verb, kind) => (ways[verb] ? [button(ways[verb].label, kind, () => answer(verb))] : [])
  const drawing = { ways, payload, answer, press }
  const words = h("p", { class: "question" }, visible(text(payload["question"]) ?? QUESTIONS[part.toolName] ?? "The run has a question."))
  switch (part.toolName) {
    case "budget":
      return [words, exact({ spent: payload["spent"], limit: payload["limit"], needed: payload["needed"] }), ...budget(drawing, power)]
    case "effects":
      return [words, exact(payload["effects"]), bar(...press("all", "first"), ...press("none", ""))]
    case "elicitation":
      return [words, asker(payload), ...elicitation(drawing)]
    default:
      return [words, ...plain(drawing)]
  }
}

const QUESTIONS: Readonly<Record<string, string>> = {
  budget: "The run needs more than its budget allows.",
  effects: "The run is done. Which of its held calls should be sent?",
}

const bar = (...buttons: readonly Node[]): HTMLElement => h("div", { class: "bar acts" }, ...buttons)
const exact = (value: unknown): HTMLElement => h("pre", { class: "code wrap", tabindex: "0" }, visible(value))

/** A choice, yes or no, or words. */
function plain({ ways, answer, press }: Drawing): Node[] {
  const [field] = ways.answer?.fields ?? []
  const options = field?.options ?? []
  const choose = (value: unknown): void => answer("answer", { answer: value })
  const parts: Node[] = []
  if (field?.kind === "text") parts.push(...words(field.label, text(field.default) ?? "", choose))
  else if (field?.kind === "choices") parts.push(...several(options, choose))
  else if (field?.kind === "yes-no")
    parts.push(bar(...options.map(({ value, label }) => button(label, value === true ? "first" : "", () => choose(value)))))
  else parts.push(h("fieldset", {}, h("legend", { class: "vh" }, "Choose one"), ...options.map((option) => choice(option, choose))))
  const [own] = ways.custom?.fields ?? []
  if (own) parts.push(...words(own.label, "", (custom) => answer("custom", { custom })))
  parts.push(bar(...press("auto", "bare"), ...press("cancel", "bare")))
  return parts
}

function choice({ value, label, about }: QuestionOption, choose: (value: unknown) => void): HTMLElement {
  const node = button("", "option", () => choose(value))
  node.append(h("span", {}, visible(label), about === undefined ? undefined : h("small", {}, visible(about))))
  return node
}

function several(options: readonly QuestionOption[], choose: (values: readonly unknown[]) => void): Node[] {
  const boxes = options.map((option) => {
    const box = h("input", { type: "checkbox" })
    return { ...option, box }
  })
  const rows = boxes.map(({ label, box }) => h("label", { class: "check" }, box, h("span", {}, visible(label))))
  const send = button("Answer", "first", () => choose(boxes.filter(({ box }) => box.checked).map(({ value }) => value)))
  return [h("fieldset", {}, h("legend", { class: "vh" }, "Choose any"), ...rows), bar(send)]
}

function words(label: string, given: string, say: (said: string) => void): Node[] {
  const area = h("textarea", { class: "input", rows: "2" })
  area.value = given
  const send = button(label === "Your answer" ? "Answer" : "Answer with this", "first", () => {
    if (area.value.trim() === "") area.focus()
    else say(area.value)
  })
  return [labelled(label, area), bar(send)]
}

/** Raising is for who has a key. */
function budget({ ways: { raise }, answer, press }: Drawing, power: Power): Node[] {
  if (power !== "all" || raise === undefined) return [bar(...press("stop", ""))]
  const inputs = raise.fields.map(({ name, label, above }) => {
    const input = h("input", { class: "input", type: "number", step: "any", min: String(above) })
    return { name, input, row: labelled(label, input) }
  })
  const send = button(raise.label, "first", () => {
    if (inputs.every(({ input }) => input.value === "")) inputs[0]?.input.focus()
    else answer("raise", Object.fromEntries(inputs.map(({ name, input }) => [name, input.value])))
  })
  return [...inputs.map(({ row }) => row), bar(send, ...press("stop", ""))]
}

const asker = (payload: JsonObject): HTMLElement =>
  h(
    "p",
    { class: "why" },
    `Asked by the server ${visible(text(payload["host"]) ?? "")} of the tool ${visible(text(payload["tool"]) ?? "")}.`,
  )

function elicitation({ ways: { fill }, payload, answer, press }: Drawing): Node[] {
  const no = [...press("reject", ""), ...press("cancel", "bare")]
  if (!fill) {
    const url = URL.parse(text(payload["url"]) ?? "")
    const link =
      url?.protocol === "https:" || url?.protocol === "http:"
        ? h("a", { href: url.href, target: "_blank", rel: "noopener noreferrer nofollow" }, url.href)
        : visible(text(payload["url"]) ?? "")
    return [h("p", { class: "why" }, link), bar(...press("approve", "first"), ...no)]
  }
  const form = formFields(fill.fields)
  return [
    ...form.nodes,
    bar(
      button(fill.label, "first", () => answer("fill", form.value())),
      ...no,
    ),
  ]
}
