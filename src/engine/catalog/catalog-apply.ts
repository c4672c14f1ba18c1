// Applies a folder to the catalog [F78]: checked against the resulting catalog, so its files see each other, then stored as one revision,
// or not at all. A plan does the same without the last step, so it shows the apply's effect.

import { defined } from "../../core/defined.ts"
import { asWritten } from "./check/written.ts"
import { hasErrors, type Diagnostic } from "../../core/diagnostic.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { Applied, ApplyWish, ApplyOutcome, Planned } from "../../ports/tenant/authoring/apply.ts"
import type { StaleRevision } from "../../ports/tenant/catalog.ts"
import type { Held, Writer } from "../../ports/tenant/authoring/gate.ts"
import { atOnce } from "../at-once.ts"
import { breaksOf } from "./catalog-breaks.ts"
import { circlesOnce } from "./check/catalog-circles.ts"
import { badPath, emptyBundle, listed, MAX_FILES, tooMany, twice } from "./catalog-diagnostics.ts"
import { driftOf } from "./catalog-drift.ts"
import { keyOf, type Change, type StoredFile } from "./catalog-entry.ts"
import { brokenRules } from "./gate-grounds.ts"
import { HeldWrite } from "./catalog-gate.ts"
import { draftsOf, fileOf, of, type CatalogGround, type TextToStore, type State } from "./catalog-ground.ts"
import { catalogFolder } from "../../core/flow/catalog-kinds.ts"
import { localEntry, foldersOf, placeOfPath, placesOf, sizeOf } from "./catalog-place.ts"

type Faults = Readonly<Record<string, readonly Diagnostic[]>>

interface Prepared {
  readonly now: State
  readonly next: State
  readonly drafts: readonly TextToStore[]
  readonly changes: readonly Change[]
  /** Paths that are named to be deleted, as they are stored. */
  readonly gone: ReadonlySet<string>
  readonly outcome: ApplyOutcome
  readonly diagnostics: Faults
}

/** The project without a name. */
const NAMELESS = ""

export function apply(ground: CatalogGround, wish: ApplyWish, ifRevision?: number, by?: Writer): Promise<Applied | StaleRevision> {
  return ground.parts.inTurn(async () => {
    const now = await ground.current()
    if (ifRevision !== undefined && ifRevision !== now.revision) return { stale: now.revision }
    const found = await prepared(ground, now, wish)
    if (!found.ok) return { ok: false, diagnostics: found.error }
    const { drafts, changes, outcome, diagnostics } = found.value
    const project = wish.project ?? NAMELESS
    const action = wish.mode === "merge" ? "merge" : "replace"
    if (changes.length > 0)
      return {
        ok: true,
        revision: await ground.store(drafts, changes, { action, project, ...of(by), ...defined({ address: wish.address }) }),
        diagnostics,
        ...outcome,
      }
    // A lost body is written again [F74].
    await ground.keep(drafts)
    ground.parts.store.keepApply(project, now.revision)
    return { ok: true, revision: now.revision, diagnostics, ...outcome }
  })
}

/** `held`: the flows for which the gate requires a proof. */
export async function plan(
  ground: CatalogGround,
  wish: ApplyWish,
  ifRevision: number | undefined,
  held: (held: HeldWrite) => Promise<Held>,
): Promise<Planned<{ readonly held?: Held }> | StaleRevision> {
  const now = await ground.current()
  if (ifRevision !== undefined && ifRevision !== now.revision) return { stale: now.revision }
  const found = await prepared(ground, now, wish)
  if (!found.ok) return { ok: false, diagnostics: found.error }
  const { drafts, changes, outcome, diagnostics } = found.value
  ground.weigh(drafts, changes)
  // What an apply would refuse, a plan refuses too.
  await ground.configured(drafts, changes, { action: "merge", configures: true })
  const drift = driftOf(ground.parts.store, wish.project ?? NAMELESS, outcome)
  const proof = changes.length === 0 ? undefined : await gateOf(ground, drafts, changes)
  return { ok: true, revision: now.revision, diagnostics, ...outcome, drift, ...(proof ? { held: await held(proof) } : {}) }
}

/** What the gate asks for. The runs that try the flows pin bodies by their hashes, so these are stored. */
async function gateOf(ground: CatalogGround, drafts: readonly TextToStore[], changes: readonly Change[]): Promise<HeldWrite | undefined> {
  try {
    await ground.passGate(changes, { action: "merge", configures: true })
    return undefined
  } catch (e) {
    if (!(e instanceof HeldWrite)) throw e
    await ground.keep(drafts)
    return e
  }
}

