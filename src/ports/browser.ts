// Defines a real browser [T25]: one page per agent session, driven by the browser.* tools. The page's network requests pass the same
// address guard as every other request that leaves the Worker [T21].

/**
 * A session's page. Calls of a session run one at a time. Each throws an Error that names the fault. Without a page (never opened, crashed,
 * or lost in a restart of the run's object), every call except `navigate` throws.
 */
export interface Browser {
  /** Throws `address refused: …` if the guard refuses the address or a redirect. Opens a page if there is none. */
  navigate(url: string, signal: AbortSignal): Promise<PageSeen>
  click(act: PageAct, signal: AbortSignal): Promise<PageSeen>
  type(act: PageAct & { readonly text: string; readonly append: boolean; readonly submit: boolean }, signal: AbortSignal): Promise<PageSeen>
  /** The page's current content, after its scripts ran. `selector`: that element only. */
  content(as: "html" | "text" | "controls", selector: string | undefined, signal: AbortSignal): Promise<PageContent>
  screenshot(whole: boolean, signal: AbortSignal): Promise<PageSeen & { readonly png: Uint8Array }>
  /** The value of an expression in the page, awaited, as JSON. */
  evaluate(script: string, page: string | undefined, signal: AbortSignal): Promise<PageSeen & { readonly value: string }>
}

/** An action on an element, found by CSS selector or visible label. */
export interface PageAct {
  readonly selector?: string
  readonly label?: string
  /** URL of the page that this act is meant for. If the page is on another host, nothing happens. */
  readonly page?: string
}

export interface PageSeen {
  readonly url: string
  readonly title: string
  /** HTTP status of the document, if this call loaded one. */
  readonly status?: number
  /** Requests, pop-ups and dialogs that were refused, closed or dismissed during the call. */
  readonly notes: readonly string[]
}

export interface PageContent extends PageSeen {
  readonly body: string
  /** The content was too long and `body` is cut. */
  readonly cut: boolean
}

/** A source of browsers: the Browser Rendering binding, or a local substitute. */
export interface BrowserHost {
  /** Starts a new browser and connects to it. Throws an Error if no browser is available. */
  open(signal: AbortSignal): Promise<BrowserLine>
}

/** A connection to the browser's DevTools; each text is one JSON message. */
export interface BrowserLine {
  send(message: string): void
  listen(on: { readonly message: (text: string) => void; readonly closed: (why: string) => void }): void
  /** Closes the browser. Never rejects. */
  close(): Promise<void>
}
