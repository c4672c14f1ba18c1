// A tap between the judge and Prism: it sees every answer, and routes what Prism cannot carry around it, counted by reason. Prism's own
// errors are the target: an answer missing from the document.

import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http"
import { connect } from "node:net"

export interface Tap {
  readonly url: string
  close(): Promise<void>
}

/** The combined findings of several taps. */
export class Findings {
  /** Answers missing from the document, in words. */
  readonly undocumented: string[] = []
  /** Answers that Prism passed. */
  carried = 0
  /** The document's operations, and pairs of operation and status. */
  readonly operations = new Set<string>()
  readonly statuses = new Set<string>()
  /** Why a request bypassed Prism, and how often. */
  readonly past = new Map<string, number>()
}

export interface TapOptions {
  readonly server: string
  readonly prism: string
  /** The document's paths: path template → operations by method. */
  readonly paths: Readonly<Record<string, object>>
  readonly findings: Findings
}

/** Served, but deliberately not in the API's document: pages and files for people, the MCP protocol's own address. */
const OUTSIDE = /^\/(?:$|docs|mcp|openapi\.json|answer|assets|favicon|style)/

export async function openTap({ server, prism, paths, findings }: TapOptions): Promise<Tap> {
  const { undocumented, past, operations, statuses } = findings
  const known = Object.keys(paths)
    .map((p) => [p, templateOf(p)] as const)
    .toSorted(([a], [b]) => a.split("{").length - b.split("{").length)

  const note = (why: string): void => void past.set(why, (past.get(why) ?? 0) + 1)

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = await whole(req)
    const route = `${req.method} ${new URL(req.url ?? "/", server).pathname}`
    const path = route.slice(route.indexOf(" ") + 1)
    const template = known.find(([, form]) => form.test(path))?.[0]
    const method = req.method?.toLowerCase() ?? "get"
    const isKnown = template !== undefined && Object.hasOwn(paths[template] ?? {}, method)
    const why =
      template === undefined
        ? "the path is not in the document"
        : !isKnown && method !== "options"
          ? "its method is not in the document: the server must say 404 or 405"
          : template.split("/").length !== path.split("/").length
            ? "a file's path with slashes stands in it: no template of OpenAPI holds one"
            : cannot(req, path, body)
    if (why !== undefined) note(why)
    const up = request(new URL(req.url ?? "/", why === undefined ? prism : server), {
      method: req.method,
      headers: headersFor(req, body),
      // A new connection each time: a kept connection may close just when it is reused.
      agent: false,
    })
    res.once("close", () => up.destroy())
    up.once("error", () => (res.headersSent ? res.destroy() : res.writeHead(502).end()))
    up.once("response", (from) => {
      res.writeHead(from.statusCode ?? 502, from.rawHeaders)
      if (why !== undefined) {
        const isRefused = from.statusCode === 404 || from.statusCode === 405
        if (!isKnown && method !== "options" && !isRefused && !OUTSIDE.test(path))
          undocumented.push(`${route}: ${from.statusCode}, and the document does not have it`)
        from.pipe(res)
        return
      }
      const chunks: Buffer[] = []
      from.on("data", (chunk: Buffer) => chunks.push(chunk))
      from.once("end", () => {
        const text = Buffer.concat(chunks)
        const fault = prismsOwn(text)
        if (fault !== undefined) undocumented.push(`${req.method} ${template}: ${fault}`)
        else {
          findings.carried += 1
          operations.add(`${req.method} ${template}`)
          statuses.add(`${req.method} ${template} ${from.statusCode}`)
        }
        res.end(text)
      })
    })
    up.end(body)
  }

  const tap = createServer((req, res) => {
    answer(req, res).catch(() => res.destroy())
  })
  tap.on("upgrade", (req, socket, head) => {
    note("it is a WebSocket")
    const { hostname, port } = new URL(server)
    const up = connect(Number(port), hostname, () => {
      const lines = req.rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${req.rawHeaders[i + 1]}`] : []))
      up.write(`${req.method} ${req.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`)
      up.write(head)
      up.pipe(socket).pipe(up)
    })
    for (const s of [up, socket]) s.on("error", () => (up.destroy(), socket.destroy()))
  })
  await new Promise<void>((ready) => tap.listen(0, "127.0.0.1", ready))
  const address = tap.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    close: () =>
      new Promise((done) => {
        tap.close(() => done())
        tap.closeAllConnections()
      }),
  }
}

const templateOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&")
      .replaceAll(/\{[^}]*\*\}|\{path\}/g, ".+")
      .replaceAll(/\{[^}]+\}/g, "[^/]+")}$`,
  )

/** This route asks for no key. */
const OPEN = /^\/(?:healthz|readyz)$/

/** What Prism cannot carry, and why; undefined: it can. */
function cannot(req: IncomingMessage, path: string, body: Buffer): string | undefined {
  if (req.headers.accept?.includes("text/event-stream") === true) return "it asks for server-sent events: Prism waits for their end"
  if (req.method === "OPTIONS" || req.headers["origin"] !== undefined)
    return "it is a browser's question [H7]: Prism answers preflights itself"
  if (/^\/v1\/hooks\/[^/]+$/.test(path) && req.method === "POST")
    return "it is a signed delivery: Prism writes bodies anew, and signatures break"
  if (!/^bearer \S/i.test(req.headers.authorization ?? "") && !OPEN.test(path))
    return "it brings no key: Prism refuses it before the server is asked"
  if (body.length === 0) return undefined
  if (req.headers["content-type"]?.includes("json") !== true) return "its body is no JSON by its type"
  try {
    JSON.parse(body.toString())
    return undefined
  } catch {
    return "its body is no JSON: Prism never answers such a one"
  }
}

/** A problem made by Prism. */
function prismsOwn(text: Buffer): string | undefined {
  if (!text.includes("stoplight.io/prism/errors")) return undefined
  try {
    const { title, detail, validation } = JSON.parse(text.toString()) as Record<string, unknown>
    return `${String(title)}: ${String(detail)} ${JSON.stringify(validation ?? "")}`.slice(0, 800)
  } catch {
    return text.toString().slice(0, 800)
  }
}

const HOP = new Set(["connection", "keep-alive", "transfer-encoding", "content-length", "host"])

function headersFor(req: IncomingMessage, body: Buffer): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  for (const [name, values] of Object.entries(req.headersDistinct)) if (values && !HOP.has(name)) headers[name] = values
  if (body.length > 0) headers["content-length"] = String(body.length)
  return headers
}

async function whole(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
