// Chooses between two files with the same name in an import [F73]: the repository's own before a copy for another program, and of two
// copies the one that names its tools. So no agent gets more tools because its name occurs twice.

import { isDocumentFolder } from "./layout.ts"
import type { Sorted } from "./sort-files.ts"

/** Sorts by place, lowest first; stable. */
export const byPlace = <T extends { readonly path: string }>(files: readonly T[]): readonly T[] =>
  files
    .map((file) => ({ file, place: placeOf(file.path) }))
    .sort((a, b) => a.place - b.place)
    .map(({ file }) => file)

/** Sorts by place, then by how narrow the tools of a file's agent are. */
export const byPrecedence = (sorted: readonly Sorted[]): readonly Sorted[] =>
  sorted
    .map((file) => ({ file, place: placeOf(file.path), width: widthOf(file) }))
    .sort((a, b) => a.place - b.place || a.width - b.width)
    .map(({ file }) => file)

const OURS = /^\.(?:pi|sluice)$/i

function placeOf(path: string): number {
  const folders = path.split("/").slice(0, -1)
  if (folders.some(isDocumentFolder)) return 3
  const hidden = folders.filter((folder) => folder.startsWith("."))
  if (hidden.length === 0) return 0
  return hidden.every((folder) => OURS.test(folder)) ? 1 : 2
}

function widthOf(file: Sorted): number {
  const powers = file.kind === "agent" ? (file.reading.head?.powers ?? []) : []
  if (powers.some(({ power }) => power === "grant")) return 0
  return powers.length > 0 ? 1 : 2
}
