// Which definition a path is: `agents/x.md`, `flows/legal/nda.yaml`, `flows/x.rehearsal.yaml`, `skills/s/SKILL.md`. The path
// functions of the language are the gate: no traversal, no absolute path, no encoded trick gets past them.

import type { CatalogPath } from "../core/flow/path-id.ts"
import { catalogPath } from "../core/flow/path-id.ts"
import type { Result } from "../core/result.ts"
import { err, ok } from "../core/result.ts"
import type { Bundle, Kind } from "../ports/catalog.ts"

export interface Place {
  readonly kind: Kind
  readonly id: string
  readonly path: string
}

/** The path's own kind; the error is a sentence that says why it is none. */
export function placeOfPath(path: string): Result<Place, string> {
  const found = catalogPath(path)
  return found.ok ? ok({ kind: found.value.kind, id: idOf(found.value), path }) : found
}

/** The path as one of `kind`. */
export function placeOf(kind: Kind, path: string): Result<Place, string> {
  const place = placeOfPath(path)
  if (!place.ok || place.value.kind === kind) return place
  return err(`${JSON.stringify(path)} is the place of ${A[place.value.kind]}, not of ${A[kind]}`)
}

const A: Readonly<Record<Kind, string>> = { agent: "an agent", flow: "a flow", rehearsal: "a rehearsal file", skill: "a skill's file" }

const idOf = (path: CatalogPath): string =>
  path.kind === "skill" ? `${path.skill}/${path.file}` : path.kind === "agent" ? path.name : path.id

const FOLDERS = ["agents", "flows", "skills"] as const

/** Every file of a bundle with its full path, and its place or why it has none. */
export function placesOf(
  bundle: Bundle,
): readonly { readonly path: string; readonly text: string; readonly place: Result<Place, string> }[] {
  return FOLDERS.flatMap((folder) =>
    Object.entries(bundle[folder] ?? {}).map(([name, text]) => {
      const path = `${folder}/${name}`
      return { path, text, place: placeOfPath(path) }
    }),
  )
}

/** The kinds that a bundle replaces: a folder that is absent is left alone. */
export function kindsOf(bundle: Bundle): ReadonlySet<Kind> {
  const kinds = new Set<Kind>()
  if (bundle.agents) kinds.add("agent")
  if (bundle.flows) kinds.add("flow").add("rehearsal")
  if (bundle.skills) kinds.add("skill")
  return kinds
}
