// Keeps every accepted write as a permanent revision [F72]. A past state is computed backwards from the current state, using the changes of
// each later revision: a recent revision is cheap to read, and the cost of a write does not grow with the history.

import { defined } from "../../core/defined.ts"
import type { Writer } from "../../ports/tenant/authoring/gate.ts"
import type { Diagnostic } from "../../core/diagnostic.ts"
import { unifiedDiff } from "../../core/text/line-diff.ts"
import type { BundleResult, DiffResult, NoRevision, PathDiff, RevisionRow, StaleRevision } from "../../ports/tenant/catalog.ts"
import { atOnce } from "../at-once.ts"
import type { Bodies } from "./catalog-bodies.ts"
import { listed, corrupt } from "./catalog-diagnostics.ts"
import type { Body, CatalogStore, Change, CatalogEntry, PathChange, StoredFile } from "./catalog-entry.ts"
import { circlesOnce } from "./check/catalog-circles.ts"
import type { CatalogGround, State } from "./catalog-ground.ts"
import { of } from "./catalog-ground.ts"
import { packagePath, readManifest } from "./catalog-package.ts"
import { placeOfPath } from "./catalog-place.ts"

/** Changed paths listed per page, and per revision: a bundle may hold tens of thousands. */
const MAX_CHANGES = 2000 // limit: changed paths of a page of revisions → the next page has the rest
/** Limits of one `diff` answer: paths, characters read, characters of hunks, and comparison steps (about 50 ms). */
const MAX_PATHS = 2000 // limit: paths of a comparison → the answer says that there are more
const MAX_READ = 8_000_000 // limit: characters read for a comparison → further rows have hashes but no hunks
const MAX_SHOWN = 1_000_000 // limit: characters of hunks of a comparison → further rows have hashes but no hunks
const MAX_STEPS = 5_000_000 // limit: steps of a comparison → further rows have hashes but no hunks

export class CatalogHistory {
  readonly #ground: CatalogGround
  #then: State | undefined

  constructor(ground: CatalogGround) {
    this.#ground = ground
  }

  /** The catalog at a past revision. Built-ins come from the current Worker. */
  async at(revision: number): Promise<State | NoRevision> {
    const { store } = this.#ground.parts
    if (!exists(store, revision)) return { ok: false, code: "no_revision", latest: store.revision() }
    if (revision === store.revision()) return this.#ground.current()
    if (this.#then?.revision === revision) return this.#then
    return (this.#then = await this.#ground.state(revision, rowsAt(store, revision)))
  }

  /** Newest first. A cursor is a revision: the page starts below it, regardless of later writes. */
  async list(query: {
    readonly limit: number
    readonly cursor?: string
  }): Promise<{ data: RevisionRow[]; next_cursor: string | null } | { badCursor: true }> {
    const { store } = this.#ground.parts
    const latest = store.revision()
    const below = query.cursor === undefined ? latest + 1 : /^[1-9]\d{0,14}$/.test(query.cursor) ? Number(query.cursor) : Number.NaN
    if (!(below <= latest + 1)) return { badCursor: true }
    const found = store.revisions(below, query.limit + 1)
    let listedChanges = 0
    const page = found.slice(0, query.limit).filter(({ changed }, i) => (listedChanges += changed) <= MAX_CHANGES || i === 0)
    const last = page.at(-1)
    const changes = new Map<number, PathChange[]>()
    for (const change of last ? store.changes(last.revision - 1, below - 1, MAX_CHANGES) : [])
      changes.set(change.revision, [...(changes.get(change.revision) ?? []), change])
    return {
      data: page.map(({ revision, at, by, action, target, forced, changed }) => ({
        revision,
        at,
        by: by ?? null,
        action,
        ...defined({ target, forced }),
        changed,
        changes: (changes.get(revision) ?? []).map(changeRow),
      })),
      next_cursor: last && found.length > page.length ? String(last.revision) : null,
    }
  }

  async diff(query: { readonly from?: number; readonly to?: number; readonly path?: string }): Promise<DiffResult> {
    const { store } = this.#ground.parts
    const latest = store.revision()
    const to = query.to ?? latest
    const from = query.from ?? Math.max(0, to - 1)
    if (!exists(store, from) || !exists(store, to)) return { ok: false, code: "no_revision", latest }
    const texts = await this.#ground.texts()
    const between = net(store.changes(Math.min(from, to), Math.max(from, to)))
    const forward = from <= to ? between : between.map(turned)
    const paths = (await withFilesOfPackages(forward, texts)).filter(({ path }) => query.path === undefined || path === query.path)
    const budget = { read: MAX_READ, shown: MAX_SHOWN, left: MAX_STEPS }
    const data: PathDiff[] = []
    for (const change of paths.slice(0, MAX_PATHS)) data.push(await described(change, texts, budget))
    return { ok: true, from, to, data }
  }

  /** Writes a new revision with the content of an old one. What today's checks find in it is reported; only a lost body prevents it. */
  rollback(revision: number, ifRevision?: number, by?: Writer): Promise<BundleResult | StaleRevision | NoRevision> {
    return this.#ground.parts.inTurn(async () => {
      const { store } = this.#ground.parts
      const now = await this.#ground.current()
      if (ifRevision !== undefined && ifRevision !== now.revision) return { stale: now.revision }
      const then = await this.at(revision)
      if (!("view" in then)) return then
      const diagnostics = new Map<string, readonly Diagnostic[]>()
      let refused = false
      for (const { row, manifest } of then.packages) {
        if (manifest || now.rows.some((r) => r.path === row.path && r.hash === row.hash)) continue
        diagnostics.set(row.path, [corrupt(row, "is missing or damaged")])
        refused = true
      }
      await atOnce(
        then.view.entries.filter((e) => e.tier !== "built-in"),
        async (entry) => {
          const found = (await then.view.check(entry)).diagnostics
          diagnostics.set(entry.path, found)
          // The revision was accepted when it was written, and today's checks may be stricter. A body that is lost now, and stays lost, blocks
          // nothing either.
          if (found.some(isLost) && !(await isLostNow(now, entry))) refused = true
        },
      )
      // Removals first: a flow that moved to another path is a single row, so its removal must precede its put.
      const changes = net(store.changes(revision, now.revision))
        .map(undoing)
        .sort((a, b) => Number(a.type === "put") - Number(b.type === "put"))
      // What was checked before is known by its hash, and not read again: so what comes back is read here.
      await atOnce(changes, async (change) => {
        if (change.type !== "put" || change.kind === "package" || (await then.view.text(change)) !== undefined) return
        diagnostics.set(change.path, [corrupt(change, "is missing or damaged")])
        refused = true
      })
      if (refused) return { ok: false, diagnostics: listed(await circlesOnce(then.view, diagnostics)) }
      const next = await this.#ground.store([], changes, { action: "rollback", target: revision, ...of(by) })
      return { ok: true, revision: next, diagnostics: listed(diagnostics) }
    })
  }
}

