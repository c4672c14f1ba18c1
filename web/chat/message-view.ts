// Draws one message: its author, the calls and intermediate text in one folded line, the open questions, and the answer.

import { AskView } from "./ask-view.ts"
import type { Power } from "./chat-token.ts"
import { CallView } from "./call-view.ts"
import type { ChatThread } from "./chat-thread.ts"
import { button, h, icon, place, say } from "./draw.ts"
import { RateView, type Rate } from "./rate-view.ts"
import { markdownView } from "./markdown-view.ts"
import { isAsking, isCall, isThought, saidLast, textOf, type CallPart, type ChatMessage, type TextPart } from "./ui-message.ts"
import { clockTime } from "../clock.ts"
import { callsLine, duration, visible } from "./wording.ts"

export interface Talkers {
  readonly me: string
  readonly agent: string
  readonly power: Power
  /** How long an answer took and what it cost: of no use to a visitor. */
  readonly figures: boolean
  /** [V20] Absent: visitors are not asked how good an answer is. */
  readonly rate?: Rate
}

export class MessageView {
  readonly node: HTMLElement
  readonly #thread: ChatThread
  readonly #talkers: Talkers
  readonly #who = h("h3", { class: "who" })
  readonly #parts: Parts
  readonly #answer: AnswerText
  readonly #now = h("p", { class: "said", "aria-hidden": "true" })
  readonly #asks = new Map<string, AskView>()
  readonly #end = h("div")
  #rate: { readonly run: string; readonly view: RateView } | undefined
  #told = ""

