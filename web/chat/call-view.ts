// Shows an agent's call in one line that expands to its arguments and result. A refused call shows the reason.

import { h, icon, say } from "./draw.ts"
import type { CallPart } from "./ui-message.ts"
import { glimpse, visible } from "./wording.ts"

const STATES = {
  "input-available": ["", ""],
  "approval-requested": ["asks", "ask"],
  "approval-responded": ["decided", "ask"],
  "output-available": ["", ""],
  "output-error": ["failed", "no"],
  "output-denied": ["rejected", "no"],
} as const satisfies Readonly<Record<CallPart["state"], readonly [word: string, kind: string]>>

/** Characters of a text that is shown; the run has it in full. */
const MAX_SHOWN = 4_000

export class CallView {
  readonly node: HTMLElement
  readonly #mark = h("span", {})
  readonly #name = h("b", { class: "mono" })
  readonly #args = h("span", { class: "mono dim cut" })
  readonly #word = h("span", { class: "num dim" })
  readonly #input = h("pre", { class: "code wrap", tabindex: "0" })
  readonly #output = h("pre", { class: "code wrap", tabindex: "0" })
  readonly #why = h("p")
  #state: CallPart["state"] | undefined

  constructor(part: CallPart) {
    say(this.#name, visible(part.toolName))
    say(this.#args, glimpse(part.input))
    const summary = h("summary", {}, this.#mark, this.#name, this.#args, this.#word)
    const labels = [h("p", { class: "dim" }, "Arguments"), this.#input, this.#why, this.#output]
    this.node = h("details", { class: "call" }, summary, ...labels)
    this.node.addEventListener("toggle", () => say(this.#input, cut(visible(part.input))))
  }

  update(part: CallPart): void {
    if (this.#state === part.state) return
    this.#state = part.state
    const [word, kind] = STATES[part.state]
    this.node.className = `call ${kind}`
    this.#mark.replaceChildren(icon(kind === "no" ? "refused" : "shield", "i-s"))
    say(this.#word, word)
    say(this.#why, part.state === "output-error" ? cut(visible(part.errorText ?? "")) : "")
    this.#why.hidden = this.#why.textContent === ""
    this.#output.hidden = part.output === undefined
    say(this.#output, part.output === undefined ? "" : cut(visible(part.output)))
  }
}

const cut = (shown: string): string => (shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown)
