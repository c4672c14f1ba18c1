// Serves the static assets of the Worker for browsers: `/sluice-chat.js` for other people's pages, and the console. They are read on request and
// cached by the isolate; the Worker sets their headers for caching, CORS and framing. They have no data of any tenant and need no key.

import { ADDRESS_HEADER } from "../../core/instance-name.ts"
import { Lru } from "../../engine/lru.ts"
import { sha256 } from "../../engine/sha256.ts"
import type { InstanceServices } from "../../ports/services.ts"
import { pathAt } from "../middleware/address.ts"
import type { Call } from "../middleware/call.ts"
import { matches } from "../middleware/download.ts"
import { NOT_FOUND, refuse } from "../middleware/problem.ts"

interface Kept {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly etag: string
}

const MAX_KEPT = 4 * 1024 * 1024 // limit: bytes of files for browsers that an isolate keeps → the file is read again
const keptBy = new WeakMap<InstanceServices, Lru<Kept>>()

const HTML = "text/html; charset=utf-8"
const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
}

/** [H11] Everything from this host and nothing from another; no script or style in the markup. */
const CONSOLE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

/** A name that a build writes: no folder above, no list of a folder. */
const FILE = /^assets\/[\w-]+(?:\.[\w-]+)*\.(js|css|svg|txt)$/

/** GET /sluice-chat.js: pages of every origin may load it. Browsers revalidate it after five minutes, because its name stays the same. */
export async function serveChat(c: Call): Promise<Response> {
  return served(c, "sluice-chat.js", {
    "content-type": TYPES["js"] ?? "",
    "cache-control": "public, max-age=300, stale-while-revalidate=86400",
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
  })
}

/** GET /console and below: a file of the build, or else the page, which knows its own addresses. */
export async function serveConsole(c: Call): Promise<Response> {
  // The page's links are below /console/, and so must be the address of the page.
  if (c.req.path.endsWith("/console")) {
    const { search } = new URL(c.req.url)
    return new Response(null, { status: 308, headers: { location: `${pathAt(c, "/console/")}${search}` } })
  }
  const rest = c.req.path.slice("/console/".length)
  const [, ending] = FILE.exec(rest) ?? []
  // The name of a file has the hash of its content.
  if (ending !== undefined)
    return served(c, `console/${rest}`, { "content-type": TYPES[ending] ?? "", "cache-control": "public, max-age=31536000, immutable" })
  if (rest.startsWith("assets/")) return refuse(c, NOT_FOUND)
  return page(c)
}

/** Behind a dispatcher its files are below /t/NAME [N2]. */
async function page(c: Call): Promise<Response> {
  const found = await read(c, "console/index.html")
  if (!found) return refuse(c, ABSENT)
  const html = new TextDecoder().decode(found.bytes).replaceAll('="/console/', `="${pathAt(c, "/console/")}`)
  const etag = `"${await sha256(html)}"`
  const headers = { etag, "cache-control": "no-cache", vary: ADDRESS_HEADER, "content-security-policy": CONSOLE_POLICY }
  if (matches(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers })
  return new Response(html, { headers: { ...headers, "content-type": HTML } })
}

/** The build writes each file as gzip beside it, so that packing costs no request any time. */
const PACKED = ".gz"
const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i

async function served(c: Call, path: string, given: Readonly<Record<string, string>>): Promise<Response> {
  const packed = TAKES_GZIP.test(c.req.header("accept-encoding") ?? "") ? await read(c, path + PACKED) : undefined
  const found = packed ?? (await read(c, path))
  if (!found) return refuse(c, NOT_FOUND)
  const headers = { ...given, etag: found.etag, vary: "accept-encoding" }
  if (matches(c.req.header("if-none-match"), found.etag)) return new Response(null, { status: 304, headers })
  if (!packed) return new Response(found.bytes, { headers })
  return new Response(packed.bytes, { headers: { ...headers, "content-encoding": "gzip" }, encodeBody: "manual" })
}

const ABSENT = {
  code: "not_found",
  detail: "This Worker was deployed without its pages: build it with `npm run build -- --modules` and deploy it again.",
} as const

async function read(c: Call, path: string): Promise<Kept | undefined> {
  const services = c.get("services")
  const kept = keptBy.get(services) ?? new Lru<Kept>(MAX_KEPT, ({ bytes }) => bytes.byteLength)
  keptBy.set(services, kept)
  const before = kept.get(path)
  if (before) return before
  const answer = await services.asset?.(path)
  if (!answer?.ok) return undefined
  const bytes = new Uint8Array(await answer.arrayBuffer())
  const found = { bytes, etag: `"${await sha256(bytes)}"` }
  kept.set(path, found)
  return found
}
