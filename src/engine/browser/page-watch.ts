// What a page does while it is driven, told by its browser: whether it loads or rests, what it answered, what it wanted of a person, and
// whether it is still there.

import type { JsonObject } from "../../core/json.ts"
import { numberIn, stringIn } from "./cdp.ts"

/** How a page is waited for, in milliseconds. */
export interface Pace {
  /** So long nothing may have moved. */
  readonly quiet: number
  /** A page that never rests is taken as it is after so long. */
  readonly most: number
}
export const PACE: Pace = { quiet: 300, most: 12_000 }

/** So much faster the patience with a page ends once it has loaded: after 3 s. */
const LOADED = 4
const MOST_NOTES = 10

export class PageWatch {
  /** The page's, which is its main frame's too; "": it is not there yet. */
  target = ""
  /** Why the page is gone. */
  lost: string | undefined
  /** Of the document that was loaded last. */
  status: number | undefined
  readonly #pace: Pace
  readonly #tell: (method: string, params: JsonObject) => void
  readonly #requests = new Set<string>()
  #loading = false
  #moved = 0
  #notes: string[] = []

  constructor(pace: Pace, tell: (method: string, params: JsonObject) => void) {
    this.#pace = pace
    this.#tell = tell
  }

  /** A call begins that may load a document, or surely does. */
  expect(isLoading = this.#loading): void {
    this.status = undefined
    this.#loading = isLoading
  }

  note(text: string): void {
    if (this.#notes.length < MOST_NOTES) this.#notes.push(text)
  }

  /** What was noted since this was asked last. */
  notes(): readonly string[] {
    const notes = this.#notes
    this.#notes = []
    return notes
  }

  /** An event of this page's own. */
  heard(method: string, params: JsonObject): void {
    const request = stringIn(params, "requestId") ?? ""
    switch (method) {
      case "Page.frameStartedLoading":
      case "Page.frameStoppedLoading":
        if (params["frameId"] === this.target) this.#loading = method.endsWith("StartedLoading")
        break
      case "Page.javascriptDialogOpening":
        this.note(
          `the page asked (${stringIn(params, "type") ?? "?"}): ${JSON.stringify((stringIn(params, "message") ?? "").slice(0, 300))}; it was dismissed`,
        )
        return this.#tell("Page.handleJavaScriptDialog", { accept: params["type"] === "beforeunload" })
      case "Page.windowOpen":
        this.note(`the page opened a window, which was closed: ${(stringIn(params, "url") ?? "").slice(0, 500)}`)
        break
      case "Page.fileChooserOpened":
        this.note("the page asked for a file: none was given")
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

  /** Until the page rests: loaded, and nothing has been asked for a while. A loaded page that goes on asking (many do for ever) is waited for
   *  less long than one that loads. */
  async settled(signal: AbortSignal): Promise<void> {
    const { quiet, most } = this.#pace
    let left = most
    for (let seen = -1; left > 0 && this.lost === undefined;) {
      if (!this.#loading && this.#requests.size === 0 && seen === this.#moved) return
      seen = this.#moved
      await this.stoppable(new Promise((resolve) => setTimeout(resolve, quiet)), signal)
      left -= this.#loading ? quiet : quiet * LOADED
    }
    if (this.#loading && this.lost === undefined) this.note(`the page was still loading after ${most} ms`)
    this.#loading = false
    this.#requests.clear()
  }

  /** The call is over when its time is; the page stops loading, and stays. */
  async stoppable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    let stop = (): void => {}
    const stopped = new Promise<never>((_, reject) => {
      stop = () => {
        this.#tell("Page.stopLoading", {})
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
