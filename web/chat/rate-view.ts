// Asks a visitor below a finished answer how good it is [V20]: two thumbs, of which one can be taken back, and a field for words.

import { button, h, iconButton, say } from "./draw.ts"

export interface Rating {
  readonly thumb?: "up" | "down" | "none"
  readonly comment?: string
}

/** Brings it to the instance; rejects with why it could not. */
export type Rate = (run: string, said: Rating) => Promise<void>

const MAX_COMMENT = 4_000

export class RateView {
  readonly node: HTMLElement
  readonly #run: string
  readonly #rate: Rate
  readonly #field = h("input", {
    class: "input small",
    type: "text",
    maxlength: String(MAX_COMMENT),
    "aria-label": "What about this answer?",
    placeholder: "What about this answer?",
  })
  readonly #thumbs = {
    up: iconButton("thumb", "Good answer", "bare square thumb", () => void this.#press("up")),
    down: iconButton("thumb", "Bad answer", "bare square thumb dn", () => void this.#press("down")),
  }
  readonly #told = h("span", { class: "dim small", role: "status" })
  #thumb: "up" | "down" | undefined

  constructor(run: string, rate: Rate) {
    this.#run = run
    this.#rate = rate
    const form = h(
      "form",
      { class: "grow bar" },
      this.#field,
      button("Send", "bare small", () => form.requestSubmit()),
    )
    form.addEventListener("submit", (e) => {
      e.preventDefault()
      void this.#say()
    })
    this.node = h(
      "div",
      { class: "rate bar", role: "group", "aria-label": "Rate this answer" },
      this.#thumbs.up,
      this.#thumbs.down,
      form,
      this.#told,
    )
    this.#show(undefined)
  }

  async #press(thumb: "up" | "down"): Promise<void> {
    const before = this.#thumb
    const now = before === thumb ? undefined : thumb
    this.#show(now)
    if (!(await this.#send({ thumb: now ?? "none" }))) this.#show(before)
  }

  async #say(): Promise<void> {
    const comment = this.#field.value.trim()
    if (comment === "") return
    if (await this.#send({ comment })) this.#field.value = ""
  }

  #show(thumb: "up" | "down" | undefined): void {
    this.#thumb = thumb
    for (const [name, node] of Object.entries(this.#thumbs)) node.setAttribute("aria-pressed", String(name === thumb))
  }

  async #send(said: Rating): Promise<boolean> {
    try {
      await this.#rate(this.#run, said)
      say(this.#told, "Thank you.")
      return true
    } catch (e) {
      say(this.#told, e instanceof Error ? e.message : "It could not be sent.")
      return false
    }
  }
}
