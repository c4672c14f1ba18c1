// Stores a package: a named, versioned, registered bundle [F70]. The catalog holds one row for it, whose body is its manifest: the list of
// its files by hash. So a package is written, rolled back and compared like any other file.

import { z } from "zod"
import { defined } from "../../core/defined.ts"
import { canonical } from "../../core/json.ts"
import type { Bodies } from "./catalog-bodies.ts"
import type { Body, CatalogEntry, StoredFile } from "./catalog-entry.ts"
import { placeOfPath } from "./catalog-place.ts"
import { Lru } from "../lru.ts"

const FileBody = z.object({ hash: z.string(), size: z.number() })
const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  /** Its rank among the packages; registering it again keeps the rank. */
  order: z.number(),
  /** Keys like `agents/x.md`. */
  files: z.record(z.string(), FileBody),
})
export type Manifest = z.infer<typeof Manifest>

export interface Package {
  readonly row: StoredFile
  /** undefined: the manifest is lost or damaged, so the package's files are unavailable [F74]. */
  readonly manifest?: Manifest
}

export const PACKAGES = "packages/"
export const packagePath = (name: string): string => `${PACKAGES}${name}`

/** Equal manifests give equal text, and so equal hashes. */
export const manifestText = (manifest: Manifest): string => canonical(manifest)

const read = new Lru<Manifest>(1000)

/** Reads the packages in order of registration. */
export async function readPackages(rows: readonly StoredFile[], bodies: Bodies): Promise<readonly Package[]> {
  const packages = await Promise.all(
    rows.filter((row) => row.kind === "package").map(async (row) => ({ row, ...optional(await readManifest(row, bodies)) })),
  )
  return packages.sort((a, b) => orderOf(a) - orderOf(b) || (a.row.id < b.row.id ? -1 : 1))
}

const optional = (manifest: Manifest | undefined): { manifest?: Manifest } => defined({ manifest })
const orderOf = (p: Package): number => p.manifest?.order ?? Number.MAX_SAFE_INTEGER

export async function readManifest(row: Body, bodies: Bodies): Promise<Manifest | undefined> {
  const before = read.get(row.hash)
  if (before) return before
  const text = await bodies.text(row)
  const parsed = text === undefined ? undefined : Manifest.safeParse(jsonOf(text))
  if (!parsed?.success) return undefined
  read.set(row.hash, parsed.data)
  return parsed.data
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The files of a package with their catalog paths; paths that are no longer valid are left out. */
export function entriesOf({ name, files }: Manifest): readonly CatalogEntry[] {
  return Object.entries(files).flatMap(([path, { hash, size }]): CatalogEntry[] => {
    const place = placeOfPath(path)
    return place.ok ? [{ ...place.value, path: `${packagePath(name)}/${path}`, hash, size, tier: "package", package: name }] : []
  })
}
