// A package: a named, versioned bundle that was registered [F70]. The catalog holds one row of it, whose body is its manifest: the list
// of its files by hash. So a package is written, rolled back and compared by the ways of any other file.

import { z } from "zod"
import { canonical } from "../../core/json.ts"
import type { Bodies } from "./catalog-bodies.ts"
import type { Body, Entry, StoredFile } from "./catalog-entry.ts"
import { placeOfPath } from "./catalog-place.ts"
import { Lru } from "../lru.ts"

const FileBody = z.object({ hash: z.string(), size: z.number() })
const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  /** Its turn among the packages: one that is registered again keeps it. */
  order: z.number(),
  /** `agents/x.md` and so on. */
  files: z.record(z.string(), FileBody),
})
export type Manifest = z.infer<typeof Manifest>

export interface Package {
  readonly row: StoredFile
  /** undefined: its body is lost or damaged, and with it what the package holds [F74]. */
  readonly manifest?: Manifest
}

export const PACKAGES = "packages/"
export const packagePath = (name: string): string => `${PACKAGES}${name}`

/** Equal manifests give equal text, so the same package has the same hash. */
export const manifestText = (manifest: Manifest): string => canonical(manifest)

const read = new Lru<Manifest>(1000)

/** In the order of their registration. */
export async function readPackages(rows: readonly StoredFile[], bodies: Bodies): Promise<readonly Package[]> {
  const packages = await Promise.all(
    rows.filter((row) => row.kind === "package").map(async (row) => ({ row, ...optional(await readManifest(row, bodies)) })),
  )
  return packages.sort((a, b) => orderOf(a) - orderOf(b) || (a.row.id < b.row.id ? -1 : 1))
}

const optional = (manifest: Manifest | undefined): { manifest?: Manifest } => (manifest ? { manifest } : {})
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

/** The files of a package where they stand in the catalog; one whose path has become none is left out. */
export function entriesOf({ name, files }: Manifest): readonly Entry[] {
  return Object.entries(files).flatMap(([path, { hash, size }]): Entry[] => {
    const place = placeOfPath(path)
    return place.ok ? [{ ...place.value, path: `${packagePath(name)}/${path}`, hash, size, tier: "package", package: name }] : []
  })
}
