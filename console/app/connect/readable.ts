// What of the given files is sent for a preview: texts, within the bounds of an import. What may hold a secret is not read; everything that stays
// here says why. MCP servers that the files name are found on the way.

import { MAX_FILES, type GivenFolder } from "./given-files.ts"

export interface LeftOut {
  readonly path: string
  readonly reason: string
}

/** A server that the given files name; without an address it is a program of a machine. */
export interface NamedServer {
  readonly file: string
  readonly name: string
  readonly url?: string
}

export type ImportSource = { readonly files: Record<string, string> } | { readonly archive: string }

export interface Readable {
  readonly source: ImportSource
  readonly count: number
  readonly bytes: number
  readonly leftOut: readonly LeftOut[]
  readonly servers: readonly NamedServer[]
}

const MAX_FILE = 2 * 1_048_576
const MAX_ALL = 9 * 1_048_576
/** In base64 it must fit into a request of 10 MiB. */
const MAX_ARCHIVE = 7 * 1_048_576
const MAX_SERVERS = 50

const SECRET = /(?:^|\/)(?:\.?credentials(?:\.json)?|\.env(?:\..+)?|id_[a-z0-9]+|[^/]+\.(?:pem|key|p12|pfx))$/i
const NO_TEXT = /\.(?:png|jpe?g|gif|webp|ico|pdf|zip|gz|tgz|mp[34]|mov|woff2?|ttf|otf|exe|dll|so|dylib|wasm|pyc|db|sqlite3?)$/i
const MCP_FILE = /(?:^|\/)\.?mcp\.json$/i

/** Throws an Error whose message says what to do. */
export async function readable(given: GivenFolder): Promise<Readable> {
  if (given.archive) return opened(given.archive)
  const files: Record<string, string> = {}
  const leftOut: LeftOut[] = given.isCut
    ? [{ path: given.name, reason: `has more than ${MAX_FILES.toLocaleString()} files: the rest is ignored` }]
    : []
  const servers: NamedServer[] = []
  let bytes = 0
  for (const { path, file } of given.files) {
    const out = (reason: string): void => void leftOut.push({ path, reason })
    if (SECRET.test(path)) out("may hold a secret: it is never read and never sent")
    else if (NO_TEXT.test(path)) out("is not text")
    else if (file.size > MAX_FILE) out("is larger than 2 MiB")
    else if (bytes + file.size > MAX_ALL) out("does not fit: what comes before it has 9 MiB; import it on its own")
    else {
      const text = await file.text()
      if (/[\0\uFFFD]/.test(text)) out("is not UTF-8 text")
      else {
        bytes += file.size
        const named = MCP_FILE.test(path) ? serversIn(path, text) : []
        servers.push(...named.slice(0, MAX_SERVERS - servers.length))
        if (named.length === 0) files[path] = text
      }
    }
  }
  return { source: { files }, count: given.files.length, bytes, leftOut, servers }
}

async function opened(archive: File): Promise<Readable> {
  if (archive.size > MAX_ARCHIVE) throw new Error("The zip is larger than 7 MiB: unpack it, and choose the folder.")
  const bytes = new Uint8Array(await archive.arrayBuffer())
  return { source: { archive: base64(bytes) }, count: 0, bytes: archive.size, leftOut: [], servers: [] }
}

const PIECE = 32_768

function base64(bytes: Uint8Array): string {
  let binary = ""
  for (let at = 0; at < bytes.length; at += PIECE) binary += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  return btoa(binary)
}

/** `{"mcpServers": {NAME: {url} or {command}}}` */
function serversIn(file: string, text: string): NamedServer[] {
  const given = fieldsOf(parsed(text))
  return Object.entries(fieldsOf(given["mcpServers"] ?? given["servers"])).map(([name, value]) => {
    const { url } = fieldsOf(value)
    return typeof url === "string" && /^https?:\/\//i.test(url) ? { file, name, url } : { file, name }
  })
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : {}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
