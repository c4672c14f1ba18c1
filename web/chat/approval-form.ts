// Lets a person approve, edit or reject a call [Q3]. The complete call is above the buttons.

import { answerTo } from "../../src/core/run/question/answer.ts"
import { whyAsked } from "../../src/core/run/question/question.ts"
import type { ChatThread } from "./chat-thread.ts"
import { button, h } from "./draw.ts"
import { fields, type CallPart } from "./ui-message.ts"
import { editable, visible } from "./wording.ts"

export function approvalForm(thread: ChatThread, part: CallPart): Node[] {
  const { approval } = part
  const about = fields(approval?.about)["body"]
  const name = h("b", {}, visible(part.toolName))
  const bytes = h(
    "pre",
    { class: "code wrap", tabindex: "0", role: "region", "aria-label": "The call" },
    name,
    ` ${visible(about ?? part.input)}`,
  )
  const why = h("p", { class: "why" }, `${whyAsked(approval?.why)} Nothing has run yet.`)
  const rest = h("div", { class: "answers" })
  const choices = (): Node[] => {
    const approve = button("Approve", "first", () => void thread.decide(part, { decision: "approve" }))
    byKey(approve, "a")
    const edit = button("Edit", "", () => editor())
    byKey(edit, "e")
    const reject = button("Reject", "", () => rejecter())
    byKey(reject, "r")
    return [h("div", { class: "bar acts" }, approve, edit, reject)]
  }
  const back = (): void => {
    rest.replaceChildren(...choices())
    rest.querySelector("button")?.focus()
  }
  const editor = (): void => {
    const area = h("textarea", { class: "input mono", rows: "8", spellcheck: "false" })
    area.value = editable(part.input)
    const fault = h("p", { class: "msg error", role: "alert" })
    const send = button("Approve edited call", "first", () => {
      const { body, faults } = answerTo({ kind: "approval.tool", payload: {} }, "edit", { args: area.value })
      if (faults["args"] !== undefined) fault.textContent = "The arguments are not a JSON object."
      else void thread.decide(part, { decision: "edit", args: body.args ?? {} })
    })
    const field = labelled("Arguments, as JSON", area)
    rest.replaceChildren(field, fault, h("div", { class: "bar acts" }, send, button("Back", "", back)))
    area.focus()
  }
  const rejecter = (): void => {
    const area = h("textarea", { class: "input", rows: "2" })
    const send = button("Reject", "first", () => {
      const reason = area.value.trim()
      void thread.decide(part, reason === "" ? { decision: "reject" } : { decision: "reject", reason })
    })
    rest.replaceChildren(
      labelled("Reason, for the agent (optional)", area),
      h("div", { class: "bar acts" }, send, button("Back", "", back)),
    )
    area.focus()
  }
  rest.replaceChildren(...choices())
  return [bytes, why, rest]
}

/** The console says the letter beside the word. */
function byKey(node: HTMLElement, key: string): void {
  node.dataset["key"] = key
  node.append(h("kbd", { "aria-hidden": "true" }, key.toUpperCase()))
}

export function labelled(label: string, field: HTMLElement): HTMLElement {
  field.setAttribute("aria-label", label)
  return h("div", { class: "field" }, h("span", { class: "small", "aria-hidden": "true" }, label), field)
}
