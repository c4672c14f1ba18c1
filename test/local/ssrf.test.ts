// Addresses that must not be requested [T21], in workerd itself: its fetch would reach this machine, so each refusal is our own. A canary on
// loopback counts requests; an allowed redirector leads there in every way a server can.

import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { build } from "esbuild"
import { Miniflare } from "miniflare"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ALONE } from "../../local/server.ts"

const WORKER = `
import { netOf } from "./src/engine/net/net.ts"
export default {
  async fetch(request) {
    const { allow, ...wish } = await request.json()
    try {
      const answer = await netOf({ allowedPrivateHosts: allow }).fetch(wish, AbortSignal.timeout(9_000))
      return Response.json({ status: answer.status, url: answer.url, body: new TextDecoder().decode(answer.body.bytes()) })
    } catch (e) {
      return Response.json({ error: e.message })
    }
  },
}`

interface GuardAnswer {
  readonly error?: string
  readonly status?: number
  readonly url?: string
  readonly body?: string
}

let worker: Miniflare
let canary: Server
let canary6: Server | undefined
let redirector: Server
let port = 0
let door = 0
let hits: string[] = []
const seen: { path: string; method: string; headers: IncomingMessage["headers"]; body: string }[] = []

const listen = (server: Server, at: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(at, host, () => resolve((server.address() as AddressInfo).port))
  })

/** `/302?to=URL` */
function redirect(request: IncomingMessage): { readonly status: number; readonly to: string } | undefined {
  const url = new URL(request.url ?? "/", "http://x")
  const status = Number(url.pathname.slice(1))
  const to = url.searchParams.get("to")
  return status >= 300 && status < 400 && to !== null ? { status, to } : undefined
}

beforeAll(async () => {
  const count = createServer((request, response) => {
    hits.push(`${request.headers.host ?? ""}${request.url ?? ""}`)
    response.end("secret")
  })
  canary = count
  port = await listen(canary, 0, "0.0.0.0")
  const six = createServer((request, response) => {
    hits.push(`[::1]${request.url ?? ""}`)
    response.end("secret")
  })
  // Not every machine has IPv6.
  canary6 = await listen(six, port, "::1").then(
    () => six,
    () => undefined,
  )
  redirector = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      seen.push({ path: request.url ?? "", method: request.method ?? "", headers: request.headers, body: Buffer.concat(chunks).toString() })
      const go = redirect(request)
      if (go) response.writeHead(go.status, { location: go.to }).end("elsewhere")
      else if (request.url === "/long") response.end(Buffer.alloc(200_000, "x"))
      else if (request.url !== "/hangs") response.end("page")
    })
  })
  door = await listen(redirector, 0, "127.0.0.1")
  const built = await build({
    stdin: { contents: WORKER, resolveDir: new URL("../..", import.meta.url).pathname, loader: "ts" },
    bundle: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    write: false,
  })
  const main = { type: "esm" as const, contents: built.outputFiles[0]?.text ?? "" }
  worker = new Miniflare({
    ...ALONE,
    workers: [
      { config: { name: "guard", compatibilityDate: "2026-07-30", manifest: { mainModule: "main.js", modules: { "main.js": main } } } },
    ],
  })
  await worker.ready
})

afterAll(async () => {
  await worker?.dispose()
  for (const server of [canary, canary6, redirector]) {
    server?.closeAllConnections()
    server?.close()
  }
})

async function ask(url: string, more: object = {}, allow = [`127.0.0.1:${door}`]): Promise<GuardAnswer> {
  const response = await worker.dispatchFetch("http://worker/", { method: "POST", body: JSON.stringify({ url, allow, ...more }) })
  return (await response.json()) as GuardAnswer
}

