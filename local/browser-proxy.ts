// Network access of local browsers: a proxy on loopback that resolves each name itself, refuses addresses that are not public, and connects
// to exactly the address it judged. The Worker can judge a host only by its name (docs/decisions/0014); the proxy judges its addresses.
// So names of private hosts, and requests that the Worker's gate does not see (a WebSocket, a prefetch), cannot reach this network.

import { lookup } from "node:dns/promises"
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from "node:http"
import { connect, isIP, type AddressInfo, type Socket } from "node:net"
import ipaddr from "ipaddr.js"

export interface Proxy {
  /** `127.0.0.1:PORT` */
  readonly address: string
  close(): Promise<void>
}

/** `privateHosts`: `host` or `host:port`, allowed at any address. */
export async function startProxy(privateHosts: readonly string[]): Promise<Proxy> {
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => void forward(request, response))
  server.on("connect", (request: IncomingMessage, socket: Socket, head: Buffer) => void tunnel(request, socket, head))
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refuse = (status: number): void => {
      if (!response.headersSent) response.writeHead(status)
      response.end()
    }
    try {
      const url = new URL(request.url ?? "")
      const place = await judged(url.hostname, Number(url.port || 80), privateHosts)
      if (url.protocol !== "http:" || !place) return refuse(403)
      const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !name.startsWith("proxy-")))
      const onward = ask({
        host: place.host,
        port: place.port,
        path: `${url.pathname}${url.search}`,
        method: request.method ?? "GET",
        headers,
        setHost: false,
      })
      onward.on("response", (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      onward.on("error", () => refuse(502))
      response.on("close", () => onward.destroy())
      request.pipe(onward)
    } catch {
      refuse(502)
    }
  }

  async function tunnel(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy())
    try {
      const url = new URL(`http://${request.url ?? ""}`)
      const place = await judged(url.hostname, Number(url.port || 80), privateHosts)
      if (!place) return void socket.end("HTTP/1.1 403 Forbidden\r\n\r\n")
      const onward = connect(place.port, place.host, () => {
        socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
        onward.write(head)
        socket.pipe(onward).pipe(socket)
      })
      onward.on("error", () => socket.destroy())
      socket.on("close", () => onward.destroy())
    } catch {
      socket.destroy()
    }
  }

  return {
    address: `127.0.0.1:${port}`,
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** The address to connect to; undefined: refused. All addresses of a name must be public, whichever is used. */
async function judged(
  hostname: string,
  port: number,
  privateHosts: readonly string[],
): Promise<{ readonly host: string; readonly port: number } | undefined> {
  const bare = hostname.replace(/^\[|\]$/g, "")
  const addresses = isIP(bare) === 0 ? (await lookup(bare, { all: true })).map(({ address }) => address) : [bare]
  const [host] = addresses
  if (host === undefined) return undefined
  const isExempt = privateHosts.includes(hostname) || privateHosts.includes(`${hostname}:${port}`)
  return isExempt || addresses.every(isPublic) ? { host, port } : undefined
}

function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address)
  return parsed.range() === "unicast" && (parsed.kind() === "ipv4" || ((parsed.toByteArray()[0] ?? 0) & 0xe0) === 0x20)
}
