// Maps a path to its definition: `agents/x.md`, `flows/legal/nda.yaml`, `flows/x.rehearsal.yaml`, `skills/s/SKILL.md`, `code/f/step.ts`.
// The flow language's path functions are the gate: they refuse traversal, absolute paths and encoded tricks.

import { codeIdOf, codePlace } from "../../core/flow/code-file.ts"
import type { CatalogPath } from "../../core/flow/path-id.ts"
import { catalogPath } from "../../core/flow/path-id.ts"
import type { Result } from "../../core/result.ts"
import { err, ok } from "../../core/result.ts"
import type { Bundle, Kind, ProjectBundle } from "../../ports/tenant/catalog.ts"

import type { Entry, StoredFile } from "./catalog-entry.ts"

export interface Place {
  readonly kind: Kind
  readonly id: string
  readonly path: string
}

/** The kind follows from the path; the error is a sentence that says why the path is invalid. A handler beside its flow is stored under
 *  `code/` [F5]. */
export function placeOfPath(path: string): Result<Place, string> {
  if (/^code\/|^flows\/.*\.[tj]s$/s.test(path)) {
    const code = codePlace(path)
    return code.ok ? ok({ kind: "code", id: codeIdOf(code.value.flow, code.value.step), path: code.value.path }) : code
  }
  const found = catalogPath(path)
  return found.ok ? ok({ kind: found.value.kind, id: idOf(found.value), path }) : found
}

/** A local file. */
export const localEntry = (kind: Kind, { id, path, hash, size }: StoredFile): Entry => ({ kind, id, path, hash, size, tier: "local" })

/** The path, which must be of `kind`. */
export function placeOf(kind: Kind, path: string): Result<Place, string> {
  const place = placeOfPath(path)
  if (!place.ok || place.value.kind === kind) return place
  return err(`${JSON.stringify(path)} is the path of ${A[place.value.kind]}, not of ${A[kind]}`)
}

const A: Readonly<Record<Kind, string>> = {
  agent: "an agent",
  flow: "a flow",
  rehearsal: "a rehearsal file",
  test: "a file of tests",
  skill: "a skill's file",
  code: "a handler",
  hook: "a hook",
  schedule: "a schedule",
  callback: "a callback",
  tool: "a tool's file",
  setting: "a setting",
}

/** The files that lie beside a flow's file and go with it. */
export const isBeside = (kind: string): kind is "rehearsal" | "test" => kind === "rehearsal" || kind === "test"

const idOf = (path: CatalogPath): string => (path.kind === "skill" ? `${path.skill}/${path.file}` : "name" in path ? path.name : path.id)

/** The members of a bundle, which are the folders of the catalog. */
type Folder = keyof ProjectBundle
const NAMES: readonly Folder[] = ["agents", "flows", "skills", "code", "tests", "hooks", "schedules", "callbacks", "tools", "settings"]
/** Its files are not in a folder. */
const TOP: Folder = "settings"

/** A path with its text, and the place that the path stands for, or why it stands for none. */
export interface Placed<Text> {
  readonly path: string
  readonly text: Text
  readonly place: Result<Place, string>
}

/** Every file of a bundle with its full path, and its place or the path's fault. */
export function placesOf(bundle: ProjectBundle): readonly Placed<string>[] {
  return NAMES.flatMap((folder) =>
    Object.entries(bundle[folder] ?? {}).map(([name, text]) => {
      const path = folder === TOP ? name : `${folder}/${name}`
      return { path, text, place: placeOfPath(path) }
    }),
  )
}

/** Number of files. */
export const sizeOf = (bundle: ProjectBundle): number => NAMES.reduce((sum, folder) => sum + Object.keys(bundle[folder] ?? {}).length, 0)

/** The folders that a bundle replaces: an absent folder is left alone. */
export const foldersOf = (bundle: ProjectBundle): ReadonlySet<string> => new Set(NAMES.filter((folder) => bundle[folder] !== undefined))

export const folderOf = (path: string): string => (path.includes("/") ? path.slice(0, path.indexOf("/")) : TOP)

/** Paths and texts as a bundle with every folder of definitions, and other folders that have files: the inverse of `placesOf`. Names are
 *  sorted, so equal catalogs give equal text. */
export function bundleOf(files: readonly (readonly [path: string, text: string])[]): Required<Bundle> & ProjectBundle {
  const bundle: Required<Bundle> & { [Name in Folder]?: Record<string, string> } = { agents: {}, flows: {}, skills: {}, code: {} }
  for (const [path, text] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const folder = NAMES.find((name) => name === folderOf(path))
    if (folder !== undefined) (bundle[folder] ??= {})[folder === TOP ? path : path.slice(folder.length + 1)] = text
  }
  return bundle
}