/** `P` is the canary's port. */
const HOSTILE: readonly string[] = [
  // Loopback in every spelling.
  "http://127.0.0.1:P/",
  "http://127.0.0.1:80/",
  "http://127.0.0.2:P/",
  "http://127.1:P/",
  "http://127.0.1:P/",
  "http://127.255.255.254/",
  "http://2130706433:P/",
  "http://0x7f000001:P/",
  "http://0x7f.0.0.1:P/",
  "http://0x7f.1:P/",
  "http://017700000001:P/",
  "http://0177.0.0.1:P/",
  "http://0177.0.0.01/",
  "http://127.0.0.1.:P/",
  "http://127。0。0。1:P/",
  "http://１２７.0.0.1:P/",
  "http://①②⑦.0.0.1:P/",
  "http://%31%32%37.0.0.1:P/",
  "http:127.0.0.1:P/",
  "http:/\\127.0.0.1:P/",
  "http:\\\\127.0.0.1:P/",
  "http://localhost:P/",
  "http://LOCALHOST:P/",
  "http://localhost.:P/",
  "http://localhost..:P/",
  "http://foo.localhost:P/",
  "http://ｌocalhost:P/",
  "http://localhost.localdomain/",
  "http://ip6-localhost:P/",
  "http://0.0.0.0:P/",
  "http://0:P/",
  "http://0.1.2.3/",
  // IPv6, and IPv4 inside it.
  "http://[::1]:P/",
  "http://[0:0:0:0:0:0:0:1]:P/",
  "http://[0000::0001]:P/",
  "http://[::]:P/",
  "http://[::ffff:127.0.0.1]:P/",
  "http://[::ffff:7f00:1]:P/",
  "http://[0:0:0:0:0:ffff:127.0.0.1]:P/",
  "http://[::127.0.0.1]:P/",
  "http://[::7f00:1]:P/",
  "http://[64:ff9b::127.0.0.1]/",
  "http://[64:ff9b:1::7f00:1]/",
  "http://[2002:7f00:1::]/",
  "http://[2001:0:7f00:1::]/",
  "http://[fe80::1]/",
  "http://[fec0::1]/",
  "http://[fc00::1]/",
  "http://[fd00:ec2::254]/latest/meta-data/",
  "http://[ff02::1]/",
  "http://[100::1]/",
  "http://[2001:db8::1]/",
  "http://[::ffff:8.8.8.8]/",
  // Private, shared, reserved.
  "http://10.0.0.1/",
  "http://10.255.255.255/",
  "http://172.16.0.1/",
  "http://172.31.255.254/",
  "http://192.168.0.1/",
  "http://3232235521/",
  "http://100.64.0.1/",
  "http://100.127.255.254/",
  "http://169.254.169.254/latest/meta-data/",
  "http://0xa9fea9fe/",
  "http://2852039166/",
  "http://169.254.170.2/v2/credentials",
  "http://100.100.100.200/latest/meta-data/",
  "http://192.0.0.192/latest/",
  "http://168.63.129.16/metadata/",
  "http://0xa83f8110/",
  "http://192.0.2.1/",
  "http://198.18.0.1/",
  "http://198.19.255.255/",
  "http://198.51.100.1/",
  "http://203.0.113.1/",
  "http://192.88.99.1/",
  "http://224.0.0.1/",
  "http://239.255.255.250/",
  "http://240.0.0.1/",
  "http://255.255.255.255/",
  // Names of private networks.
  "http://metadata.google.internal/computeMetadata/v1/",
  "http://metadata.google.internal./",
  "http://METADATA.GOOGLE.INTERNAL/",
  "http://metadata/",
  "http://kubernetes.default.svc.cluster.local/",
  "http://kubernetes.default.svc/",
  "http://vault.service.consul:8080/",
  "http://printer.local/",
  "http://router.lan/",
  "http://nas.home.arpa/",
  "http://intranet/",
  "http://127.0.0.1.nip.io:P/",
  "http://localtest.me:80/",
  "https://sluice.someone.workers.dev/v1/runs",
  // Ports, credentials, schemes, nothing at all.
  "https://example.com:22/",
  "http://example.com:25/",
  "http://example.com:6379/",
  "http://example.com:65535/",
  "http://example.com@127.0.0.1:P/",
  "http://127.0.0.1:P@example.com/",
  "http://user:pw@example.com/",
  "http://exam\tple.com/",
  "http://@:@127.0.0.1:P/",
  "http://example.com\\@127.0.0.1:P/",
  "http://127.0.0.1:P\\@example.com/",
  "ftp://example.com/",
  "file:///etc/passwd",
  "gopher://127.0.0.1:P/_x",
  "data:text/html,x",
  "javascript:alert(1)",
  "ws://127.0.0.1:P/",
  "blob:http://127.0.0.1:P/x",
  "dict://127.0.0.1:P/",
  "jar:http://127.0.0.1:P!/",
  "http://",
  "http:///",
  "https://?",
  "//127.0.0.1:P/",
  "127.0.0.1:P",
  "",
  "http://[::1",
  "http://[fe80::1%25eth0]/",
  "http://256.256.256.256/",
  "http://1.2.3.4.5.6.7.8:P/",
]

