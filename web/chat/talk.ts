// Draws a thread on a page, the same in the console and in <sluice-chat>: its messages, open questions and the input field. A stream is
// drawn once per animation frame, and only what has changed. A screen reader announces a question at once, and an answer when it is
// complete.

import type { ChatThread } from "./chat-thread.ts"
import { Composer, type ComposerWords } from "./composer.ts"
import { h, place, say } from "./draw.ts"
import { MessageView, type Talkers } from "./message-view.ts"
import { openAsks, textOf, type ChatMessage } from "./ui-message.ts"
import { visible } from "./wording.ts"

export interface TalkWords extends Talkers, ComposerWords {
  /** What the flow does, before anything is said. */
  readonly about: readonly Node[]
}

/** Characters of an answer that are read out; the rest is on the page. */
const MAX_ANNOUNCED = 600
/** A letter that was meant for something else decides nothing. */
const SETTLE_MS = 500
/** As near to the end as counts as the end. */
const NEAR_END = 48

export class Talk {
  readonly nodes: readonly HTMLElement[]
  readonly composer: Composer
  readonly #thread: ChatThread
  readonly #words: TalkWords
  readonly #list = h("div", { class: "talk-in" })
  readonly #scroller = h("div", { class: "talk", tabindex: "0", role: "region", "aria-label": "Messages" }, this.#list)
  readonly #status = h("p", { class: "vh", role: "status" })
  readonly #alert = h("p", { class: "vh", role: "alert" })
  readonly #views = new Map<string, MessageView>()
  readonly #leave: () => void
  readonly #see = (): void => {
    if (document.visibilityState === "visible") this.#thread.look()
  }
  #frame = 0
  #asked = ""
  #askedAt = 0
  #ended = ""

  constructor(thread: ChatThread, words: TalkWords) {
    this.#thread = thread
    this.#words = words
    this.composer = new Composer(thread, words, () => this.#shut())
    this.nodes = [this.#scroller, this.composer.node, this.#status, this.#alert]
    this.#leave = thread.listen(() => {
      this.#frame ||= requestAnimationFrame(() => this.update())
    })
    document.addEventListener("visibilitychange", this.#see)
    // What was there before is not news.
    this.#ended = endOf(thread.last)
    this.update()
    this.#scroller.scrollTop = this.#scroller.scrollHeight
  }

  update(): void {
    cancelAnimationFrame(this.#frame)
    this.#frame = 0
    const { messages } = this.#thread
    const isAtEnd = this.#isAtEnd()
    const views = messages.map((message, i) => {
      const key = `${i} ${message.role}`
      const view = this.#views.get(key) ?? new MessageView(this.#thread, message, this.#words)
      this.#views.set(key, view)
      view.update(message)
      return view.node
    })
    for (const key of this.#views.keys()) if (Number(key.split(" ")[0]) >= messages.length) this.#views.delete(key)
    place(this.#list, views.length === 0 ? this.#words.about : views)
    this.composer.update()
    this.#announce(this.#thread.last)
    if (isAtEnd) this.#scroller.scrollTop = this.#scroller.scrollHeight
  }

  close(): void {
    cancelAnimationFrame(this.#frame)
    document.removeEventListener("visibilitychange", this.#see)
    this.#leave()
  }

  /** A key of one letter decides about the only call that asks: it is wholly in view, and has been there for a moment. Returns whether it did. */
  press(key: string): boolean {
    const [ask, ...more] = this.#list.querySelectorAll<HTMLElement>(".asks")
    if (!ask || more.length > 0 || Date.now() - this.#askedAt < SETTLE_MS) return false
    const [box, view] = [ask.getBoundingClientRect(), this.#scroller.getBoundingClientRect()]
    const meant = [...ask.querySelectorAll<HTMLElement>("button[data-key]")].find(({ dataset }) => dataset["key"] === key.toLowerCase())
    if (!meant || box.top < view.top || box.bottom > view.bottom + 1) return false
    meant.click()
    return true
  }

  #isAtEnd(): boolean {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller
    return scrollHeight - scrollTop - clientHeight < NEAR_END
  }

  /** Somebody else has to decide first. */
  #shut(): string | undefined {
    const isWaiting = this.#words.power === "none" && this.#thread.last?.status === "waiting"
    return isWaiting ? "You can write again after a colleague has decided." : undefined
  }

  #announce(last: ChatMessage | undefined): void {
    const [ask] = last === undefined ? [] : openAsks(last)
    const asked = ask?.approval?.id ?? ask?.toolCallId ?? ""
    if (asked !== "" && asked !== this.#asked && this.#words.power !== "none")
      say(this.#alert, ask?.approval ? `Approve this call? ${visible(ask.toolName)}` : "A question for you")
    if (asked !== this.#asked) this.#askedAt = Date.now()
    this.#asked = asked
    const ended = endOf(last)
    if (ended === "" || ended === this.#ended || last === undefined) return
    this.#ended = ended
    const { agent } = this.#words
    const said = last.status === "succeeded" ? textOf(last).slice(0, MAX_ANNOUNCED) : (last.problem ?? "The turn was stopped.")
    say(this.#status, `${agent}: ${said}`)
  }
}

/** Which message has ended, and how. */
const endOf = (last: ChatMessage | undefined): string =>
  last === undefined || last.role === "user" || last.status === "writing" || last.status === "waiting"
    ? ""
    : `${last.id} ${last.status} ${last.at}`