  constructor(thread: ChatThread, { role }: ChatMessage, talkers: Talkers) {
    this.#thread = thread
    this.#talkers = talkers
    this.#parts = new Parts(talkers.figures)
    this.#answer = new AnswerText(role === "assistant")
    this.node = h("article", { class: role === "user" ? "mes me" : "mes" }, this.#who)
  }

  update(message: ChatMessage): void {
    const { role, parts, status } = message
    this.#nameIt(message)
    this.#answer.update(textOf(message))
    if (role === "user") return place(this.node, [this.#who, this.#answer.node])
    const calls = parts.filter(isCall)
    const thoughts = parts.filter(isThought)
    const isOver = status !== "waiting" && status !== "writing"
    const now = saidLast(message)
    this.#say(now, status)
    this.#parts.update(
      message,
      calls,
      thoughts.filter((part) => part !== now),
    )
    const asked = calls.filter((call) => call.approval !== undefined || call.providerExecuted !== true)
    const [open, decided] = [asked.filter(isAsking), asked.filter((call) => !isAsking(call))]
    const views = (some: readonly CallPart[]): Node[] => some.map((call) => this.#ask(call, isOver))
    this.#ending(message)
    place(this.node, [
      this.#who,
      this.#parts.node,
      ...views(decided),
      this.#now,
      this.#answer.node,
      ...views(open),
      this.#end,
      ...this.#rated(message),
    ])
    this.#who.append(...(this.#answer.toggle === undefined ? [] : [this.#answer.toggle]))
  }

  #nameIt({ role, status, at, took }: ChatMessage): void {
    const working = role === "assistant" && (status === "writing" || status === "waiting") ? status : ""
    const told = `${working} ${at} ${took ?? ""}`
    if (told === this.#told) return
    this.#told = told
    const { me, agent, figures } = this.#talkers
    const name = role === "user" ? me : agent
    if (working !== "") {
      const isWriting = working === "writing"
      const mark = isWriting ? icon("running", "i-s spin") : icon("waiting", "i-s")
      this.#who.replaceChildren(
        name,
        h("span", { class: `st ${isWriting ? "running" : "waiting"}` }, mark, isWriting ? "at work" : "waiting"),
      )
    } else {
      const time = figures && role === "assistant" && took !== undefined ? `${clockTime(at)}, ${duration(took)}` : clockTime(at)
      this.#who.replaceChildren(name, h("span", {}, time))
    }
  }

  #say(now: TextPart | undefined, status: ChatMessage["status"]): void {
    this.#now.hidden = now === undefined || now.text.trim() === ""
    if (now === undefined) return
    const [words = this.#now.appendChild(h("span"))] = this.#now.children
    say(words, visible(now.text))
    const caret = this.#now.querySelector("i")
    if (status === "writing" && !caret) this.#now.append(h("i", { class: "caret" }))
    if (status !== "writing") caret?.remove()
    this.#now.toggleAttribute("aria-hidden", status === "writing")
    if (status === "writing") this.#now.setAttribute("aria-hidden", "true")
  }

  /** A finished answer is asked about, each of its runs for itself. */
  #rated({ status, metadata: { run } }: ChatMessage): readonly Node[] {
    const { rate } = this.#talkers
    if (!rate || run === undefined || status !== "succeeded") return []
    if (this.#rate?.run !== run) this.#rate = { run, view: new RateView(run, rate) }
    return [this.#rate.view.node]
  }

  #ask(call: CallPart, isOver: boolean): Node {
    const id = call.approval?.id ?? call.toolCallId
    const view = this.#asks.get(id) ?? new AskView(this.#thread, this.#talkers.power)
    this.#asks.set(id, view)
    view.update(call, isOver)
    return view.node
  }

  #ending({ status, problem }: ChatMessage): void {
    const shown = status === "failed" || status === "refused" || status === "canceled" ? `${status} ${problem ?? ""}` : ""
    if (this.#end.dataset["shown"] === shown) return
    this.#end.dataset["shown"] = shown
    if (shown === "") return this.#end.replaceChildren()
    const isStopped = status === "canceled"
    const words = isStopped ? "Stopped. Completed work is kept." : (problem ?? "The run failed without a reason.")
    const again = button("Again", "", () => void this.#thread.again())
    this.#end.replaceChildren(
      h(
        "p",
        { class: `note ${isStopped ? "canceled" : "error"}` },
        icon(isStopped ? "stop" : "error"),
        h("span", {}, visible(words)),
        again,
      ),
    )
  }
}

/** The calls and what was said on the way, in one line; refused ones stay in view. */
class Parts {
  readonly node = h("div", { class: "parts" })
  readonly #line = h("span")
  readonly #fold = h("details", {}, h("summary", {}, icon("right", "i-s tri"), this.#line))
  readonly #calls = new Map<string, CallView>()
  readonly #thoughts = new Map<string, HTMLElement>()
  readonly #figures: boolean

  constructor(figures: boolean) {
    this.#figures = figures
  }

  update(message: ChatMessage, calls: readonly CallPart[], thoughts: readonly TextPart[]): void {
    const own = calls.filter(({ providerExecuted }) => providerExecuted === true)
    const refused = own.filter(({ state }) => state === "output-denied" || state === "output-error")
    const folded = message.parts.flatMap((part): Node[] => {
      if (!isCall(part)) return thoughts.includes(part) && part.text.trim() !== "" ? [this.#thought(part)] : []
      // What asks is shown by its question.
      return own.includes(part) && !refused.includes(part) && !isAsking(part) ? [this.#call(part)] : []
    })
    say(this.#line, callsLine(message, own, this.#figures))
    place(this.#fold, [...this.#fold.querySelectorAll(":scope > summary"), ...folded])
    place(this.node, [...(folded.length === 0 ? [] : [this.#fold]), ...refused.map((part) => this.#call(part))])
    this.node.hidden = this.node.childElementCount === 0
  }

  #call(part: CallPart): Node {
    const view = this.#calls.get(part.toolCallId) ?? new CallView(part)
    this.#calls.set(part.toolCallId, view)
    view.update(part)
    return view.node
  }

  #thought({ id, text }: TextPart): Node {
    const node = this.#thoughts.get(id) ?? h("p", { class: "thought" })
    this.#thoughts.set(id, node)
    say(node, visible(text))
    return node
  }
}

/** Markdown of text nodes, or the text as it is. */
class AnswerText {
  readonly node = h("div", { class: "md" })
  toggle: HTMLButtonElement | undefined
  readonly #isMarkdown: boolean
  #text = ""
  #isPlain = false

  constructor(isMarkdown: boolean) {
    this.#isMarkdown = isMarkdown
    this.node.hidden = true
  }

  update(text: string): void {
    if (text === this.#text) return
    this.#text = text
    this.node.hidden = text === ""
    this.#draw()
  }

  #draw(): void {
    const plain = h("p", {}, this.#text)
    const formed = this.#isMarkdown ? markdownView(this.#text) : [plain]
    const isSame = formed.length === 1 && formed[0]?.tagName === "P" && formed[0].childElementCount === 0
    if (isSame) this.toggle = undefined
    else this.toggle ??= this.#switch()
    this.node.replaceChildren(...(this.#isPlain ? [plain] : formed))
  }

  #switch(): HTMLButtonElement {
    const node = button("Text", "bare", () => {
      this.#isPlain = !this.#isPlain
      node.setAttribute("aria-pressed", String(this.#isPlain))
      this.#draw()
    })
    node.setAttribute("aria-pressed", "false")
    return node
  }
}
