// Browser Rendering for the local server: a few routes of the binding, backed by headless Chromiums on this machine [T25].
//
//   POST   /v1/devtools/browser        starts a browser            GET /v1/devtools/browser/ID   its DevTools connection (WebSocket)
//   DELETE /v1/devtools/browser/ID     ends it                     GET /v1/sessions, /v1/limits  open browsers, limits
//
// It listens only on loopback and answers only the Worker, which sends a secret generated at each start. Its browsers end
// with this process, even if it is killed: each holds a pipe to it. They reach the network only through browser-proxy.ts.

import { spawn, type ChildProcess } from "node:child_process"
import { randomBytes, randomUUID } from "node:crypto"
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { connect, type AddressInfo, type Socket } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { messageOf } from "../src/core/text/fault-text.ts"
import { startProxy, type Proxy } from "./browser-proxy.ts"
import { Trouble } from "./trouble.ts"

/** The header with the secret, set by the Worker's binding. */
export const SECRET_HEADER = "x-sluice-browser"
const MAX_BROWSERS = 4
const ROUTE = /^\/v1\/devtools\/browser\/([0-9a-f-]{36})$/
/** Long, because the first start after a boot reads Chromium from disk. */
const STARTING_MS = 60_000
const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
]

export interface LocalBrowsers {
  /** `127.0.0.1:PORT` */
  readonly address: string
  readonly secret: string
  /** Number of open browsers. */
  count(): number
  close(): Promise<void>
}

