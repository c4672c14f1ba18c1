// A proxy for the suite, which cannot send a key and has its own tool names: its `test_X` is our flow `test_X`,
// so the tool `flow_test_X`. It changes only the key and the names; streams stay streams, and the host stays the same.

import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http"

export interface Proxy {
  readonly url: string
  close(): Promise<void>
}

/** Listens on loopback only, on a free port. */
export async function bearerProxy(target: string, key: string): Promise<Proxy> {
  const server = createServer((from, to) => void pass(target, key, from, to).catch(() => to.destroy()))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the proxy has no port")
  return { url: `http://127.0.0.1:${address.port}`, close: () => closed(server) }
}

async function pass(target: string, key: string, from: IncomingMessage, to: ServerResponse): Promise<void> {
  const { hostname, port } = new URL(target)
  const chunks: Buffer[] = []
  for await (const chunk of from) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString("utf8").replaceAll('"name":"test_', '"name":"flow_test_')
  const { "content-length": _, "mcp-name": name, ...kept } = from.headers
  const named = typeof name === "string" ? { "mcp-name": name.replace(/^test_/, "flow_test_") } : {}
  const length = from.method === "POST" ? { "content-length": String(Buffer.byteLength(body)) } : {}
  const headers = { ...kept, ...named, ...length, authorization: `Bearer ${key}` }
  const onward = request({ hostname, port, path: from.url, method: from.method, headers }, (answer) => {
    const { "content-length": __, ...passed } = answer.headers
    to.writeHead(answer.statusCode ?? 502, passed)
    to.flushHeaders()
    answer.setEncoding("utf8")
    answer.on("data", (text: string) => void to.write(text.replaceAll('"name":"flow_test_', '"name":"test_')))
    answer.on("end", () => to.end())
  })
  onward.on("error", () => to.destroy())
  to.on("close", () => onward.destroy())
  onward.end(body)
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
