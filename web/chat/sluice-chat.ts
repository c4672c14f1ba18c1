// <sluice-chat token="…">: a chat with a flow on any page [P9, P22–P24].
//
// It has a shadow root with its own style sheet, loads nothing else, and speaks to its instance alone: the one that this script comes from, or
// `server`. What the page's policy needs to allow is this script and connections to that instance (docs/guide/14-embed-a-chat.md).
//
// Attributes: `token`, or `token-src`, an address of the page's own server that makes tokens; `flow`, `thread`: unless the token says them;
// `label`, `me`, `agent`, `placeholder`, `fine`: words; `theme`: `light` or `dark`; `color`: of its main buttons; `floating`: a window in a `corner`,
// which the visitor opens; `open`: it is open from the beginning; `keep`: `session`, `local` or `none`. Events: `sluice-end` with {run, status} after each turn, `sluice-feedback` with {run, thumb?, comment?} after a
// visitor has rated an answer, `sluice-token` when a token has run out.

import { defined } from "../../src/core/defined.ts"
import partsStyle from "../parts.css"
import tokensStyle from "../tokens.css"
import chatStyle from "./chat.css"
import elementStyle from "./element.css"
import { ChatDoor, type Bearer } from "./chat-door.ts"
import { ChatThread } from "./chat-thread.ts"
import { readChatToken } from "./chat-token.ts"
import { attribute, h, icon, iconButton, place } from "./draw.ts"
import { pageColors } from "./page-color.ts"
import { KeptThreads } from "./kept-threads.ts"
import { Talk } from "./talk.ts"
import type { Rate } from "./rate-view.ts"
import { NoToken, TokenSource } from "./token-source.ts"

/** The folder of this script is the instance, also behind a dispatcher. */
const HOME = new URL("./", import.meta.url).href

const style = new CSSStyleSheet()
style.replaceSync([elementStyle, tokensStyle, partsStyle, chatStyle].join("\n"))

const FINE = "Answers come from an AI and can be wrong."

class SluiceChat extends HTMLElement {
  static readonly observedAttributes = [
    "token",
    "token-src",
    "flow",
    "thread",
    "server",
    "label",
    "me",
    "agent",
    "placeholder",
    "fine",
    "theme",
    "color",
    "keep",
  ]

  readonly #root = this.attachShadow({ mode: "open" })
  readonly #title = h("h2", { class: "cut", id: "title" })
  readonly #select = h("select", { class: "input small", "aria-label": "Conversation" })
  readonly #new = iconButton("plus", "New conversation", "bare square", () => void this.#startNew())
  readonly #close = iconButton("x", "Close", "bare square", () => this.#fold(true))
  readonly #opener = iconButton("chat", "Open the chat", "first opener", () => this.#fold(false))
  readonly #head = h("div", { class: "panel-head" }, this.#title, h("span", { class: "grow" }), this.#select, this.#new, this.#close)
  readonly #body = h("section", { class: "sc", "aria-labelledby": "title" }, this.#head)
  #sources: TokenSource | undefined
  #thread: ChatThread | undefined
  #talk: Talk | undefined
  #queued = false
  #told = ""
  #isBegun = false

  constructor() {
    super()
    this.#root.adoptedStyleSheets = [style]
    this.#root.append(this.#body)
    this.#body.append(this.#opener)
    this.#select.addEventListener("change", () => void this.#show(this.#select.value))
  }

  connectedCallback(): void {
    // A page is not covered before its visitor wants to talk, and no token is asked for.
    if (!this.#isBegun && this.hasAttribute("floating") && !this.hasAttribute("open")) this.toggleAttribute("closed", true)
    this.#isBegun = true
    this.#later()
  }

  disconnectedCallback(): void {
    this.#leave()
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after || !this.isConnected) return
    // A new token of the same chat: the conversation goes on.
    const thread = name === "token" && after !== null ? readChatToken(after).thread : undefined
    if (after !== null && thread !== undefined && thread === this.#thread?.door.place.thread) {
      this.#sources?.give(thread, after)
      if (!this.#thread.isBusy) void this.#thread.resume()
    } else if (name === "theme" || name === "label" || name === "color") this.#dress()
    else this.#later()
  }

  /** The run goes on; the page only stops looking. */
  #leave(): void {
    this.#thread?.close()
    this.#talk?.close()
    this.#thread = undefined
    this.#talk = undefined
  }