const exists = (store: CatalogStore, revision: number): boolean =>
  Number.isSafeInteger(revision) && revision >= 0 && revision <= store.revision()

const changeRow = ({ path, before, after }: PathChange): RevisionRow["changes"][number] => ({
  path,
  before: before?.hash ?? null,
  after: after?.hash ?? null,
})

/** One change per path, from before the first to after the last, sorted by path. Paths that ended unchanged are left out. */
function net(changes: readonly PathChange[]): readonly PathChange[] {
  const paths = new Map<string, PathChange>()
  for (const { kind, id, path, before: was, after } of changes) {
    const first = paths.get(path)
    const before = first ? first.before : was
    paths.set(path, { kind, id, path, ...defined({ before, after }) })
  }
  return [...paths.values()].filter((c) => c.before?.hash !== c.after?.hash).sort((a, b) => (a.path < b.path ? -1 : 1))
}

function rowsAt(store: CatalogStore, revision: number): readonly StoredFile[] {
  const rows = new Map(store.files().map((file) => [file.path, file]))
  for (const { kind, id, path, before } of net(store.changes(revision, store.revision()))) {
    if (before) rows.set(path, { kind, id, path, ...before })
    else rows.delete(path)
  }
  return [...rows.values()]
}

const turned = ({ before, after, ...name }: PathChange): PathChange => ({ ...name, ...defined({ before: after, after: before }) })

const undoing = ({ kind, id, path, before }: PathChange): Change =>
  before ? { type: "put", kind, id, path, ...before } : { type: "remove", kind, id, path }

const isLost = ({ code }: Diagnostic): boolean => code === "CAT-CORRUPT"

async function isLostNow({ rows, view }: State, entry: CatalogEntry): Promise<boolean> {
  const same = view.entry(entry.kind, entry.id)
  if (!same || same.path !== entry.path || same.hash !== entry.hash || rows.length === 0) return false
  return (await view.check(same)).diagnostics.some(isLost)
}

/** Adds, for each changed package, the files in it that changed. */
async function withFilesOfPackages(changes: readonly PathChange[], texts: Bodies): Promise<readonly PathChange[]> {
  const all: PathChange[] = []
  for (const change of changes) {
    all.push(change)
    if (change.kind !== "package") continue
    const filesOf = async (row?: Body): Promise<Readonly<Record<string, Body>>> => (row && (await readManifest(row, texts))?.files) ?? {}
    const [before, after] = [await filesOf(change.before), await filesOf(change.after)]
    for (const path of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
      const [was, is] = [before[path], after[path]]
      const place = placeOfPath(path)
      if (was?.hash === is?.hash || !place.ok) continue
      const inside = { ...place.value, path: `${packagePath(change.id)}/${path}` }
      all.push({ ...inside, ...defined({ before: was, after: is }) })
    }
  }
  return all
}

async function described(change: PathChange, texts: Bodies, budget: { read: number; shown: number; left: number }): Promise<PathDiff> {
  const { path, before, after } = change
  const row = {
    path,
    status: before === undefined ? ("added" as const) : after === undefined ? ("removed" as const) : ("changed" as const),
    before: before?.hash ?? null,
    after: after?.hash ?? null,
  }
  budget.read -= (before?.size ?? 0) + (after?.size ?? 0)
  if (budget.read < 0 || budget.shown < 0) return row
  const textOf = async (body?: Body): Promise<string | undefined> =>
    body === undefined ? "" : change.kind === "package" ? headOf(body, texts) : texts.text(body)
  const [old, fresh] = [await textOf(before), await textOf(after)]
  if (old === undefined || fresh === undefined) return row
  const diff = unifiedDiff(old, fresh, budget)
  budget.shown -= diff.length
  return budget.shown < 0 ? row : { ...row, diff }
}

/** The readable part of a manifest; its files are listed one by one. */
async function headOf(body: Body, texts: Bodies): Promise<string | undefined> {
  const manifest = await readManifest(body, texts)
  return manifest && `name: ${manifest.name}\nversion: ${manifest.version}\n`
}
