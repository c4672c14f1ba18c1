// Lets a person write a message: Enter sends it, Shift+Enter starts a new line, Escape stops the turn. The draft stays while the run works.

import type { ChatThread } from "./chat-thread.ts"
import { button, h, icon, iconButton, place, say } from "./draw.ts"

export interface ComposerWords {
  readonly placeholder: string
  readonly fine: string
  /** Shows the words on the buttons. */
  readonly wide: boolean
  /** Why who reads here may not write at all: it stands in place of the field. */
  readonly closed?: string | undefined
}

/** The maximum length of a message, in characters. */
export const MAX_MESSAGE = 100_000

export class Composer {
  readonly node: HTMLElement
  readonly field: HTMLTextAreaElement
  readonly #thread: ChatThread
  readonly #words: ComposerWords
  readonly #send: HTMLButtonElement
  readonly #stop: HTMLButtonElement
  readonly #bar = h("div", { class: "bar" })
  readonly #line = h("p", { class: "fine" })
  readonly #isShut: () => string | undefined

  /** `isShut`: why nothing can be sent now. */
  constructor(thread: ChatThread, words: ComposerWords, isShut: () => string | undefined) {
    this.#thread = thread
    this.#words = words
    this.#isShut = isShut
    this.field = h("textarea", {
      class: "input",
      rows: "1",
      "aria-label": "Message",
      placeholder: words.placeholder,
      maxlength: String(MAX_MESSAGE),
    })
    this.#send = iconButton("send", "Send", "first square", () => this.send())
    this.#stop = words.wide ? button("Stop", "danger", () => this.stop()) : iconButton("stop", "Stop", "square", () => this.stop())
    if (words.wide) this.#stop.prepend(icon("stop", "i-s"))
    const form = h("form", {}, this.#bar, this.#line)
    form.addEventListener("submit", (event) => event.preventDefault())
    this.field.addEventListener("keydown", (event) => this.#key(event))
    this.node = h("div", { class: "say-box" }, form)
  }

  update(): void {
    const { isBusy, state, notice, last } = this.#thread
    if (this.#words.closed !== undefined) return say(this.#line, this.#words.closed)
    const shut = this.#isShut()
    const stops = isBusy || last?.status === "waiting"
    place(this.#bar, [this.field, ...(stops ? [this.#stop] : []), ...(isBusy && !this.#words.wide ? [] : [this.#send])])
    const off = isBusy || shut !== undefined
    this.#send.setAttribute("aria-disabled", String(off))
    const lost = state === "lost" ? "Connection lost. Trying again; the run goes on." : undefined
    say(
      this.#line,
      notice ?? lost ?? shut ?? (stops ? "Stop ends the turn, not the conversation. Completed work is kept." : this.#words.fine),
    )
    this.#line.className = notice !== undefined ? "msg error" : "fine"
  }

  send(): void {
    if (this.#words.closed !== undefined) return
    const said = this.field.value.trim()
    if (said === "" || this.#thread.isBusy || this.#isShut() !== undefined) return this.field.focus()
    this.field.value = ""
    this.field.focus()
    void this.#thread.send(said)
  }

  /** A text to begin with; nothing is sent. */
  suggest(text: string): void {
    if (this.#words.closed !== undefined) return
    this.field.value = text
    this.field.focus()
  }

  stop(): void {
    this.field.focus()
    void this.#thread.stop()
  }

  #key(event: KeyboardEvent): void {
    // Enter that ends a composition is the input method's.
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault()
      this.send()
    } else if (event.key === "Escape" && this.#thread.isBusy) {
      event.preventDefault()
      this.stop()
    }
  }
}