/** The resulting catalog and its changes. Nothing is written. */
export async function prepared(ground: CatalogGround, now: State, wish: ApplyWish): Promise<Result<Prepared, Faults>> {
  const folders = foldersOf(wish.bundle)
  const deleted = wish.delete ?? []
  if (folders.size === 0 && deleted.length === 0) return err({ "": [emptyBundle] })
  const count = sizeOf(wish.bundle)
  if (count > MAX_FILES) return err({ "": [tooMany("the bundle", count)] })
  const { drafts, faults } = await draftsOf(placesOf(wish.bundle))
  const diagnostics = new Map<string, readonly Diagnostic[]>(faults)
  const complain = (path: string, fault: Diagnostic): void => void diagnostics.set(path, [...(diagnostics.get(path) ?? []), fault])
  const written = new Set(drafts.map((draft) => draft.path))
  const gone = new Set<string>()
  for (const path of deleted) {
    const place = placeOfPath(path)
    if (!place.ok) complain(path, badPath(place.error))
    else if (written.has(place.value.path)) complain(path, badPath(`${JSON.stringify(path)} is both written and deleted: do only one`))
    else gone.add(place.value.path)
  }
  const { stays, moved } = rowsUnder(now.rows, { mode: wish.mode, folders, gone }, drafts)
  for (const { draft, row } of wish.mode === "merge" ? moved : []) complain(draft.path, twice(draft.path, row.path))
  const all = stays.filter((row) => row.kind !== "package").length + drafts.length
  if (all > MAX_FILES) return err({ "": [tooMany("the catalog", all)] })
  const next = await ground.state(now.revision, [...stays, ...drafts.map(fileOf)], drafts)
  await atOnce(drafts, async (draft) => {
    const found = asWritten((await next.view.check(localEntry(draft.kind, fileOf(draft)))).diagnostics)
    diagnostics.set(draft.path, [...(diagnostics.get(draft.path) ?? []), ...found])
  })
  const shown = listed(await circlesOnce(next.view, diagnostics))
  if ([...diagnostics.values()].some(hasErrors)) return err(shown)
  const changes = changesOf(now.rows, next.rows)
  const gate = ground.parts.gate?.() ?? {}
  const breaks = [
    ...(await breaksOf({ now: now.view, next: next.view }, changes, ground.parts.triggers?.() ?? [])),
    ...(await brokenRules(gate, now.view, next.view)),
  ]
  return ok({ now, next, drafts, changes, gone, outcome: { ...differences(now.rows, next.rows), breaks }, diagnostics: shown })
}

interface Over {
  readonly mode: ApplyWish["mode"]
  /** Of a replace: the folders that are replaced. */
  readonly folders: ReadonlySet<string>
  /** Paths that are deleted. */
  readonly gone: ReadonlySet<string>
}

/** The rows that these files do not replace, and files whose definition is stored at a different path. */
export function rowsUnder<File extends Pick<StoredFile, "kind" | "id" | "path">>(
  rows: readonly StoredFile[],
  { mode, folders, gone }: Over,
  files: readonly File[],
): { readonly stays: readonly StoredFile[]; readonly moved: readonly { readonly draft: File; readonly row: StoredFile }[] } {
  const keys = new Map(files.map((file) => [keyOf(file.kind, file.id), file]))
  const stays: StoredFile[] = []
  const moved: { draft: File; row: StoredFile }[] = []
  for (const row of rows) {
    if (row.kind !== "package" && (gone.has(row.path) || (mode === "replace" && folders.has(catalogFolder(row.path))))) continue
    const draft = row.kind === "package" ? undefined : keys.get(keyOf(row.kind, row.id))
    if (draft === undefined) stays.push(row)
    else if (draft.path !== row.path) moved.push({ draft, row })
  }
  return { stays, moved }
}

/** Removals first: a definition that moved to another path is one row. */
function changesOf(before: readonly StoredFile[], after: readonly StoredFile[]): readonly Change[] {
  const was = new Map(before.map((row) => [row.path, row]))
  const paths = new Set(after.map((row) => row.path))
  return [
    ...before.flatMap((row): Change[] => (paths.has(row.path) ? [] : [{ type: "remove", kind: row.kind, id: row.id, path: row.path }])),
    ...after.flatMap((row): Change[] => (was.get(row.path)?.hash === row.hash ? [] : [{ type: "put", ...row }])),
  ]
}

function differences(before: readonly StoredFile[], after: readonly StoredFile[]): Omit<ApplyOutcome, "breaks"> {
  const was = new Map(before.map((row) => [row.path, row.hash]))
  const is = new Map(after.map((row) => [row.path, row.hash]))
  return {
    added: [...is.keys()].filter((path) => !was.has(path)).sort(),
    changed: [...is].flatMap(([path, hash]) => (was.has(path) && was.get(path) !== hash ? [path] : [])).sort(),
    removed: [...was.keys()].filter((path) => !is.has(path)).sort(),
  }
}
