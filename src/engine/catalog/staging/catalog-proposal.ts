// Builds the catalog that would result from changed, added or removed files, without writing anything [K21], for tests and backtests.

import { asWritten } from "../check/written.ts"
import { hasErrors, type Diagnostic } from "../../../core/diagnostic.ts"
import { err, ok, type Result } from "../../../core/result.ts"
import type { CatalogChange } from "../../../ports/tenant/catalog.ts"
import { atOnce } from "../../at-once.ts"
import { listed, MAX_FILES, tooMany } from "../catalog-diagnostics.ts"
import { keyOf } from "../catalog-entry.ts"
import { draftsOf, fileOf, type CatalogGround, type TextToStore, type State } from "../catalog-ground.ts"
import { rowsAfter } from "../catalog-gate.ts"
import { localEntry, placeOfPath } from "../catalog-place.ts"

export type Faults = Readonly<Record<string, readonly Diagnostic[]>>

/** `definitions`: path → text, or null to delete the file. Returns the faults of the changed files. */
export async function proposed(
  ground: CatalogGround,
  definitions: Readonly<Record<string, string | null>>,
): Promise<Result<{ readonly state: State; readonly drafts: readonly TextToStore[] }, Faults>> {
  const now = await ground.current()
  const files = Object.entries(definitions).map(([path, text]) => ({ path, text, place: placeOfPath(path) }))
  const { drafts: all, gone, faults } = await draftsOf(files)
  const written = new Set(all.map(({ kind, id }) => keyOf(kind, id)))
  const stays = now.rows.filter((row) => !written.has(keyOf(row.kind, row.id)) && !gone.has(keyOf(row.kind, row.id)))
  const count = stays.filter((row) => row.kind !== "package").length + all.length
  if (count > MAX_FILES) return err({ "": [tooMany("the catalog", count)] })
  const state = await ground.state(now.revision, [...stays, ...all.map(fileOf)], all)
  await atOnce(all, async (draft) => {
    const diagnostics = asWritten((await state.view.check(localEntry(draft.kind, fileOf(draft)))).diagnostics)
    if (hasErrors(diagnostics)) faults.set(draft.path, diagnostics)
  })
  if (faults.size > 0) return err(listed(faults))
  // A run pins bodies by their hashes.
  await ground.keep(all)
  return ok({ state, drafts: all })
}

/** [K24] The catalog after a write that waits for the gate, which was checked and whose bodies are stored. */
export async function written(ground: CatalogGround, changes: readonly CatalogChange[]): Promise<Result<{ readonly state: State }, never>> {
  const now = await ground.current()
  return ok({ state: await ground.state(now.revision, rowsAfter(now.rows, changes)) })
}
