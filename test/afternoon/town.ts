// Plays what is outside of Sluice on loopback: a shop with its API, a model, and a receiver of callbacks.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { replyTo, type Asked } from "./model.ts"

export interface Call {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export class Town {
  readonly #servers: Server[] = []
  readonly calls = { shop: [] as Call[], model: [] as Call[], desk: [] as Call[] }
  ports = { shop: 0, model: 0, desk: 0 }
  /** The shop's answer to a reply, to play an outage. */
  isShopOpen = true

  static async open(): Promise<Town> {
    const town = new Town()
    town.ports = {
      shop: await town.#serve((call, response) => town.#shop(call, response)),
      model: await town.#serve((call, response) => town.#model(call, response)),
      desk: await town.#serve((call, response) => {
        town.calls.desk.push(call)
        response.end("{}")
      }),
    }
    return town
  }
  close(): void {
    for (const server of this.#servers) {
      server.close()
      server.closeAllConnections()
    }
  }
  get hosts(): string {
    return Object.values(this.ports)
      .map((port) => `127.0.0.1:${port}`)
      .join(",")
  }
  /** What the shop was told with POST, below a path. */
  told(below: string): readonly Call[] {
    return this.calls.shop.filter(({ method, path }) => method === "POST" && path.includes(below))
  }

  #shop(call: Call, response: ServerResponse): void {
    this.calls.shop.push(call)
    response.setHeader("content-type", "application/json")
    const order = /\/orders\/(\w+)/.exec(call.path)?.[1] ?? ""
    if (call.headers.authorization !== "Bearer key-of-the-shop") response.writeHead(401).end('{"error":"who are you?"}')
    else if (call.path.endsWith("/reply") && !this.isShopOpen) response.writeHead(500).end('{"error":"closed"}')
    else if (call.method === "GET") response.end(JSON.stringify({ id: order, total: order.startsWith("A") ? 40 : 140 }))
    else response.end(JSON.stringify({ done: true, ...(JSON.parse(call.body) as object) }))
  }
  #model(call: Call, response: ServerResponse): void {
    this.calls.model.push(call)
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const chunk of replyTo(JSON.parse(call.body) as Asked)) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    response.end("data: [DONE]\n\n")
  }

  async #serve(answer: (call: Call, response: ServerResponse) => void): Promise<number> {
    const server = createServer((request, response) => {
      void bodyOf(request).then((body) =>
        answer({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body }, response),
      )
    })
    this.#servers.push(server)
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    return (server.address() as AddressInfo).port
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ""
  for await (const part of request) body += String(part)
  return body
}
