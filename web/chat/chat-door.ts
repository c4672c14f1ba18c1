// Calls the AI SDK's routes for one flow and one thread [P22–P24] from a browser. Besides, only the feedback of its runs [V20] is used of the API.

import { sseData } from "../../src/client/transport/sse.ts"
import { fields, text, type Chunk } from "./ui-message.ts"

export interface ChatAddress {
  /** Where the instance is, with a slash at its end. */
  readonly server: string
  readonly flow: string
  readonly thread: string
}

/**
 * Returns a chat token; undefined in the console, whose session is a cookie [H13]. `stale`: the token that was refused, "" for a session.
 */
export type Bearer = (stale?: string) => Promise<string | undefined>

/** An answer that is not a stream [H3]. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  /** Seconds until it may be tried again. */
  readonly retryAfter: number | undefined

  constructor(status: number, problem: Readonly<Record<string, unknown>>, retryAfter: string | null) {
    super(text(problem["detail"]) ?? text(problem["title"]) ?? `The server answered ${status}.`)
    this.status = status
    this.code = text(problem["code"]) ?? ""
    const seconds = Number(retryAfter ?? "")
    this.retryAfter = retryAfter !== null && seconds >= 0 ? seconds : undefined
  }
}

export class ChatDoor {
  readonly place: ChatAddress
  readonly #bearer: Bearer

  constructor(place: ChatAddress, bearer: Bearer) {
    this.place = place
    this.#bearer = bearer
  }

  /** POST …/chat: the frames of the message that answers. */
  send(body: object, signal: AbortSignal): Promise<AsyncGenerator<Chunk, boolean> | undefined> {
    const init = { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } }
    return this.#frames("chat", init, signal)
  }

  /** GET …/stream: the frames of the message that the thread is getting; undefined: none. */
  resume(signal: AbortSignal): Promise<AsyncGenerator<Chunk, boolean> | undefined> {
    return this.#frames(this.#stream(), { method: "GET" }, signal)
  }

  /** DELETE …/stream: the run is canceled, and its readers are told. */
  async stop(): Promise<void> {
    await this.#ask(this.#stream(), { method: "DELETE" }, AbortSignal.timeout(STOP_MS))
  }

  /** POST …/feedback [V20]: of a run of this thread. */
  async rate(run: string, said: object): Promise<void> {
    const init = { method: "POST", body: JSON.stringify(said), headers: { "content-type": "application/json" } }
    await this.#call(`v1/runs/${encodeURIComponent(run)}/feedback`, init, AbortSignal.timeout(STOP_MS))
  }

  #stream(): string {
    return `chat/${encodeURIComponent(this.place.thread)}/stream`
  }

  async #frames(path: string, init: Sent, signal: AbortSignal): Promise<AsyncGenerator<Chunk, boolean> | undefined> {
    const { status, body } = await this.#ask(path, init, signal)
    return status === 204 || !body ? undefined : chunks(body)
  }

  #ask(path: string, init: Sent, signal: AbortSignal): Promise<Response> {
    return this.#call(`v1/flows/${encodeURIComponent(this.place.flow)}/${path}`, init, signal)
  }

  /** A bearer that has just expired is asked for once more. */
  async #call(path: string, init: Sent, signal: AbortSignal): Promise<Response> {
    const url = `${this.place.server}${path}`
    let stale: string | undefined
    for (;;) {
      const bearer = await this.#bearer(stale)
      const isSession = bearer === undefined
      const headers = { ...init.headers, ...(isSession ? {} : { authorization: `Bearer ${bearer}` }) }
      const answer = await fetch(url, { ...init, headers, signal, credentials: isSession ? "same-origin" : "omit", cache: "no-store" })
      if (answer.ok) return answer
      const problem = fields(await answer.json().catch(() => undefined))
      if (answer.status !== 401 || stale !== undefined) throw new Refused(answer.status, problem, answer.headers.get("retry-after"))
      stale = bearer ?? ""
    }
  }
}

interface Sent {
  readonly method: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

const STOP_MS = 15_000

/** Returns whether the stream was told to its end. */
async function* chunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Chunk, boolean> {
  for await (const data of sseData(body)) {
    if (data === "[DONE]") return true
    yield fields(JSON.parse(data))
  }
  return false
}
