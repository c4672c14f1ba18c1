// Gives the official MCP client its `fetch`: every request passes the address guard, the server's output is bounded, and a broken response
// stream is resumed where it ended [T21, T27].

import type { FetchLike } from "@modelcontextprotocol/client"
import { defined } from "../../core/defined.ts"
import type { McpTarget } from "../../ports/mcp.ts"
import type { Net } from "../../ports/net.ts"
import { flood, MAX_BYTES } from "./mcp-flood.ts"
import { tidied } from "./oauth-answer.ts"
import { perIsolate } from "../../ports/isolate.ts"
import { later } from "../../ports/timers.ts"

/** The caller's signal is the real limit. */
const NO_LIMIT = 24 * 60 * 60 * 1000
/** [T27] A broken response stream is asked for again this many times in all, and this many times without a new event. */
const MAX_RESUMES = 200 // limit: times that a broken stream of one call is resumed → the call fails
const MAX_IDLE_RESUMES = 5 // limit: the same, without a new event → the call fails
/** The server may ask for a longer pause before it is asked again; a call has a time limit of its own. */
const WAIT_MS = 10_000

/** The official client's options for resuming. Its own limit counts only failed tries; this file counts all. */
export const RESUMING = {
  reconnectionOptions: {
    maxRetries: MAX_IDLE_RESUMES,
    initialReconnectionDelay: 200,
    maxReconnectionDelay: 5_000,
    reconnectionDelayGrowFactor: 2,
  },
  reconnectionScheduler: (again: () => void, delay: number): (() => void) => later(again, Math.min(delay, WAIT_MS)),
} as const

/** Streams for a server's own messages that are open at once in this isolate. A call holds one beside its own connection [J16]. */
// Limit: own streams of MCP servers that are open at once in an isolate → a further server is not heard beside its answers.
const MAX_LISTENING = 2
const streams = perIsolate(() => ({ open: 0 }))

export interface WayOut {
  /** Resolves when the server's own stream is open, or will not be. */
  readonly listening: Promise<void>
  readonly fetch: FetchLike
  /** The original error of a request: the client wraps it. */
  fault(): unknown
  /** Aborts when the server said more than it may. */
  readonly signal: AbortSignal
  /** How the server asked for a token, if its last answer did. */
  challenge(): string | undefined
}

/** `listens`: the server may send more than its answers, such as a question. */
export function wayOut(target: McpTarget, net: Net, listens = false): WayOut {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  let fault: unknown
  let challenge: string | undefined
  const said = flood()
  const resumed = resumes()
  const noted = (url: string, status: number, headers: Readonly<Record<string, string>>): void => {
    if (url === target.url) challenge = status === 401 ? (headers["www-authenticate"] ?? "") : undefined
  }
  const own = async (init: RequestInit): Promise<Response> => {
    const { authorization, ...headers } = Object.fromEntries(new Headers(init.headers ?? {}))
    const secret = authorization === undefined ? target.secretHeaders : { ...target.secretHeaders, authorization }
    const request = { url: target.url, method: "GET", headers, ...defined({ secretHeaders: secret }) }
    const signal = init.signal ?? new AbortController().signal
    const here = streams()
    here.open += 1
    const done = once(() => (here.open -= 1))
    signal.addEventListener("abort", done, { once: true })
    try {
      const answer = await net.open?.(request, signal)
      if (answer?.status === 200 && answer.body !== null)
        return response(200, answer.headers, said.read(answer.body, answer.headers["content-type"], done))
      await answer?.body?.cancel()
    } catch {
      // A server without such a stream is as good.
    }
    done()
    return new Response(null, { status: 405 })
  }
  return {
    listening: opened,
    fault: () => said.reason() ?? fault,
    signal: said.signal,
    challenge: () => challenge,
    async fetch(url, init) {
      const method = init?.method ?? "GET"
      // A session can be ended whatever the server said.
      if (method !== "DELETE") said.sends()
      const { body } = init ?? {}
      const { authorization, ...headers } = Object.fromEntries(new Headers(init?.headers ?? {}))
      if (method === "GET" && String(url) === target.url) {
        const isOwn = resumed.isOwn(headers["last-event-id"])
        if (isOwn && listens && streams().open < MAX_LISTENING) return own(init ?? {}).finally(open)
        open()
        const from = isOwn ? undefined : resumed.next(headers["last-event-id"])
        if (from === undefined) return new Response(null, { status: 405 })
        headers["last-event-id"] = from
      }
      // A token or a client's secret must not follow a redirect.
      const secret = authorization === undefined ? target.secretHeaders : { ...target.secretHeaders, authorization }
      const request = {
        url: String(url),
        method,
        headers,
        ...defined({ secretHeaders: secret }),
        ...(typeof body === "string" || body instanceof URLSearchParams ? { body: String(body) } : {}),
      }
      const signal = init?.signal ?? new AbortController().signal
      // Only an authorization server is asked at another address.
      const answer = async (given: Response): Promise<Response> => (request.url === target.url ? given : tidied(given))
      try {
        if (net.open === undefined) {
          const { status, headers, body } = await net.fetch({ ...request, maxBytes: MAX_BYTES, timeout: NO_LIMIT }, signal)
          noted(request.url, status, headers)
          const whole = new Response(body.bytes()).body
          return await answer(response(status, headers, whole && said.read(whole, headers["content-type"])))
        }
        const { status, headers, body } = await net.open(request, signal)
        noted(request.url, status, headers)
        return await answer(response(status, headers, body === null ? null : said.read(body, headers["content-type"])))
      } catch (e) {
        if (!signal.aborted) fault = e
        throw e
      }
    },
  }
}

/** Where a GET resumes a broken stream; undefined: it opens the stream for unsolicited messages, which could stay open indefinitely, or the
 *  stream broke too often. A stream that broke before its first event is resumed where the one before it was: the client forgets that. */
function resumes(): { isOwn(id: string | undefined): boolean; next(id: string | undefined): string | undefined } {
  let last: string | undefined
  let all = 0
  let idle = 0
  return {
    isOwn: (id) => id === undefined && last === undefined,
    next(id) {
      const from = id ?? last
      if (from === undefined) return undefined
      idle = from === last ? idle + 1 : 1
      all += 1
      last = from
      return idle > MAX_IDLE_RESUMES || all > MAX_RESUMES ? undefined : from
    },
  }
}

/** Some statuses may not have a body, even if one was sent. */
const response = (status: number, headers: Readonly<Record<string, string>>, body: BodyInit | null): Response =>
  new Response(status === 204 || status === 205 || status === 304 ? null : body, {
    status: status >= 200 && status <= 599 ? status : 502,
    headers: { ...headers },
  })

const once = (work: () => void): (() => void) => {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}
