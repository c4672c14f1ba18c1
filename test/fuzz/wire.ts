// Requests sent byte for byte: paths are not normalized, headers may be duplicated. A stream is not awaited: its head is the answer.

import { Agent, request, type IncomingMessage } from "node:http"

export type Header = readonly [name: string, value: string]

export interface Sent {
  readonly method: string
  /** With the query. Printable ASCII, since a client could send nothing else. */
  readonly path: string
  readonly headers: readonly Header[]
  readonly body?: Buffer
}

export interface Answer {
  /** 0: no answer came, and `text` says why. */
  readonly status: number
  readonly headers: readonly Header[]
  readonly text: string
  readonly ms: number
}

/** No real answer takes this long; the client gives up. */
const HANG_MS = 30_000

export class Wire {
  readonly #at: URL
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 })
  /** Requests so far. */
  count = 0

  constructor(url: string) {
    this.#at = new URL(url)
  }

  /** A connection that the server closed between two requests, or during an oversized body, is not an answer: the request is sent again. */
  async send(sent: Sent): Promise<Answer> {
    const answer = await this.#once(sent)
    return answer.status === 0 && /ECONNRESET|EPIPE|socket hang up/.test(answer.text) ? this.#once(sent) : answer
  }

  #once({ method, path, headers, body }: Sent): Promise<Answer> {
    this.count += 1
    const began = performance.now()
    const flat = ["host", this.#at.host, ...headers.flat(), ...(body === undefined ? [] : ["content-length", String(body.byteLength)])]
    return new Promise((answered) => {
      const end = (status: number, own: readonly Header[], text: string): void =>
        answered({ status, headers: own, text, ms: performance.now() - began })
      const asked = request({ host: this.#at.hostname, port: this.#at.port, method, path, headers: flat, agent: this.#agent })
      asked.setTimeout(HANG_MS, () => asked.destroy(new Error(`no answer within ${HANG_MS} ms`)))
      asked.on("error", (error) => end(0, [], error.message))
      asked.on("upgrade", (response, socket) => {
        socket.destroy()
        end(response.statusCode ?? 0, pairs(response), "")
      })
      asked.on("response", (response) => {
        const own = pairs(response)
        if (valueOf(own, "content-type")?.startsWith("text/event-stream") === true) {
          end(response.statusCode ?? 0, own, "")
          response.on("error", () => undefined)
          asked.destroy()
          return
        }
        const parts: Buffer[] = []
        response.on("data", (part: Buffer) => parts.push(part))
        response.on("error", (error) => end(0, own, error.message))
        response.on("end", () => end(response.statusCode ?? 0, own, Buffer.concat(parts).toString()))
      })
      asked.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

const pairs = ({ rawHeaders }: IncomingMessage): Header[] =>
  rawHeaders.flatMap((name, at): Header[] => (at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? ""]] : []))

export const valueOf = (headers: readonly Header[], name: string): string | undefined => headers.find(([own]) => own === name)?.[1]
