// The proxy of local browsers: what it allows, and how it protects this machine and its network.

import { createServer, request, type Server } from "node:http"
import { connect, type AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { chromiumOf } from "../../local/browser.ts"
import { startProxy, type Proxy } from "../../local/browser-proxy.ts"
import { readSettings } from "../../local/settings.ts"

let canary: Server
let hits: string[] = []
let port = 0
let closed: Proxy
let open: Proxy

beforeAll(async () => {
  canary = createServer((asked, response) => {
    hits.push(`${asked.method} ${asked.url} ${asked.headers.host} ${String(asked.headers["proxy-connection"])}`)
    response.end("secret")
  })
  await new Promise<void>((resolve) => canary.listen(0, "0.0.0.0", resolve))
  port = (canary.address() as AddressInfo).port
  closed = await startProxy([])
  open = await startProxy([`127.0.0.1:${port}`])
})
afterAll(async () => {
  await closed.close()
  await open.close()
  canary.closeAllConnections()
  canary.close()
})

const through = ({ address }: Proxy, url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const [host = "", at = ""] = address.split(":")
    const asked = request({ host, port: Number(at), path: url, headers: { host: new URL(url).host, "proxy-connection": "keep-alive" } })
    asked.on("response", (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    asked.on("error", reject)
    asked.end()
  })

const tunnel = ({ address }: Proxy, place: string): Promise<string> =>
  new Promise((resolve) => {
    const [host = "", at = ""] = address.split(":")
    let heard = ""
    const socket = connect(Number(at), host, () =>
      socket.write(`CONNECT ${place} HTTP/1.1\r\nhost: ${place}\r\n\r\nGET /tunnel HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`),
    )
    socket.on("data", (chunk: Buffer) => (heard += chunk.toString()))
    socket.on("close", () => resolve(heard))
    socket.on("error", () => resolve(heard))
  })

describe("the proxy of local browsers", () => {
  test("[T21] no spelling or name of this machine or its network is allowed, by request or by tunnel", async () => {
    hits = []
    for (const host of [
      "127.0.0.1",
      "127.0.0.2",
      "localhost",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "0.0.0.0",
      "2130706433",
      "0x7f.1",
      "169.254.169.254",
      "10.0.0.1",
      "192.168.1.1",
      "[fe80::1]",
      "[fd00::1]",
    ]) {
      expect(await through(closed, `http://${host}:${port}/x`), host).not.toBe(200)
      expect(await tunnel(closed, `${host}:${port}`), host).not.toMatch(/ 200 /)
    }
    expect(hits).toEqual([])
  })

  test("[T21] an exempt host is reachable only on its port, and proxy headers are not forwarded", async () => {
    hits = []
    expect(await through(open, `http://127.0.0.1:${port}/a?b=c`)).toBe(200)
    expect(await tunnel(open, `127.0.0.1:${port}`)).toMatch(/200 Connection Established[^]*secret/)
    expect(await through(open, `http://127.0.0.1:${port + 1}/`)).toBe(403)
    expect(await through(open, `http://localhost:${port}/`)).toBe(403)
    expect(hits).toEqual([`GET /a?b=c 127.0.0.1:${port} undefined`, "GET /tunnel x undefined"])
  })
})

describe("SLUICE_BROWSER", () => {
  test("[T25] is off unless it is 1; any other value except 0 is an error", () => {
    expect(readSettings({}).browser).toBeUndefined()
    expect(readSettings({ SLUICE_BROWSER: "0", CHROMIUM: "/x" }).browser).toBeUndefined()
    expect(readSettings({ SLUICE_BROWSER: "1", CHROMIUM: "/x" }).browser).toEqual({ chromium: "/x" })
    expect(() => readSettings({ SLUICE_BROWSER: "yes" })).toThrow('SLUICE_BROWSER is "yes": give 1 for yes, 0 for no')
    expect(() => chromiumOf("/nowhere/chromium")).toThrow('CHROMIUM is "/nowhere/chromium", which is not an executable program')
  })
})
