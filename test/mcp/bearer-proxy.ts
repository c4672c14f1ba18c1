// A way in for peers that cannot send a key: what arrives here is sent on with one. Streams stay streams.

import { createServer, request, type Server } from "node:http"
import type { AddressInfo } from "node:net"

export interface Proxy {
  readonly url: string
  close(): Promise<void>
}

/** Listens on loopback only, on a free port. The host that a peer spoke to is kept, for checks of Host and Origin. */
export async function bearerProxy(target: string, key: string): Promise<Proxy> {
  const { hostname, port } = new URL(target)
  const server = createServer((from, to) => {
    const onward = request(
      { hostname, port, path: from.url, method: from.method, headers: { ...from.headers, authorization: `Bearer ${key}` } },
      (answer) => {
        to.writeHead(answer.statusCode ?? 502, answer.headers)
        to.flushHeaders()
        answer.pipe(to)
      },
    )
    onward.on("error", () => to.destroy())
    to.on("close", () => onward.destroy())
    from.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${portOf(server)}`, close: () => closed(server) }
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === "string") throw new Error("the proxy has no port")
  return address.port
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
