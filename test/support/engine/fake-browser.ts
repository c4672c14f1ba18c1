// A browser reduced to its DevTools connection: it answers what a test sets, and the test plays the browser's events.

import type { BrowserHost } from "../../../src/ports/browser.ts"
import type { JsonObject } from "../../../src/core/json.ts"

export interface Said {
  readonly id: number
  readonly method: string
  readonly params: JsonObject
  readonly sessionId?: string
}

const ANSWERS: Readonly<Record<string, JsonObject>> = {
  "Target.createBrowserContext": { browserContextId: "context" },
  "Target.createTarget": { targetId: "target" },
  "Target.attachToTarget": { sessionId: "page" },
  "Page.createIsolatedWorld": { executionContextId: 7 },
  "Page.getFrameTree": { frameTree: { frame: { id: "target", url: "https://e.com/" } } },
  "Runtime.evaluate": { result: { type: "string", value: "A title" } },
  "Page.captureScreenshot": { data: btoa("\x89PNG picture") },
}

export class FakeBrowser implements BrowserHost {
  readonly said: Said[] = []
  opened = 0
  ended = 0
  /** By method: an answer, or an Error that the browser reports; null: never an answer. */
  readonly answers = new Map<string, JsonObject | Error | null>()
  /** Called after each call has been answered. */
  after: (said: Said) => void = () => {}
  #message: (text: string) => void = () => {}
  #closed: (why: string) => void = () => {}

  async open(): ReturnType<BrowserHost["open"]> {
    this.opened++
    return {
      send: (text) => {
        const said: Said = JSON.parse(text)
        this.said.push(said)
        const given = this.answers.get(said.method)
        const answer = given === undefined ? (ANSWERS[said.method] ?? {}) : given
        queueMicrotask(() => {
          if (answer instanceof Error) this.#message(JSON.stringify({ id: said.id, error: { message: answer.message } }))
          else if (answer !== null) this.#message(JSON.stringify({ id: said.id, result: answer }))
          this.after(said)
        })
      },
      listen: ({ message, closed }) => {
        this.#message = message
        this.#closed = closed
      },
      close: async () => void this.ended++,
    }
  }

  event(method: string, params: JsonObject, sessionId?: string): void {
    this.#message(JSON.stringify({ method, params, ...(sessionId === undefined ? {} : { sessionId }) }))
  }

  raw(text: string): void {
    this.#message(text)
  }

  lose(why: string): void {
    this.#closed(why)
  }

  methods(): string[] {
    return this.said.map(({ method }) => method)
  }

  of(method: string): JsonObject[] {
    return this.said.filter((s) => s.method === method).map(({ params }) => params)
  }
}

/** Every request so far has been answered. */
export const answered = async (): Promise<void> => {
  for (let n = 0; n < 20; n++) await Promise.resolve()
}