  /** Attributes come one by one. */
  #later(): void {
    if (this.#queued) return
    this.#queued = true
    queueMicrotask(() => {
      this.#queued = false
      if (!this.isConnected) return
      if (this.hasAttribute("closed") && !this.#talk) this.#dress()
      else void this.#open()
    })
  }

  #dress(): void {
    const theme = this.getAttribute("theme")
    attribute(this.#body, { "data-theme": theme === "light" || theme === "dark" ? theme : undefined })
    this.#title.textContent = this.getAttribute("label") ?? "Chat"
    this.#close.hidden = !this.hasAttribute("floating")
    const { light, dark } = pageColors(this.getAttribute("color") ?? "") ?? {}
    const both = (of: "back" | "ink", own: string): string => `light-dark(${light?.[of] ?? own}, ${dark?.[of] ?? own})`
    const isColored = light !== undefined || dark !== undefined
    attribute(this.#body, { "data-colored": isColored ? "" : undefined })
    for (const [name, of, own] of [
      ["--page-color", "back", "var(--ink)"],
      ["--on-page-color", "ink", "var(--on-ink)"],
    ] as const)
      if (isColored) this.#body.style.setProperty(name, both(of, own))
      else this.#body.style.removeProperty(name)
  }

  #fold(closed: boolean): void {
    this.toggleAttribute("closed", closed)
    if (closed) return this.#opener.focus()
    if (this.#talk) return this.#talk.composer.field.focus()
    void this.#open().then(() => this.#talk?.composer.field.focus())
  }

  async #open(): Promise<void> {
    this.#leave()
    this.#dress()
    const [token, address] = [this.getAttribute("token"), this.getAttribute("token-src")]
    const says = token === null ? undefined : readChatToken(token)
    this.#sources = new TokenSource(address ?? undefined, (one) => readChatToken(one).expires)
    this.#new.hidden = !this.#sources.makesThreads
    const thread = this.getAttribute("thread") ?? says?.thread
    if (token !== null && thread !== undefined) this.#sources.give(thread, token)
    if (thread !== undefined) return this.#show(thread)
    if (address === null) return this.#fail("This chat has no token: set `token` or `token-src`.")
    const [newest] = this.#flow === undefined ? [] : this.#kept(this.#flow).rows()
    return newest === undefined ? this.#startNew() : this.#show(newest.thread)
  }

  async #startNew(): Promise<void> {
    try {
      const made = await this.#sources?.make(defined({ flow: this.#flow }))
      if (made) await this.#show(made.thread, made.token)
    } catch (e) {
      this.#fail(e instanceof NoToken ? e.message : "This page's server is unreachable.")
    }
  }

  async #show(thread: string, token?: string): Promise<void> {
    const sources = this.#sources
    if (!sources) return
    let says
    try {
      says = readChatToken(token ?? (await sources.of(thread, this.#flow ?? "")))
    } catch (e) {
      return this.#fail(e instanceof NoToken ? e.message : "This page's server is unreachable.")
    }
    const flow = this.#flow ?? says.flow
    if (flow === undefined) return this.#fail("This chat's token does not name a flow.")
    if (sources !== this.#sources) return
    this.#leave()
    const bearer: Bearer = async (stale) => {
      if (stale !== undefined && !sources.makesThreads) this.dispatchEvent(new CustomEvent("sluice-token", { detail: { flow, thread } }))
      return sources.of(thread, flow, stale)
    }
    const kept = this.#kept(flow)
    const door = new ChatDoor({ server: this.#server, flow, thread }, bearer)
    const rate: Rate = async (run, said) => {
      await door.rate(run, said)
      this.dispatchEvent(new CustomEvent("sluice-feedback", { detail: { run, ...said } }))
    }
    this.#thread = new ChatThread(door, kept.of(thread))
    this.#talk = new Talk(this.#thread, {
      me: this.getAttribute("me") ?? "You",
      agent: this.getAttribute("agent") ?? this.getAttribute("label") ?? flow,
      power: says.answer ? "answer" : "none",
      figures: false,
      ...(says.feedback ? { rate } : {}),
      placeholder: this.getAttribute("placeholder") ?? "Write a message",
      fine: this.getAttribute("fine") ?? FINE,
      wide: false,
      about: [h("p", { class: "empty" }, "Write a message to begin.")],
    })
    place(this.#body, [this.#head, ...this.#talk.nodes, this.#opener])
    this.#list(kept, thread)
    this.#thread.listen(() => this.#tell(kept, thread))
    await this.#thread.resume()
  }

  #list(kept: KeptThreads, thread: string): void {
    const rows = kept.rows()
    const all = rows.some((row) => row.thread === thread) ? rows : [{ thread, title: "New conversation" }, ...rows]
    this.#select.replaceChildren(...all.map((row) => h("option", { value: row.thread }, row.title)))
    this.#select.value = thread
    this.#select.hidden = all.length < 2 || this.#sources?.makesThreads !== true
  }

  #tell(kept: KeptThreads, thread: string): void {
    const { last, isBusy } = this.#thread ?? {}
    if (isBusy !== false || last === undefined) return
    const told = `${last.id} ${last.status}`
    if (told === this.#told) return
    this.#told = told
    this.#list(kept, thread)
    if (last.role === "assistant")
      this.dispatchEvent(new CustomEvent("sluice-end", { detail: { run: last.metadata.run, status: last.status } }))
  }

  #fail(words: string): void {
    this.#leave()
    place(this.#body, [
      this.#head,
      h("div", { class: "talk" }, h("p", { class: "note error", role: "alert" }, icon("error"), h("span", {}, words))),
      this.#opener,
    ])
  }

  get #flow(): string | undefined {
    return this.getAttribute("flow") ?? undefined
  }

  get #server(): string {
    return new URL(`${(this.getAttribute("server") ?? HOME).replace(/\/$/, "")}/`, document.baseURI).href
  }

  #kept(flow: string): KeptThreads {
    return new KeptThreads(storageOf(this.getAttribute("keep")), { server: this.#server, flow })
  }
}

/** Reading the property throws where a browser allows no storage. */
function storageOf(keep: string | null): Storage | undefined {
  try {
    return keep === "none" ? undefined : keep === "local" ? localStorage : sessionStorage
  } catch {
    return undefined
  }
}

if (!customElements.get("sluice-chat")) customElements.define("sluice-chat", SluiceChat)
