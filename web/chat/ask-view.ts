// Shows a run's question to a person, beside the exact bytes that the person decides about. Nothing is preselected, and nothing is timed.

import { approvalForm } from "./approval-form.ts"
import type { Power } from "./chat-token.ts"
import type { ChatThread } from "./chat-thread.ts"
import { h, icon } from "./draw.ts"
import { questionForm } from "./question-form.ts"
import { fields, isAsking, text, type CallPart } from "./ui-message.ts"
import { saidOf, visible } from "./wording.ts"

const OPEN = "open"
const OVER = "The turn ended without an answer."

export class AskView {
  readonly node = h("div")
  readonly #thread: ChatThread
  readonly #power: Power
  #shown = ""

  constructor(thread: ChatThread, power: Power) {
    this.#thread = thread
    this.#power = power
  }

  update(part: CallPart, isOver: boolean): void {
    const shown = !isAsking(part) ? decidedText(part) : isOver ? OVER : OPEN
    if (shown !== this.#shown) this.node.replaceChildren(...this.#draw(part, shown))
    this.#shown = shown
  }

  #draw(part: CallPart, shown: string): Node[] {
    if (shown === OVER) return [h("p", { class: "done-ask" }, OVER)]
    if (shown !== OPEN) return [h("p", { class: "done-ask" }, icon("complete", "i-s"), h("span", {}, shown))]
    if (this.#power === "none") return [colleague(part)]
    const title = part.approval ? "Approve this call?" : part.toolName === "budget" ? "The budget is used up" : "A question for you"
    const head = h("div", { class: "bar" }, h("span", { class: "st waiting" }, icon("waiting"), title))
    const form = part.approval ? approvalForm(this.#thread, part) : questionForm(this.#thread, part, this.#power)
    return [h("div", { class: "asks", role: "group", "aria-label": title }, head, h("div", { class: "in" }, ...form))]
  }
}

/** The page's visitor cannot decide it. */
function colleague(part: CallPart): HTMLElement {
  const question = text(fields(part.input)["question"])
  const what = part.approval
    ? `Waiting for a colleague to approve ${visible(part.toolName)}.`
    : `A colleague has been asked${question === undefined ? "." : `: ${visible(question)}`}`
  const words = `${what} You can wait here or come back later: the conversation goes on when it is decided.`
  return h("p", { class: "note waiting" }, icon("waiting"), h("span", {}, words))
}

function decidedText({ approval, toolName, state, input, output }: CallPart): string {
  const name = visible(toolName)
  if (!approval) return `${visible(text(fields(input)["question"]) ?? "")}\n${saidOf(output)}`.trim()
  const reason = approval.reason === undefined || approval.reason === "expired" ? "" : ` ${visible(approval.reason)}`
  if (approval.reason === "expired") return `Nobody decided on ${name} in time: it did not run.`
  if (approval.approved === false || state === "output-denied") return `Rejected: ${name}.${reason}`
  return `Approved: ${name}.${reason}`
}
