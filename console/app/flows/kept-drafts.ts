// Texts that are not saved, in this tab's store: each by its file, until it is saved or discarded.

import type { DefinitionKind } from "../../../src/api/doc/catalog.doc.ts"

export interface FileName {
  readonly kind: DefinitionKind
  readonly id: string
}

interface Kept {
  readonly text: string
  /** The hash of the version it began from; null: none was stored. */
  readonly from: string | null
}

const BEGINS = "draft "

export const keyOf = (kind: DefinitionKind, id: string): string => `${BEGINS}${kind} ${id}`

/** A text that the editor of a file opens with, before anything is stored. */
export const keepDraft = (kind: DefinitionKind, id: string, text: string): void => keep(keyOf(kind, id), { text, from: null })

export const forgetDraft = (kind: DefinitionKind, id: string): void => sessionStorage.removeItem(keyOf(kind, id))

export function keptOf(key: string): Kept | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? "null") as Kept | null
    return typeof kept?.text === "string" ? kept : undefined
  } catch {
    return undefined
  }
}

export function keep(key: string, kept: Kept): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(kept))
  } catch {
    // The browser's store is full: the text stays on the page.
  }
}

/** Names of all files with a text that is not saved. `isNew`: nothing is stored yet. */
export function keptDrafts(): readonly (FileName & { readonly isNew: boolean })[] {
  return Object.keys(sessionStorage).flatMap((key) => {
    const kept = key.startsWith(BEGINS) ? keptOf(key) : undefined
    const [kind, ...id] = key.slice(BEGINS.length).split(" ")
    return kept === undefined || kind === undefined ? [] : [{ kind: kind as DefinitionKind, id: id.join(" "), isNew: kept.from === null }]
  })
}
