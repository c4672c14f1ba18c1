// CatalogDrafts [F80]: named folders over the catalog, for the starts that name them. A draft is checked like an apply, over the current
// catalog, and is not a revision: hooks, schedules and starts without its name do not use it.

import type { ApplyWish, DraftWritten } from "../../ports/tenant/authoring/apply.ts"
import { DRAFT_KEPT_MS, MAX_DRAFTS, type DraftRow } from "../../ports/tenant/authoring/drafts.ts"
import type { Writer } from "../../ports/tenant/authoring/gate.ts"
import { Lru } from "../lru.ts"
import { prepared, rowsUnder } from "./catalog-apply.ts"
import type { DraftHead, DraftStore, StoredDraft } from "./catalog-entry.ts"
import { fileOf, of, type CatalogGround, type State } from "./catalog-ground.ts"
import { foldersOf } from "./catalog-place.ts"
import type { Registered } from "./registered-tools.ts"

/** Views of drafts that an object keeps: each may be as large as the catalog. */
// Limit: drafts whose catalogs a tenant's object keeps in memory → the one used longest ago is read again at its next start.
const MAX_VIEWS = 3

interface Seen {
  /** Of this object's writes of drafts. */
  readonly version: number
  readonly registered: readonly Registered[]
  readonly state: State
}

export class CatalogDrafts {
  readonly #ground: CatalogGround
  readonly #store: DraftStore
  readonly #seen = new Lru<Seen>(MAX_VIEWS)
  #version = 0

  constructor(ground: CatalogGround) {
    this.#ground = ground
    this.#store = ground.parts.drafts ?? NO_DRAFTS
  }

  list(): readonly DraftRow[] {
    return this.#store.drafts().flatMap((draft) => (this.#isKept(draft) ? [rowOf(draft, draft.count)] : []))
  }

  one(name: string): DraftRow | undefined {
    const draft = this.#draft(name)
    return draft && rowOf(draft, draft.files.length)
  }

  put(name: string, wish: ApplyWish, by?: Writer): Promise<DraftWritten> {
    return this.#ground.parts.inTurn(async () => {
      const at = this.#store.now()
      this.#store.expireDrafts(at - DRAFT_KEPT_MS)
      const before = this.#draft(name)
      const names = this.#store.drafts().map((draft) => draft.name)
      if (before === undefined && names.length >= MAX_DRAFTS) return { ok: false, code: "too_many", names }
      const now = await this.#ground.current()
      const found = await prepared(this.#ground, now, wish)
      if (!found.ok) return { ok: false, code: "invalid", diagnostics: found.error }
      const { drafts, changes, gone, outcome, diagnostics } = found.value
      this.#ground.weigh(drafts, changes)
      // What an apply would refuse, a draft refuses too, by the rights of its writer: its tools are used.
      await this.#ground.configured(drafts, changes, { action: wish.mode, ...of(by) })
      const known = new Set([...now.rows, ...(before?.files ?? [])].map(({ hash }) => hash))
      await this.#ground.keep(drafts.filter(({ hash }) => !known.has(hash)))
      const draft: StoredDraft = {
        name,
        mode: wish.mode,
        folders: wish.mode === "replace" ? [...foldersOf(wish.bundle)] : [],
        gone: [...gone],
        files: drafts.map(fileOf),
        by: of(by).by ?? null,
        ...warned(Object.values(diagnostics).flat().length),
        created: before?.created ?? at,
        at,
      }
      this.#store.saveDraft(draft)
      this.#version++
      return { ok: true, draft: rowOf(draft, draft.files.length), revision: now.revision, diagnostics, ...outcome }
    })
  }

  remove(name: string): boolean {
    if (this.#draft(name) === undefined) return false
    this.#store.removeDraft(name)
    this.#version++
    return true
  }

  /** The catalog of now with the draft over it; undefined: there is no such draft. What does not load any more shows its own errors. */
  async state(name: string): Promise<State | undefined> {
    const draft = this.#draft(name)
    if (draft === undefined) return undefined
    const version = this.#version
    const now = await this.#ground.current()
    const seen = this.#seen.get(name)
    if (seen?.version === version && seen.state.revision === now.revision && seen.registered === now.registered) return seen.state
    const { stays } = rowsUnder(now.rows, { mode: draft.mode, folders: new Set(draft.folders), gone: new Set(draft.gone) }, draft.files)
    const state = await this.#ground.state(now.revision, [...stays, ...draft.files])
    this.#seen.set(name, { version, registered: now.registered, state })
    return state
  }

  #draft(name: string): StoredDraft | undefined {
    const draft = this.#store.draft(name)
    return draft && this.#isKept(draft) ? draft : undefined
  }

  #isKept({ at }: Pick<StoredDraft, "at">): boolean {
    return at >= this.#store.now() - DRAFT_KEPT_MS
  }
}

/** A draft with an error is not written, so what is told of its files are warnings. */
const warned = (warnings: number | undefined): { readonly warnings?: number } =>
  warnings === undefined || warnings === 0 ? {} : { warnings }

const rowOf = ({ name, mode, by, warnings, created, at }: Omit<DraftHead, "count">, files: number): DraftRow => ({
  name,
  mode,
  files,
  by,
  ...warned(warnings),
  created,
  at,
  expires: at + DRAFT_KEPT_MS,
})

const NO_DRAFTS: DraftStore = {
  now: () => 0,
  drafts: () => [],
  draft: () => undefined,
  saveDraft() {
    throw new Error("this catalog does not support drafts")
  },
  removeDraft: () => undefined,
  expireDrafts: () => undefined,
}
