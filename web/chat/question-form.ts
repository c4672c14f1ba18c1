// Questions of every kind, each with the answers that it takes [Q1, Q2].

import { labelled } from "./approval-form.ts"
import type { Power } from "./chat-token.ts"
import type { ChatThread } from "./chat-thread.ts"
import { button, h } from "./draw.ts"
import { formFields } from "./form-fields.ts"
import { fields, text, type CallPart } from "./ui-message.ts"
import { visible } from "./wording.ts"

export function questionForm(thread: ChatThread, part: CallPart, power: Power): Node[] {
  const payload = fields(part.input)
  const answer = (body: object): void => void thread.answer(part, body)
  const question = h(
    "p",
    { class: "question" },
    visible(text(payload["question"]) ?? QUESTIONS[part.toolName] ?? "The run asks something."),
  )
  switch (part.toolName) {
    case "budget":
      return [
        question,
        exact({ spent: payload["spent"], limit: payload["limit"], needed: payload["needed"] }),
        ...budget(payload, power, answer),
      ]
    case "effects":
      return [
        question,
        exact(payload["effects"]),
        bar(
          button("Carry out all", "first", () => answer({ answer: { commit: "all" } })),
          button("Discard all", "", () => answer({ answer: { commit: [] } })),
        ),
      ]
    case "elicitation":
      return [question, asker(payload), ...elicitation(payload, answer)]
    default:
      return [question, ...plain(part.toolName, payload, answer)]
  }
}

const QUESTIONS: Readonly<Record<string, string>> = {
  budget: "The run needs more than its budget allows.",
  effects: "The run is done. Which of its kept calls are to be carried out?",
}

type Answer = (body: object) => void
type Payload = Readonly<Record<string, unknown>>

const bar = (...buttons: readonly Node[]): HTMLElement => h("div", { class: "bar acts" }, ...buttons)
const exact = (value: unknown): HTMLElement => h("pre", { class: "code wrap", tabindex: "0" }, visible(value))

/** A choice, yes or no, or words. */
function plain(kind: string, payload: Payload, answer: Answer): Node[] {
  const options = Array.isArray(payload["options"]) ? (payload["options"] as unknown[]) : []
  const parts: Node[] = []
  if (payload["type"] === "confirm")
    parts.push(
      bar(
        button("Yes", "first", () => answer({ answer: true })),
        button("No", "", () => answer({ answer: false })),
      ),
    )
  else if (options.length === 0)
    parts.push(...words("Your answer", text(payload["defaultValue"]) ?? "", (said) => answer({ answer: said })))
  else if (payload["multiSelect"] === true) parts.push(...several(options, (chosen) => answer({ answer: chosen })))
  else
    parts.push(
      h(
        "fieldset",
        {},
        h("legend", { class: "vh" }, "Choose one"),
        ...options.map((option) => choice(option, (label) => answer({ answer: label }))),
      ),
    )
  if (payload["allowCustom"] === true && options.length > 0) parts.push(...words("Another answer", "", (custom) => answer({ custom })))
  const auto =
    kind === "ask_user" || payload["allowAuto"] === true ? [button("Let the agent decide", "bare", () => answer({ auto: true }))] : []
  parts.push(
    bar(
      ...auto,
      button("Decline to answer", "bare", () => answer({ cancelled: true })),
    ),
  )
  return parts
}

const labelOf = (option: unknown): string => (typeof option === "string" ? option : (text(fields(option)["label"]) ?? ""))

function choice(option: unknown, choose: (label: string) => void): HTMLElement {
  const label = labelOf(option)
  const more = text(fields(option)["description"])
  const node = button("", "option", () => choose(label))
  node.append(h("span", {}, visible(label), more === undefined || more === "" ? undefined : h("small", {}, visible(more))))
  return node
}

function several(options: readonly unknown[], choose: (labels: string[]) => void): Node[] {
  const boxes = options.map((option) => {
    const box = h("input", { type: "checkbox" })
    return { label: labelOf(option), box }
  })
  const rows = boxes.map(({ label, box }) => h("label", { class: "check" }, box, h("span", {}, visible(label))))
  const send = button("Answer", "first", () => choose(boxes.filter(({ box }) => box.checked).map(({ label }) => label)))
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
function budget(payload: Payload, power: Power, answer: Answer): Node[] {
  const stop = button("Stop the run", "", () => answer({ answer: "stop" }))
  const limits = Object.entries(fields(payload["limit"]))
  if (power !== "all" || payload["scope"] === "tenant" || limits.length === 0) return [bar(stop)]
  const inputs = limits.map(([unit, limit]) => {
    const input = h("input", { class: "input", type: "number", step: "any", min: String(limit) })
    return { unit, input, row: labelled(`New limit, ${unit}`, input) }
  })
  const raise = button("Raise the limit", "first", () => {
    const more = inputs.flatMap(({ unit, input }) => (input.value === "" ? [] : [[unit, Number(input.value)] as const]))
    if (more.length === 0) inputs[0]?.input.focus()
    else answer({ answer: { raise: Object.fromEntries(more) } })
  })
  return [...inputs.map(({ row }) => row), bar(raise, stop)]
}

const asker = (payload: Payload): HTMLElement =>
  h(
    "p",
    { class: "why" },
    `Asked by the server ${visible(text(payload["host"]) ?? "")} of the tool ${visible(text(payload["tool"]) ?? "")}.`,
  )

function elicitation(payload: Payload, answer: Answer): Node[] {
  const no = [
    button("Refuse", "", () => answer({ decision: "reject" })),
    button("Decline to answer", "bare", () => answer({ cancelled: true })),
  ]
  if (payload["mode"] !== "form") {
    const url = URL.parse(text(payload["url"]) ?? "")
    const link =
      url?.protocol === "https:" || url?.protocol === "http:"
        ? h("a", { href: url.href, target: "_blank", rel: "noopener noreferrer nofollow" }, url.href)
        : visible(text(payload["url"]) ?? "")
    return [
      h("p", { class: "why" }, link),
      bar(
        button("I have done it", "first", () => answer({ decision: "approve" })),
        ...no,
      ),
    ]
  }
  const form = formFields(fields(payload["form"]))
  return [
    ...form.nodes,
    bar(
      button("Answer", "first", () => answer({ answer: form.value() })),
      ...no,
    ),
  ]
}
