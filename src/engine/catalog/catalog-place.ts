// Maps a path to its definition: `agents/x.md`, `flows/legal/nda.yaml`, `flows/x.rehearsal.yaml`, `skills/s/SKILL.md`, `code/f/step.ts`.
// The flow language's path functions are the gate: they refuse traversal, absolute paths and encoded tricks.

import { BUNDLE_FOLDERS, CATALOG_KINDS, catalogFolder, TOP, WHOLE_FOLDERS, type Folder } from "../../core/flow/catalog-kinds.ts"
import { codeIdOf, codePlace } from "../../core/flow/code-file.ts"
import type { CatalogPath } from "../../core/flow/path-id.ts"
import { catalogPath } from "../../core/flow/path-id.ts"
import type { Result } from "../../core/result.ts"
import { err, ok } from "../../core/result.ts"
import type { CatalogKind, ProjectBundle, WholeBundle } from "../../ports/tenant/catalog.ts"
import type { CatalogEntry, StoredFile } from "./catalog-entry.ts"

export interface CatalogPlace {
  readonly kind: CatalogKind
  readonly id: string
  readonly path: string
}

/** The kind follows from the path; the error is a sentence that says why the path is invalid. A handler beside its flow is stored under
 *  `code/` [F5]. */
export function placeOfPath(path: string): Result<CatalogPlace, string> {
  if (/^code\/|^flows\/.*\.[tj]s$/s.test(path)) {
    const code = codePlace(path)
    return code.ok ? ok({ kind: "code", id: codeIdOf(code.value.flow, code.value.step), path: code.value.path }) : code
  }
  const found = catalogPath(path)
  return found.ok ? ok({ kind: found.value.kind, id: idOf(found.value), path }) : found
}

/** A local file. */
export const localEntry = (kind: CatalogKind, { id, path, hash, size }: StoredFile): CatalogEntry => ({
  kind,
  id,
  path,
  hash,
  size,
  tier: "local",
})

/** The path, which must be of `kind`. */
export function placeOf(kind: CatalogKind, path: string): Result<CatalogPlace, string> {
  const place = placeOfPath(path)
  if (!place.ok || place.value.kind === kind) return place
  return err(`${JSON.stringify(path)} is the path of ${CATALOG_KINDS[place.value.kind].noun}, not of ${CATALOG_KINDS[kind].noun}`)
}

const idOf = (path: CatalogPath): string => (path.kind === "skill" ? `${path.skill}/${path.file}` : "name" in path ? path.name : path.id)

/** A path with its text, and its place in the catalog or the path's fault. */
export interface Placed<Text> {
  readonly path: string
  readonly text: Text
  readonly place: Result<CatalogPlace, string>
}

/** Every file of a bundle with its full path, and its place or the path's fault. */
export function placesOf(bundle: ProjectBundle): readonly Placed<string>[] {
  return BUNDLE_FOLDERS.flatMap((folder) =>
    Object.entries(bundle[folder] ?? {}).map(([name, text]) => {
      const path = folder === TOP ? name : `${folder}/${name}`
      return { path, text, place: placeOfPath(path) }
    }),
  )
}

/** The number of files. */
export const sizeOf = (bundle: ProjectBundle): number =>
  BUNDLE_FOLDERS.reduce((sum, folder) => sum + Object.keys(bundle[folder] ?? {}).length, 0)

/** The folders that a bundle replaces: an absent folder is left alone. */
export const foldersOf = (bundle: ProjectBundle): ReadonlySet<string> =>
  new Set(BUNDLE_FOLDERS.filter((folder) => bundle[folder] !== undefined))

/** Paths and texts as a bundle with every folder of definitions, and other folders that have files: the inverse of `placesOf`. Names are
 *  sorted, so equal catalogs give equal text. */
export function bundleOf(files: readonly (readonly [path: string, text: string])[]): WholeBundle & ProjectBundle {
  const bundle: { [Name in Folder]?: Record<string, string> } = Object.fromEntries(WHOLE_FOLDERS.map((name) => [name, {}]))
  for (const [path, text] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const folder = BUNDLE_FOLDERS.find((name) => name === catalogFolder(path))
    if (folder !== undefined) (bundle[folder] ??= {})[folder === TOP ? path : path.slice(folder.length + 1)] = text
  }
  return bundle as WholeBundle & ProjectBundle
}
