// An MCP server on loopback for each company, by its name in the path. Its list changes after the first request, so that a company has a list
// that waits for its approval [T27]; its one tool returns more than a result may hold [T5].

import { createServer, type IncomingMessage } from "node:http"
import { isObject, type Json } from "../../src/core/json.ts"

export interface McpPeer {
  readonly url: string
  close(): Promise<void>
}

export async function mcpPeer(): Promise<McpPeer> {
  const looked = new Map<string, number>()
  const server = createServer((request, response) => {
    void (async () => {
      const asked = request.method === "POST" ? await bodyOf(request) : undefined
      if (!isObject(asked)) return void response.writeHead(405).end()
      if (asked["id"] === undefined) return void response.writeHead(202).end()
      const company = request.url ?? ""
      if (asked["method"] === "tools/list") looked.set(company, (looked.get(company) ?? 0) + 1)
      const result = answers(company, looked.get(company) ?? 0)[String(asked["method"])]
      const said = result === undefined ? { error: { code: -32601, message: "method not found" } } : { result }
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id: asked["id"], ...said }))
    })().catch((e: unknown) => void response.writeHead(500).end(String(e)))
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the MCP server has no port")
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

const answers = (company: string, looked: number): Readonly<Record<string, Json>> => ({
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: company, version: "1" } },
  "tools/list": {
    tools: [
      {
        name: "long",
        description: `of ${company}, ${looked < 2 ? "as it was" : "as it is"}`,
        inputSchema: { type: "object", properties: {} },
      },
    ],
  },
  "tools/call": { content: [{ type: "text", text: `a line of ${company}\n`.repeat(5_000) }] },
})

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ""
  for await (const piece of request.setEncoding("utf8")) text += String(piece)
  return JSON.parse(text)
}
