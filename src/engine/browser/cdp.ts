// Speaks the Chrome DevTools protocol over one connection: calls and their results, events, and target sessions.

import { defined } from "../../core/defined.ts"
import { isObject, type Json, type JsonObject } from "../../core/json.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import type { BrowserLine } from "../../ports/browser.ts"

export interface CdpEvent {
  readonly method: string
  readonly params: JsonObject
  /** Absent: an event of the browser itself. */
  readonly session?: string
}

interface Waiting {
  readonly method: string
  readonly resolve: (result: JsonObject) => void
  readonly reject: (fault: Error) => void
}

export class Cdp {
  readonly #line: BrowserLine
  readonly #on: (event: CdpEvent) => void
  readonly #waiting = new Map<number, Waiting>()
  #last = 0
  #closed: string | undefined

  /** `on`: called for every event; `gone`: called once, when the connection closes. */
  constructor(line: BrowserLine, on: (event: CdpEvent) => void, gone: (why: string) => void) {
    this.#line = line
    this.#on = on
    line.listen({
      message: (text) => this.#receive(text),
      closed: (why) => {
        if (this.#end(why)) gone(why)
      },
    })
  }

  get closed(): string | undefined {
    return this.#closed
  }

  /** Rejects with the browser's error, or if the connection closes before the result arrives. */
  call(method: string, params: JsonObject = {}, session?: string): Promise<JsonObject> {
    if (this.#closed !== undefined) return Promise.reject(new Error(this.#closed))
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { method, resolve, reject })
      try {
        this.#line.send(JSON.stringify({ id, method, params, ...defined({ sessionId: session }) }))
      } catch (e) {
        this.#waiting.delete(id)
        reject(new Error(`the browser cannot be reached: ${messageOf(e)}`))
      }
    })
  }

  /** A call whose result is ignored: its target may already be gone. */
  send(method: string, params: JsonObject = {}, session?: string): void {
    this.call(method, params, session).catch(() => undefined)
  }

  async close(): Promise<void> {
    this.#end("the browser was closed")
    await this.#line.close()
  }

  #receive(text: string): void {
    const message = parsed(text)
    if (!message) return
    const { id, method, params, result, error, sessionId } = message
    if (typeof id === "number") {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (isObject(error)) waiting?.reject(new Error(`${waiting.method}: ${stringIn(error, "message") ?? "failed"}`))
      else waiting?.resolve(isObject(result) ? result : {})
    } else if (typeof method === "string")
      this.#on({ method, params: isObject(params) ? params : {}, ...(typeof sessionId === "string" ? { session: sessionId } : {}) })
  }

  #end(why: string): boolean {
    if (this.#closed !== undefined) return false
    this.#closed = why
    for (const { reject } of this.#waiting.values()) reject(new Error(why))
    this.#waiting.clear()
    return true
  }
}

/** Ignores text that is not a JSON object: closing the connection may cut a message. */
function parsed(text: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export const stringIn = (from: unknown, name: string): string | undefined => {
  const value = isObject(from) ? from[name] : undefined
  return typeof value === "string" ? value : undefined
}
export const numberIn = (from: unknown, name: string): number | undefined => {
  const value = isObject(from) ? from[name] : undefined
  return typeof value === "number" ? value : undefined
}
