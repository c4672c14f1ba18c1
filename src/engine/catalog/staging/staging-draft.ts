// Builds the catalog with a session's files: the same checks over the same rows, with the session's texts instead of stored bodies.

import { asWritten } from "../check/written.ts"
import type { Diagnostic } from "../../../core/diagnostic.ts"
import type { StagedFile } from "../../../ports/tenant/authoring/architect.ts"
import type { CatalogKind } from "../../../ports/tenant/catalog.ts"
import { atOnce } from "../../at-once.ts"
import { encode } from "../catalog-bodies.ts"
import { twice } from "../catalog-diagnostics.ts"
import { keyOf } from "../catalog-entry.ts"
import type { CatalogGround, TextToStore, State } from "../catalog-ground.ts"
import { localEntry } from "../catalog-place.ts"
import { fileOf } from "../catalog-ground.ts"
import { sha256 } from "../../sha256.ts"
import type { StagedRow } from "./staging-entry.ts"

/** A file that is staged but not yet accepted. */
export type StagedText = StagedRow & { readonly hash: string; readonly text: string }

export const writtenOf = (rows: readonly StagedRow[]): readonly StagedText[] =>
  rows.flatMap(({ hash, text, ...row }) => (hash === null || text === null ? [] : [{ ...row, hash, text }]))

export type FileDraft = TextToStore & { readonly kind: CatalogKind }

export const draftOf = ({ kind, id, path, hash, text }: StagedText): FileDraft => ({ kind, id, path, hash, text, body: encode(text) })

/** The resulting catalog with these files. */
export async function stateWith(ground: CatalogGround, now: State, drafts: readonly TextToStore[]): Promise<State> {
  if (drafts.length === 0) return now
  const taken = new Set(drafts.map((d) => keyOf(d.kind, d.id)))
  const rows = [...now.rows.filter((row) => !taken.has(keyOf(row.kind, row.id))), ...drafts.map(fileOf)]
  return ground.state(now.revision, rows, drafts)
}

/** All diagnostics of `draft`, which is one of `drafts`. */
export async function faultsOf(now: State, over: State, drafts: readonly TextToStore[], draft: FileDraft): Promise<readonly Diagnostic[]> {
  const same = [...now.rows, ...drafts].filter((row) => row.kind === draft.kind && row.id === draft.id)
  const other = same.find((row) => row.path !== draft.path)
  const diagnostics = asWritten((await over.view.check(localEntry(draft.kind, fileOf(draft)))).diagnostics)
  return other ? [twice(draft.path, other.path), ...diagnostics] : diagnostics
}

/** All files of a session, checked against the current catalog. */
export async function judged(ground: CatalogGround, files: readonly StagedText[]): Promise<readonly StagedFile[]> {
  const now = await ground.current()
  const drafts = files.map(draftOf)
  const over = await stateWith(ground, now, drafts)
  return atOnce(files, async (file) => {
    const current = now.view.entry(file.kind, file.id)?.hash ?? null
    const row = fileRow(file, await faultsOf(now, over, drafts, draftOf(file)))
    return current === file.base || current === file.hash ? row : { ...row, moved: { base: file.base, current } }
  })
}

export const fileRow = (row: StagedRow & { readonly hash: string }, diagnostics: readonly Diagnostic[]): StagedFile => ({
  path: row.path,
  kind: row.kind,
  id: row.id,
  change: row.base === null ? "added" : "changed",
  hash: row.hash,
  diagnostics,
})

/** `rows` must be sorted by path. */
export const tagOf = (rows: readonly { readonly path: string; readonly hash: string | null }[]): Promise<string> =>
  sha256(JSON.stringify(rows.map(({ path, hash }) => [path, hash])))
