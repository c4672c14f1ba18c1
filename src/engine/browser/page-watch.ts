// Tracks a page from its browser's events: whether it is loading, its HTTP status, its dialogs, and whether it still exists.

import type { JsonObject } from "../../core/json.ts"
import { numberIn, stringIn } from "./cdp.ts"
import { pause } from "../../ports/timers.ts"

/** The times to wait for a page, in milliseconds. */
export interface Pace {
  /** A page rests after this long without activity. */
  readonly quiet: number
  /** A page that never rests is used as is after this long. */
  readonly most: number
}
export const PACE: Pace = { quiet: 300, most: 12_000 }

/** Once a page has loaded, the wait runs down this many times faster: after 3 s. */
const LOADED = 4
const MAX_NOTES = 10 // limit: notes about a page → further ones are left out
/** A longer one is left out: a page may say megabytes. */
const MAX_NOTE_CHARS = 64 * 1024 // limit: characters of a note about a page → a longer one is left out

export class PageWatch {
  /** The target id of the page and of its main frame; "": not created yet. */
  target = ""
  /** Why the page is gone. */
  lost: string | undefined
  /** HTTP status of the last loaded document. */
  status: number | undefined
  readonly #pace: Pace
  readonly #send: (method: string, params: JsonObject) => void
  readonly #requests = new Set<string>()
  #loading = false
  #moved = 0
  #notes: string[] = []

  constructor(pace: Pace, send: (method: string, params: JsonObject) => void) {
    this.#pace = pace
    this.#send = send
  }

  /** Starts a call that may load a document (`isLoading`: certainly does). */
  expect(isLoading = this.#loading): void {
    this.status = undefined
    this.#loading = isLoading
  }

  /** Kept whole: whoever shows it takes secrets out first, and cuts it then [T32]. */
  note(text: string): void {
    if (this.#notes.length >= MAX_NOTES) return
    this.#notes.push(text.length <= MAX_NOTE_CHARS ? text : `a message of the page, of ${text.length} characters, is left out`)
  }

  /** The notes since the last call of this method. */
  notes(): readonly string[] {
    const notes = this.#notes
    this.#notes = []
    return notes
  }

  /** An event of this page. */
  receive(method: string, params: JsonObject): void {
    const request = stringIn(params, "requestId") ?? ""
    switch (method) {
      case "Page.frameStartedLoading":
      case "Page.frameStoppedLoading":
        if (params["frameId"] === this.target) this.#loading = method.endsWith("StartedLoading")
        break
      case "Page.javascriptDialogOpening":
        this.note(
          `the page asked (${stringIn(params, "type") ?? "?"}): ${JSON.stringify(stringIn(params, "message") ?? "")}; it was dismissed`,
        )
        return this.#send("Page.handleJavaScriptDialog", { accept: params["type"] === "beforeunload" })
      case "Page.windowOpen":
        this.note(`the page opened a window, which was closed: ${stringIn(params, "url") ?? ""}`)
        break
      case "Page.fileChooserOpened":
        this.note("the page asked for a file; none was provided")
        break
      case "Inspector.targetCrashed":
        this.lost ??= "it crashed"
        break
      case "Network.requestWillBeSent":
        this.#requests.add(request)
        break
      case "Network.responseReceived":
        if (params["type"] === "Document" && params["frameId"] === this.target) this.status = numberIn(params["response"], "status")
        break
      case "Network.loadingFinished":
      case "Network.loadingFailed":
        this.#requests.delete(request)
        break
      default:
        return
    }
    this.#moved++
  }

  /** Waits until the page rests: loaded, and no requests for a while. A loaded page that keeps sending requests (many never stop) gets
   *  a shorter wait than a loading page. */
  async settled(signal: AbortSignal): Promise<void> {
    const { quiet, most } = this.#pace
    let left = most
    for (let seen = -1; left > 0 && this.lost === undefined;) {
      if (!this.#loading && this.#requests.size === 0 && seen === this.#moved) return
      seen = this.#moved
      await this.stoppable(pause(quiet), signal)
      left -= this.#loading ? quiet : quiet * LOADED
    }
    if (this.#loading && this.lost === undefined) this.note(`the page was still loading after ${most} ms`)
    this.#loading = false
    this.#requests.clear()
  }

  /** Ends the call on abort; the page stops loading but stays open. */
  async stoppable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    let stop = (): void => {}
    const stopped = new Promise<never>((_, reject) => {
      stop = () => {
        this.#send("Page.stopLoading", {})
        this.#loading = false
        reject(signal.reason instanceof Error ? signal.reason : new Error("it was canceled"))
      }
    })
    if (signal.aborted) stop()
    signal.addEventListener("abort", stop, { once: true })
    try {
      return await Promise.race([work, stopped])
    } finally {
      signal.removeEventListener("abort", stop)
    }
  }
}
