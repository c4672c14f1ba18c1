// A real browser [T25]: one page for each agent session, driven by the browser.* tools. What the page asks of the network is judged like
// everything else that leaves the Worker [T21].

/** What a session does with its page. Calls of one session are done one after another. Each throws an Error that says what was wrong;
 *  without a page (none was opened, it crashed, the run's object was restarted) all but `navigate` say so and do nothing. */
export interface Browser {
  /** Throws `address refused: …` when the guard refuses the address or one it leads to. Opens the page when there is none. */
  navigate(url: string, signal: AbortSignal): Promise<PageSeen>
  click(act: PageAct, signal: AbortSignal): Promise<PageSeen>
  type(act: PageAct & { readonly text: string; readonly append: boolean; readonly submit: boolean }, signal: AbortSignal): Promise<PageSeen>
  /** As it stands now, scripts run; `selector`: that element only. */
  content(as: "html" | "text" | "controls", selector: string | undefined, signal: AbortSignal): Promise<PageContent>
  screenshot(whole: boolean, signal: AbortSignal): Promise<PageSeen & { readonly png: Uint8Array }>
  /** The value of an expression in the page, awaited, as JSON. */
  evaluate(script: string, page: string | undefined, signal: AbortSignal): Promise<PageSeen & { readonly value: string }>
}

/** By CSS selector, or by what a person reads on it. */
export interface PageAct {
  readonly selector?: string
  readonly label?: string
  /** The page it is meant for; on another host nothing is done. */
  readonly page?: string
}

export interface PageSeen {
  readonly url: string
  readonly title: string
  /** HTTP status of the document, when this call loaded one. */
  readonly status?: number
  /** What was refused, closed or dismissed meanwhile. */
  readonly notes: readonly string[]
}

export interface PageContent extends PageSeen {
  readonly body: string
  /** Longer than is read. */
  readonly cut: boolean
}

/** Where browsers come from: the Browser Rendering binding, or what stands in for it. */
export interface BrowserHost {
  /** A browser of its own and a line to it. Throws an Error when there is none to be had. */
  open(signal: AbortSignal): Promise<BrowserLine>
}

/** The browser's own DevTools connection: one JSON message a text. */
export interface BrowserLine {
  send(message: string): void
  listen(on: { readonly message: (text: string) => void; readonly closed: (why: string) => void }): void
  /** Ends the browser. Never rejects. */
  close(): Promise<void>
}
