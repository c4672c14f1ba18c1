// Reads the catalog's texts: from the Worker's bundle for built-ins, from the tenant's blobs for all other files, and from memory for a
// write that is still being checked.

import type { CatalogKind } from "../../ports/tenant/catalog.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { Body, CatalogEntry } from "./catalog-entry.ts"
import { sha256 } from "../sha256.ts"

export interface Bodies {
  /** undefined: missing, damaged, or not UTF-8. */
  text(body: Body): Promise<string | undefined>
}

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

export const encode = (text: string): Uint8Array => encoder.encode(text)

/** undefined if the bytes are not UTF-8. */
export function decode(body: Uint8Array): string | undefined {
  try {
    return decoder.decode(body)
  } catch {
    return undefined
  }
}

export interface Builtins {
  readonly entries: readonly CatalogEntry[]
  readonly text: ReadonlyMap<string, string>
}

/** Names and hashes of the files shipped in the Worker. `place` maps a path to its definition; paths without a definition are left out. */
export async function readBuiltins(
  files: Readonly<Record<string, string>>,
  place: (path: string) => { readonly kind: CatalogKind; readonly id: string } | undefined,
): Promise<Builtins> {
  const entries: CatalogEntry[] = []
  const text = new Map<string, string>()
  for (const [path, body] of Object.entries(files)) {
    const where = place(path)
    if (!where) continue
    const hash = await sha256(body)
    entries.push({ ...where, path, hash, size: encode(body).byteLength, tier: "built-in" })
    text.set(hash, body)
  }
  return { entries, text }
}

/** `drafts`: hash → text of a write that is being checked. */
export function bodies(blobs: Blobs, builtins: Builtins, drafts: ReadonlyMap<string, string> = new Map()): Bodies {
  return {
    async text({ hash }) {
      const near = drafts.get(hash) ?? builtins.text.get(hash)
      if (near !== undefined) return near
      const body = await blobs.get(hash)
      return body && decode(body)
    },
  }
}

/** Blobs that also find the built-ins by hash, for readers other than a run (a run's blobs hold everything it pinned). */
export function withBuiltins(blobs: Blobs, builtins: Builtins): Blobs {
  return {
    put: (body) => blobs.put(body),
    async get(hash) {
      const text = builtins.text.get(hash)
      return text === undefined ? blobs.get(hash) : encode(text)
    },
  }
}
