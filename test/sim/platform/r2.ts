// R2 as the Worker uses it: strongly consistent, verifies a digest that is said, keeps metadata.

import { createHash } from "node:crypto"
import type { Border } from "./border.ts"

interface Kept {
  readonly key: string
  readonly bytes: Uint8Array
  readonly sha256: string
  readonly uploaded: number
  readonly customMetadata: Readonly<Record<string, string>>
  readonly httpMetadata: Readonly<Record<string, string>>
}

interface PutOptions {
  readonly sha256?: string | ArrayBuffer
  readonly onlyIf?: Headers
  readonly customMetadata?: Readonly<Record<string, string>>
  readonly httpMetadata?: Readonly<Record<string, string>>
}

interface ListOptions {
  readonly prefix?: string
  readonly limit?: number
  readonly cursor?: string
  readonly startAfter?: string
}

export class Bucket {
  readonly kept = new Map<string, Kept>()
  /** Puts since the beginning. */
  puts = 0
  readonly #border: Border

  constructor(border: Border) {
    this.#border = border
  }

  put(key: string, body: unknown, options: PutOptions = {}): Promise<object | null> {
    const given = bytesOf(body)
    return this.#border.ask("R2", `put ${key}`, async () => {
      const bytes = await given
      const sha256 = createHash("sha256").update(bytes).digest("hex")
      const said = typeof options.sha256 === "string" ? options.sha256 : undefined
      if (said !== undefined && said !== sha256) throw new Error("put: The SHA-256 checksum you specified did not match what we received.")
      if (options.onlyIf?.get("if-none-match") === "*" && this.kept.has(key)) return null
      const { customMetadata = {}, httpMetadata = {} } = options
      const entry: Kept = { key, bytes, sha256, uploaded: this.#border.wall(), customMetadata, httpMetadata }
      this.kept.set(key, entry)
      this.puts++
      return headOf(entry)
    })
  }

  get(key: string): Promise<object | null> {
    return this.#border.ask("R2", `get ${key}`, () => {
      const entry = this.kept.get(key)
      return entry ? bodyOf(entry) : null
    })
  }

  head(key: string): Promise<object | null> {
    return this.#border.ask("R2", `head ${key}`, () => {
      const entry = this.kept.get(key)
      return entry ? headOf(entry) : null
    })
  }

  delete(keys: string | readonly string[]): Promise<void> {
    const all = typeof keys === "string" ? [keys] : [...keys]
    return this.#border.ask("R2", `delete ${all.length}`, () => {
      for (const key of all) this.kept.delete(key)
    })
  }

  list({ prefix = "", limit = 1000, cursor = "", startAfter = cursor }: ListOptions = {}): Promise<object> {
    return this.#border.ask("R2", `list ${prefix}`, () => {
      const keys = [...this.kept.keys()].filter((key) => key.startsWith(prefix) && key > startAfter).toSorted()
      const page = keys.slice(0, limit)
      const truncated = keys.length > limit
      const objects = page.flatMap((key) => this.kept.get(key) ?? []).map(headOf)
      return { objects, truncated, ...(truncated ? { cursor: page.at(-1) } : {}), delimitedPrefixes: [] }
    })
  }
}

const headOf = (entry: Kept): object => ({
  key: entry.key,
  size: entry.bytes.byteLength,
  etag: entry.sha256.slice(0, 32),
  httpEtag: `"${entry.sha256.slice(0, 32)}"`,
  uploaded: new Date(entry.uploaded),
  customMetadata: entry.customMetadata,
  httpMetadata: entry.httpMetadata,
  checksums: { sha256: new Uint8Array(Buffer.from(entry.sha256, "hex")).buffer },
  writeHttpMetadata: () => undefined,
})

function bodyOf(entry: Kept): object {
  const bytes = (): Uint8Array<ArrayBuffer> => entry.bytes.slice() as Uint8Array<ArrayBuffer>
  return {
    ...headOf(entry),
    arrayBuffer: async () => bytes().buffer,
    bytes: async () => bytes(),
    text: async () => new TextDecoder().decode(entry.bytes),
    json: async () => JSON.parse(new TextDecoder().decode(entry.bytes)) as unknown,
    get body() {
      return new Response(bytes()).body
    },
  }
}

async function bytesOf(body: unknown): Promise<Uint8Array> {
  if (typeof body === "string") return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return body.slice()
  if (body instanceof ArrayBuffer) return new Uint8Array(body.slice(0))
  return new Uint8Array(await new Response(body as ReadableStream).arrayBuffer())
}
