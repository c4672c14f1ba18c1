// Sends a request and returns its answer, with the key, an Idempotency-Key on every POST, and retries. The only dependency is fetch.
//
// Retried: 409, 429 and 503 with a Retry-After header, and requests whose answer never arrived. Every POST has its own Idempotency-Key
// [H4], so a repeated request gets the first answer and does nothing twice.

import { errorOf, SluiceError } from "./sluice-error.ts"

export interface Options {
  readonly url: string
  /** An API key. */
  readonly key?: string
  /** Instead of a key: a token of one run, which opens its view and its events [H1]. */
  readonly token?: string
  /** The maximum number of retries; default 4. */
  readonly retries?: number
  /** Default: the platform's `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Told before a refused request waits to be tried again: the status, and for how many milliseconds. */
  readonly waits?: (status: number, ms: number) => void
  readonly WebSocket?: new (url: string) => WebSocket
}

export interface Ask {
  /** true is sent as 1, false is left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Sent as JSON; with `type`, text and bytes are sent unchanged. */
  readonly body?: unknown
  readonly type?: string
  /** Seconds that the answer may take [H9]. */
  readonly wait?: number | undefined
  /** For a POST: the caller's own key, so that two starts with it are one run. */
  readonly idempotencyKey?: string | undefined
  readonly signal?: AbortSignal | undefined
}

const MAX_WAIT_MS = 60_000 // limit: milliseconds that the client waits before it tries again → it tries then

export class Transport {
  readonly #options: Options
  readonly #base: string

  constructor(options: Options) {
    this.#options = options
    this.#base = options.url.replace(/\/+$/, "")
  }

  async json<T>(method: string, path: string, ask: Ask = {}): Promise<T> {
    const answer = await this.send(method, path, ask)
    if (answer.status === 204) return undefined as T
    const text = await answer.text().catch((error: unknown) => {
      // A connection that breaks within the answer is one without an answer.
      throw unreached(method, path, error)
    })
    try {
      return JSON.parse(text) as T
    } catch {
      throw new SluiceError({ status: answer.status, code: "answer", message: `not JSON: ${text.slice(0, 200)}` })
    }
  }

  async text(path: string, ask: Ask = {}): Promise<string> {
    return (await this.send("GET", path, ask)).text()
  }

  /** Returns the answer; throws a refusal as a SluiceError. */
  async send(method: string, path: string, ask: Ask = {}): Promise<Response> {
    const retries = this.#options.retries ?? 4
    const request = this.#request(method, path, ask)
    for (let attempt = 0; ; attempt++) {
      let answer: Response
      try {
        answer = await this.#fetch(request.url, request.init)
      } catch (error) {
        if (attempt >= retries || ask.signal?.aborted === true) throw unreached(method, path, error)
        await pause(backoff(attempt), ask.signal)
        continue
      }
      if (answer.ok || answer.status === 304) return answer
      const wait = attempt < retries && RETRIED.has(answer.status) ? retryAfter(answer) : undefined
      if (wait === undefined) throw await errorOf(answer)
      await answer.body?.cancel()
      this.#options.waits?.(answer.status, wait)
      await pause(wait, ask.signal)
    }
  }

  /** Opens a stream without retries: only its reader knows the cursor to continue from. */
  stream(path: string, ask: Ask): Promise<Response> {
    const { url, init } = this.#request("GET", path, { ...ask, headers: { ...ask.headers, accept: "text/event-stream" } })
    return this.#fetch(url, init)
  }

  /** The run token that the client was created with; undefined if it has a key. */
  get token(): string | undefined {
    return this.#options.key === undefined ? this.#options.token : undefined
  }

  socket(path: string, query: Readonly<Record<string, string | number>>): WebSocket {
    const Socket = this.#options.WebSocket ?? WebSocket
    const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
    return new Socket(`${this.#base.replace(/^http/, "ws")}${path}?${search.toString()}`)
  }

  #fetch(url: string, init: RequestInit): Promise<Response> {
    const own = this.#options.fetch
    // Called without a receiver: browsers and Workers reject `fetch` as a method of another object.
    return own === undefined ? fetch(url, init) : own(url, init)
  }

  #request(method: string, path: string, ask: Ask): { readonly url: string; readonly init: RequestInit } {
    const { key, token } = this.#options
    const headers = new Headers({ accept: "application/json" })
    for (const [name, value] of Object.entries(ask.headers ?? {})) if (value !== undefined) headers.set(name, value)
    if (ask.wait !== undefined) headers.set("prefer", `wait=${ask.wait}`)
    if (key !== undefined) headers.set("authorization", `Bearer ${key}`)
    if (method === "POST") headers.set("idempotency-key", ask.idempotencyKey ?? freshKey())
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(ask.query ?? {}))
      if (value !== undefined && value !== false) query.set(name, value === true ? "1" : String(value))
    if (key === undefined && token !== undefined) query.set("token", token)
    const search = query.size === 0 ? "" : `?${query.toString()}`
    const isText = ask.type !== undefined
    if (ask.body !== undefined) headers.set("content-type", ask.type ?? "application/json")
    return {
      url: `${this.#base}${path}${search}`,
      init: {
        method,
        headers,
        ...(ask.body === undefined ? {} : { body: isText ? (ask.body as BodyInit) : JSON.stringify(ask.body) }),
        ...(ask.signal === undefined ? {} : { signal: ask.signal }),
      },
    }
  }
}

const RETRIED: ReadonlySet<number> = new Set([409, 429, 503])

/** Milliseconds; undefined without Retry-After, because the refusal is then final. */
export function retryAfter(answer: Response): number | undefined {
  const seconds = answer.headers.get("retry-after")
  return seconds === null || !/^\d+$/.test(seconds) ? undefined : Math.min(Number(seconds) * 1000, MAX_WAIT_MS)
}

/** 0.2 s, 0.4 s, … 5 s, with jitter so that clients do not retry in step. */
export const backoff = (attempt: number): number => Math.min(5_000, 200 * 2 ** attempt) * (0.8 + Math.random() * 0.4)

export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((wake, fail) => {
    if (signal?.aborted === true) return fail(signal.reason)
    const stop = (): void => {
      clearTimeout(timer)
      fail(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      wake()
    }, ms)
    signal?.addEventListener("abort", stop, { once: true })
  })
}

const unreached = (method: string, path: string, cause: unknown): unknown =>
  cause instanceof DOMException && cause.name === "AbortError"
    ? cause
    : new SluiceError({ status: 0, code: "network", message: `${method} ${path}: the server did not answer` }, cause)

/** Not `crypto.randomUUID`, which pages without TLS lack. */
function freshKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** One segment of a path: a slash in an id is escaped. */
export const part = (id: string): string => encodeURIComponent(id)
/** A path of several segments, which keeps its slashes. */
export const parts = (path: string): string => path.split("/").map(part).join("/")
