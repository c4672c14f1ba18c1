// Compares the folder's files with those of the server. Pure.

import type { Bundle } from "../../src/api/catalog.ts"
import { BUNDLE_FOLDERS, catalogFolder, TOP } from "../../src/core/flow/catalog-kinds.ts"

export const KINDS = BUNDLE_FOLDERS.toSorted()

/** Settings are files at the top of the project; every other kind has a folder. */
export const pathOf = (kind: string, name: string): string => (kind === TOP ? name : `${kind}/${name}`)

export interface FolderDifference {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  /** On the server and not in the folder; an apply removes them only when it prunes. */
  readonly removed: readonly string[]
}

export function difference(folder: Bundle, server: Bundle): FolderDifference {
  const [ours, theirs] = [filesOf(folder), filesOf(server)]
  const kinds = new Set<string>(KINDS.filter((kind) => folder[kind] !== undefined))
  return {
    added: [...ours.keys()].filter((path) => !theirs.has(path)).sort(),
    changed: [...ours].flatMap(([path, text]) => (theirs.has(path) && theirs.get(path) !== text ? [path] : [])).sort(),
    // A kind without a folder is not the project's.
    removed: [...theirs.keys()].filter((path) => !ours.has(path) && kinds.has(catalogFolder(path))).sort(),
  }
}

export function filesOf(bundle: Bundle): ReadonlyMap<string, string> {
  return new Map(KINDS.flatMap((kind) => Object.entries(bundle[kind] ?? {}).map(([name, text]) => [pathOf(kind, name), text] as const)))
}
