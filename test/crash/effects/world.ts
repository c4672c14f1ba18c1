// The outside of staged runs: a service that counts what reaches it. Under /keyed/ it does the same key once, as an idempotent service does;
// under /plain/ it does whatever arrives. It tells who listens of each moment of a request, in the same turn, so that a kill hits exactly it.

import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

/** A read is there; a write is there and not done; it is done and not answered; its answer has left. */
export type Moment = "read" | "arrived" | "done" | "answered"

export interface Arrival {
  readonly key: string
  readonly path: string
  readonly body: string
  readonly order: number
  /** ms since 1970. */
  readonly at: number
}

export class World {
  readonly arrivals: Arrival[] = []
  /** How often each key has had its effect. */
  readonly done = new Map<string, number>()
  /** When each path was read (ms since 1970). */
  readonly reads = new Map<string, { readonly at: number }[]>()
  url = ""
  /** Called at each moment; true: the request ends here, as its client is dead. */
  ear: (moment: Moment) => boolean = () => false
  readonly #server = createServer((incoming, response) => {
    this.#serve(incoming, response).catch(() => response.destroy())
  })

  async open(): Promise<void> {
    this.#server.listen(0, "127.0.0.1")
    await once(this.#server, "listening")
    const address = this.#server.address()
    this.url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of incoming) if (Buffer.isBuffer(part)) parts.push(part)
    const path = incoming.url ?? ""
    const at = Date.now()
    if (incoming.method === "GET") {
      this.reads.set(path, [...(this.reads.get(path) ?? []), { at }])
      if (this.ear("read")) return
      response.writeHead(200, { "content-type": "text/plain" }).end("seen")
      return
    }
    const key = String(incoming.headers["idempotency-key"] ?? "no key")
    this.arrivals.push({ key, path, body: Buffer.concat(parts).toString("utf8"), order: this.arrivals.length, at })
    if (this.ear("arrived")) return
    if (!path.startsWith("/keyed/") || !this.done.has(key)) this.done.set(key, (this.done.get(key) ?? 0) + 1)
    if (this.ear("done")) return
    // Its last byte is in the system's hands.
    response.writeHead(200, { "content-type": "text/plain" }).end("done", () => void this.ear("answered"))
  }
}
