// One request and its answer: the key, Idempotency-Key on every POST, and what is tried again. No dependency but fetch.
//
// Tried again: 429, 503 and 409 `idempotency_busy` that say when (Retry-After), and requests whose answer never came. A POST carries a
// key of its own [H4], so a repeat is answered and not done again.

import { errorOf, SluiceError } from "./sluice-error.ts"

export interface Options {
  readonly url: string
  /** An API key. */
  readonly key?: string
  /** In place of a key: a token of one run, for its view and its events [H1]. */
  readonly token?: string
  /** How often a request is tried again; default 4. */
  readonly retries?: number
  /** Default: the platform's. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  readonly WebSocket?: new (url: string) => WebSocket
}

export interface Ask {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** JSON, or text and bytes as they are. */
  readonly body?: unknown
  readonly type?: string
  /** Of a POST: the caller's own key, so that a start that is asked for twice is one run. */
  readonly idempotencyKey?: string | undefined
  readonly signal?: AbortSignal | undefined
}

const LONGEST_WAIT_MS = 60_000

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
    return (await answer.json()) as T
  }

  async text(path: string, ask: Ask = {}): Promise<string> {
    return (await this.send("GET", path, ask)).text()
  }

  /** Any answer but a refusal; a refusal is thrown as a SluiceError. */
  async send(method: string, path: string, ask: Ask = {}): Promise<Response> {
    const most = this.#options.retries ?? 4
    const request = this.#request(method, path, ask)
    for (let attempt = 0; ; attempt++) {
      let answer: Response
      try {
        answer = await this.#fetch(request.url, request.init)
      } catch (error) {
        if (attempt >= most || ask.signal?.aborted === true) throw unreached(method, path, error)
        await pause(backoff(attempt), ask.signal)
        continue
      }
      if (answer.ok || answer.status === 304) return answer
      const wait = attempt < most && RETRIED.has(answer.status) ? retryAfter(answer) : undefined
      if (wait === undefined) throw await errorOf(answer)
      await answer.body?.cancel()
      await pause(wait, ask.signal)
    }
  }

  /** A stream: asked for once, for whoever follows it knows where it goes on. */
  stream(path: string, ask: Ask): Promise<Response> {
    const { url, init } = this.#request("GET", path, { ...ask, headers: { ...ask.headers, accept: "text/event-stream" } })
    return this.#fetch(url, init)
  }

  /** The token that it was made with, if it was. */
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
    // Called without a receiver: browsers and Workers refuse `fetch` as a method of something else.
    return own === undefined ? fetch(url, init) : own(url, init)
  }

  #request(method: string, path: string, ask: Ask): { readonly url: string; readonly init: RequestInit } {
    const { key, token } = this.#options
    const headers = new Headers({ accept: "application/json" })
    for (const [name, value] of Object.entries(ask.headers ?? {})) if (value !== undefined) headers.set(name, value)
    if (key !== undefined) headers.set("authorization", `Bearer ${key}`)
    if (method === "POST") headers.set("idempotency-key", ask.idempotencyKey ?? freshKey())
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(ask.query ?? {})) if (value !== undefined) query.set(name, String(value))
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

/** Milliseconds, when the server says when; without that it means what it says. */
function retryAfter(answer: Response): number | undefined {
  const seconds = answer.headers.get("retry-after")
  return seconds === null || !/^\d+$/.test(seconds) ? undefined : Math.min(Number(seconds) * 1000, LONGEST_WAIT_MS)
}

/** 0.2 s, 0.4 s, … 5 s, a little apart from those of others. */
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
    : new SluiceError({ status: 0, code: "network", message: `${method} ${path}: no answer came` }, cause)

/** `crypto.randomUUID` is missing on pages without TLS. */
function freshKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** A part of a path: a slash in an id is no slash of the path. */
export const part = (id: string): string => encodeURIComponent(id)
/** A path with its slashes. */
export const parts = (path: string): string => path.split("/").map(part).join("/")