/** The named Chromium, or the first one found. Throws Trouble. */
export function chromiumOf(named: string | undefined): string {
  const found = (named ? [named] : PLACES).find((file) => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
  if (found !== undefined) return found
  throw new Trouble(
    named
      ? `CHROMIUM is "${named}", which is not an executable program`
      : `SLUICE_BROWSER=1 needs Chromium or Chrome, and none was found in the usual places: install one, or set CHROMIUM=/path/to/chromium`,
  )
}

interface Session {
  readonly process: ChildProcess
  readonly port: number
  readonly path: string
  readonly started: number
  readonly keepAlive: number
  connection: Socket | undefined
  timer: ReturnType<typeof setTimeout> | undefined
}

/** `privateHosts`: from ALLOWED_PRIVATE_HOSTS; the proxy allows them. `folder`: for profiles. `wall: false`: no proxy, to test the
 *  Worker's own guard. */
export async function startBrowsers(
  chromium: string,
  {
    privateHosts = [],
    folder = tmpdir(),
    wall = true,
  }: { readonly privateHosts?: readonly string[]; readonly folder?: string; readonly wall?: boolean } = {},
): Promise<LocalBrowsers> {
  const secret = randomBytes(24).toString("hex")
  const proxy = wall ? await startProxy(privateHosts) : undefined
  const sessions = new Map<string, Session>()
  let starting = 0

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500)
      response.end(messageOf(error, "it failed"))
    })
  })
  server.on("upgrade", (request, socket: Socket, head) => tunnel(request, socket, head))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume()
    const json = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    }
    if (request.headers[SECRET_HEADER] !== secret) return json(403, { error: "wrong or missing secret" })
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://local")
    const asked = `${request.method ?? ""} ${pathname}`
    const id = ROUTE.exec(pathname)?.[1]
    if (asked === "POST /v1/devtools/browser") {
      if (sessions.size + starting >= MAX_BROWSERS) return json(429, { error: `${MAX_BROWSERS} browsers are open, the maximum` })
      starting++
      try {
        const made = randomUUID()
        sessions.set(made, await launch(made, Number(searchParams.get("keep_alive")) || 60_000))
        rest(made)
        return json(200, { sessionId: made })
      } finally {
        starting--
      }
    }
    if (asked === "GET /v1/sessions")
      return json(200, { sessions: [...sessions].map(([sessionId, { started }]) => ({ sessionId, startTime: started })) })
    if (asked === "GET /v1/limits")
      return json(200, {
        maxConcurrentSessions: MAX_BROWSERS,
        allowedBrowserAcquisitions: MAX_BROWSERS - sessions.size,
        timeUntilNextAllowedBrowserAcquisition: 0,
      })
    if (request.method === "DELETE" && id !== undefined) {
      await end(id)
      return json(200, { status: "closed" })
    }
    return json(404, { error: "no such route" })
  }

  async function launch(id: string, keepAlive: number): Promise<Session> {
    const home = mkdtempSync(path.join(folder, "sluice-browser-"))
    const started = Date.now()
    // Chromium writes only to its own folder: the user's home may be missing or read-only.
    const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home }
    const child = spawn(chromium, flags(home, proxy), { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"], env })
    child.once("exit", () => {
      sessions.get(id)?.connection?.destroy()
      clearTimeout(sessions.get(id)?.timer)
      sessions.delete(id)
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
    })
    const url = new URL(await endpoint(child))
    return { process: child, port: Number(url.port), path: url.pathname, started, keepAlive, connection: undefined, timer: undefined }
  }

  /** Restarts the idle timer, which ends a browser without traffic. */
  function rest(id: string): void {
    const session = sessions.get(id)
    if (!session) return
    clearTimeout(session.timer)
    session.timer = setTimeout(() => void end(id), session.keepAlive)
  }

  async function end(id: string): Promise<void> {
    const session = sessions.get(id)
    if (!session) return
    clearTimeout(session.timer)
    const child = session.process
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once("exit", resolve))
    child.kill("SIGTERM")
    const late = setTimeout(() => child.kill("SIGKILL"), 3_000)
    await gone
    clearTimeout(late)
  }

  function tunnel(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const id = ROUTE.exec(new URL(request.url ?? "/", "http://local").pathname)?.[1] ?? ""
    const session = sessions.get(id)
    if (request.headers[SECRET_HEADER] !== secret || !session || session.connection) {
      socket.end(`HTTP/1.1 ${session ? "409 Conflict" : "404 Not Found"}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
      return
    }
    const devtools = connect(session.port, "127.0.0.1")
    session.connection = socket
    const over = (): void => {
      socket.destroy()
      devtools.destroy()
      if (session.connection === socket) session.connection = undefined
    }
    for (const side of [socket, devtools]) side.on("error", over).on("close", over)
    const passed = Object.entries(request.headers).filter(([name]) =>
      /^(upgrade|connection|sec-websocket-(key|version|protocol))$/.test(name),
    )
    devtools.write(
      [
        `GET ${session.path} HTTP/1.1`,
        `host: 127.0.0.1:${session.port}`,
        ...passed.map(([name, value]) => `${name}: ${String(value)}`),
        "",
        "",
      ].join("\r\n"),
    )
    devtools.write(head)
    socket.on("data", () => rest(id))
    socket.pipe(devtools).pipe(socket)
  }

  return {
    address: `127.0.0.1:${port}`,
    secret,
    count: () => sessions.size,
    async close() {
      server.close()
      server.closeAllConnections()
      await Promise.all([...sessions.keys()].map(end))
      await proxy?.close()
    },
  }
}

function flags(home: string, proxy: Proxy | undefined): string[] {
  return [
    "--headless=new",
    "--remote-debugging-port=0",
    // Chromium ends when this pipe closes, and the pipe closes with this process, even if it is killed.
    "--remote-debugging-pipe",
    `--user-data-dir=${home}`,
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--mute-audio",
    "--dns-prefetch-disable",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    ...(proxy
      ? [`--proxy-server=http://${proxy.address}`, "--proxy-bypass-list=<-loopback>"]
      : // Otherwise Chromium itself blocks loopback, and a test could not check the Worker's guard.
        ["--disable-features=LocalNetworkAccessChecks"]),
    // Chromium's own sandbox does not start for root.
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    "about:blank",
  ]
}

/** The DevTools address that Chromium writes to its error stream. */
function endpoint(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ""
    const late = setTimeout(() => {
      child.kill("SIGKILL")
      reject(new Error(`Chromium did not start within ${STARTING_MS / 1_000} s`))
    }, STARTING_MS)
    child.once("error", reject)
    child.once("exit", (code) => reject(new Error(`Chromium ended with ${String(code)}: ${output.slice(-300)}`)))
    child.stderr?.on("data", (chunk: Buffer) => {
      if (output.length < 100_000) output += chunk.toString()
      const found = /DevTools listening on (ws:\S+)/.exec(output)?.[1]
      if (found === undefined) return
      clearTimeout(late)
      resolve(found)
    })
  })
}