describe("addresses", () => {
  test(`[T21] ${HOSTILE.length} hostile addresses are refused by the guard, and the canary gets no request`, async () => {
    expect(HOSTILE.length).toBeGreaterThanOrEqual(60)
    hits = []
    const open: string[] = []
    for (const url of HOSTILE) {
      const answer = await ask(url.replaceAll(":P", `:${port}`))
      if (!answer.error?.startsWith("address refused: ")) open.push(`${url} → ${JSON.stringify(answer)}`)
    }
    expect(open).toEqual([])
    expect(hits).toEqual([])
  })

  test("[T21] the canary would have been reached: without the guard workerd goes there", async () => {
    hits = []
    expect(await ask(`http://127.0.0.1:${port}/proof`, {}, ["127.0.0.1"])).toMatchObject({ status: 200, body: "secret" })
    expect(hits).toHaveLength(1)
  })

  test("[T21] an exempt host is that host and no other spelling of this machine", async () => {
    hits = []
    for (const host of ["localhost", "127.0.0.2", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]", "127.0.0.1.nip.io"])
      expect((await ask(`http://${host}:${port}/`, {}, ["127.0.0.1"])).error, host).toMatch(/^address refused/)
    for (const url of [`http://a:b@127.0.0.1:${port}/`, `ftp://127.0.0.1:${port}/`])
      expect((await ask(url, {}, ["127.0.0.1"])).error, url).toMatch(/^address refused/)
    expect(hits).toEqual([])
  })
})

describe("redirects", () => {
  const from = (status: number, to: string): string => `http://127.0.0.1:${door}/${status}?to=${encodeURIComponent(to)}`

  test("[T21] each hop is judged: no status and no spelling leads to a private address", async () => {
    hits = []
    const targets = [
      "http://127.0.0.1:P/",
      "http://localhost:P/",
      "http://[::1]:P/",
      "http://2130706433:P/",
      "http://169.254.169.254/",
      "file:///etc/passwd",
      "//localhost:P/x",
      "http://u:p@127.0.0.1:D/",
    ]
    for (const status of [301, 302, 303, 307, 308]) {
      for (const target of targets) {
        const to = target.replace(":P", `:${port}`).replace(":D", `:${door}`)
        expect((await ask(from(status, to))).error, `${status} ${to}`).toMatch(/^address refused/)
        expect((await ask(from(302, from(status, to)))).error, `chain, ${status} ${to}`).toMatch(/^address refused/)
        expect((await ask(from(status, to), { method: "POST", body: "x" })).error, `POST, ${status} ${to}`).toMatch(/^address refused/)
      }
    }
    expect(hits).toEqual([])
  })

  test("[T21] five redirects are followed, a sixth is not", async () => {
    const chain = (n: number): string => (n === 0 ? `http://127.0.0.1:${door}/page` : from(302, chain(n - 1)))
    expect(await ask(chain(5))).toEqual({ status: 200, url: `http://127.0.0.1:${door}/page`, body: "page" })
    expect((await ask(chain(6))).error).toMatch(/^too many redirects/)
  })

  test("[T21] headers that may hold a credential go only to the first origin, even after redirects back to it", async () => {
    const allow = ["127.0.0.1", "localhost"]
    const wish = {
      headers: { Authorization: "Bearer a", Cookie: "c=1", "X-Api-Key": "k", Accept: "text/plain" },
      secretHeaders: { "X-Secret": "s" },
    }
    seen.length = 0
    const there = `http://localhost:${door}/302?to=${encodeURIComponent(`http://127.0.0.1:${door}/page`)}`
    expect((await ask(from(302, there), wish, allow)).body).toBe("page")
    const kept = seen.map(({ headers }) =>
      ["authorization", "cookie", "x-api-key", "x-secret", "accept"].filter((name) => headers[name] !== undefined),
    )
    expect(kept).toEqual([["authorization", "cookie", "x-api-key", "x-secret", "accept"], ["accept"], ["accept"]])
    seen.length = 0
    await ask(from(302, `http://127.0.0.1:${door}/page`), wish, allow)
    expect(seen[1]?.headers).toMatchObject({ authorization: "Bearer a", "x-secret": "s" })
  })

  test("[T21] methods follow fetch; a body is not sent to another host", async () => {
    const allow = ["127.0.0.1", "localhost"]
    seen.length = 0
    await ask(from(302, `http://127.0.0.1:${door}/page`), { method: "POST", body: "b" }, allow)
    await ask(from(303, `http://127.0.0.1:${door}/page`), { method: "DELETE" }, allow)
    await ask(from(307, `http://127.0.0.1:${door}/page`), { method: "PUT", body: "b" }, allow)
    expect(seen.map(({ method, body }) => `${method} ${body}`.trim())).toEqual(["POST b", "GET", "DELETE", "GET", "PUT b", "PUT b"])
    seen.length = 0
    expect((await ask(from(307, `http://localhost:${door}/page`), { method: "POST", body: "b" }, allow)).error).toMatch(/^address refused/)
    expect(seen).toHaveLength(1)
  })
})

describe("limits", () => {
  test("[T21] exceeding the byte limit or the time limit is an error", async () => {
    expect((await ask(`http://127.0.0.1:${door}/long`, { maxBytes: 100_000 })).error).toMatch(/larger than 100000 bytes/)
    expect((await ask(`http://127.0.0.1:${door}/long`, { maxBytes: 200_000 })).status).toBe(200)
    expect((await ask(`http://127.0.0.1:${door}/hangs`, { timeout: 50 })).error).toBe("timed out after 50 ms")
  })
})
