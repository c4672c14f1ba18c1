// Implements the base of every catalog write. It gives the current state, or any other set of rows, as a view, and has the only method that
// changes rows: bodies first, then one transaction, so no row ever names a body that is not durable [F71].

import { defined } from "../../core/defined.ts"
import type { Diagnostic } from "../../core/diagnostic.ts"
import type { ToolTraits } from "../../core/flow/check/check-trifecta.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { Bodies, Builtins } from "./catalog-bodies.ts"
import { bodies, encode, readBuiltins } from "./catalog-bodies.ts"
import { badPath, twice } from "./catalog-diagnostics.ts"
import type { Trigger } from "./catalog-breaks.ts"
import { madeTools, type MadeTools } from "./config/made-tools.ts"
import type { Surroundings } from "./config/surroundings.ts"
import { configChanges, configures, takesAdmin, type ConfigChange } from "./config/config-change.ts"
import { passGate, rowsAfter } from "./catalog-gate.ts"
import type { GateSetting } from "../../core/tool/policy/gate-setting.ts"
import type { WriteAs, Writer } from "../../ports/tenant/authoring/gate.ts"
import type { Act, CatalogStore, DraftStore, Change, CatalogEntry, StoredFile } from "./catalog-entry.ts"
import { keyOf } from "./catalog-entry.ts"
import type { Package } from "./catalog-package.ts"
import { entriesOf, readPackages } from "./catalog-package.ts"
import type { CatalogPlace, Placed } from "./catalog-place.ts"
import { localEntry, placeOfPath } from "./catalog-place.ts"
import { CatalogView } from "./catalog-view.ts"
import { Breath } from "../../ports/breath.ts"
import type { InTurn } from "../in-turn.ts"
import type { Registered } from "./registered-tools.ts"
import { sha256 } from "../sha256.ts"

/** Path → text, or a function that loads the texts. */
export type ShippedFiles = Readonly<Record<string, string>> | (() => Promise<Readonly<Record<string, string>>>)

export interface CatalogParts {
  readonly store: CatalogStore
  readonly blobs: Blobs
  /** The files shipped in the Worker. Pass the same value every time: its hashes are computed once per isolate. */
  readonly builtins: ShippedFiles
  /** Names allowed in an agent's `tools:`, besides registered tools. */
  readonly tools: readonly string[]
  /** The tenant's own tools [T26, T27]. Returns the same array until the tools change. */
  readonly registered?: () => readonly Registered[]
  /** The traits of all these tools, for the [G11] lint. */
  readonly traits?: () => readonly ToolTraits[]
  /** Whether caches may still answer with bodies of an earlier tenant of this name, whose own are deleted. */
  readonly isReborn?: () => boolean
  /** Maximum total bytes of the tenant's own files [H6]; absent: unlimited. */
  readonly allowance?: () => number
  /** [F79] Answers what sets these in the transaction of the revision; throws a QuotaError if there is no room. */
  readonly configure?: (changes: readonly ConfigChange[], act: Act) => Promise<() => void>
  /** [F79] What these files are checked against besides the catalog. */
  readonly around?: Surroundings
  /** [F78] The tenant's hooks and schedules. */
  readonly triggers?: () => readonly Trigger[]
  /** [K24] The tenant's gate; absent: none. */
  readonly gate?: () => GateSetting
  readonly inTurn: InTurn
  /** [F80] Absent: a catalog without drafts. */
  readonly drafts?: DraftStore
}

/** A set of rows with its view. */
export interface State {
  readonly revision: number
  readonly rows: readonly StoredFile[]
  readonly packages: readonly Package[]
  readonly registered: readonly Registered[]
  readonly view: CatalogView
}

/** A text to be stored. */
export interface TextToStore {
  readonly kind: StoredFile["kind"]
  readonly id: string
  readonly path: string
  readonly body: Uint8Array
  readonly text: string
  readonly hash: string
}

const NONE: readonly Registered[] = []

/** What has been read, and no promise of it: in workerd the object that reads may die, and whoever awaits its promise would wait for good. */
const shipped = new WeakMap<ShippedFiles, Builtins>()

export async function builtinsOf(files: ShippedFiles): Promise<Builtins> {
  const before = shipped.get(files)
  if (before) return before
  const builtins = await readShipped(files)
  const first = shipped.get(files) ?? builtins
  shipped.set(files, first)
  return first
}

async function readShipped(files: ShippedFiles): Promise<Builtins> {
  return readBuiltins(isLoader(files) ? await files() : files, (path) => {
    const place = placeOfPath(path)
    return place.ok ? place.value : undefined
  })
}

const isLoader = (files: ShippedFiles): files is () => Promise<Readonly<Record<string, string>>> => typeof files === "function"

export class CatalogGround {
  readonly parts: CatalogParts
  #now: State | undefined
  #names: { readonly from: readonly Registered[]; readonly names: readonly string[] } | undefined

  constructor(parts: CatalogParts) {
    this.parts = parts
  }

  async current(): Promise<State> {
    const { store } = this.parts
    // Both are read in one turn of the event loop, so they match even if a write follows.
    const revision = store.revision()
    const { registered } = this
    if (this.#now?.revision === revision && this.#now.registered === registered) return this.#now
    const state = await this.state(revision, store.files())
    if (revision === store.revision()) this.#now = state
    return state
  }

  get registered(): readonly Registered[] {
    return this.parts.registered?.() ?? NONE
  }

  get traits(): readonly ToolTraits[] {
    return this.parts.traits?.() ?? []
  }

  /** Every name allowed in an agent's `tools:`. */
  get toolNames(): readonly string[] {
    const { registered } = this
    if (this.#names?.from !== registered)
      this.#names = { from: registered, names: [...this.parts.tools, ...registered.map(({ name }) => name)] }
    return this.#names.names
  }

  #namesWith({ registered }: MadeTools): readonly string[] {
    return [...this.parts.tools, ...registered.map(({ name }) => name)]
  }

  #traitsWith(made: MadeTools | undefined): readonly ToolTraits[] {
    return made === undefined ? this.traits : [...this.traits.filter(({ name }) => !made.gone.has(name)), ...made.specs]
  }

  /** The catalog with these rows, current or hypothetical; the bodies of `drafts` need not be stored yet. */
  async state(revision: number, rows: readonly StoredFile[], drafts: readonly TextToStore[] = []): Promise<State> {
    const builtins = await builtinsOf(this.parts.builtins)
    const texts = bodies(this.parts.blobs, builtins, new Map(drafts.map((d) => [d.hash, d.text])))
    const packages = await readPackages(rows, texts)
    const layers = [localOf(rows), ...packages.map((p) => (p.manifest ? entriesOf(p.manifest) : [])), builtins.entries]
    const { registered } = this
    const made = await madeTools(rows, { rows: this.parts.store.files(), registered }, texts)
    const view = new CatalogView(layers, texts, {
      ...this.parts.around,
      tools: made === undefined ? this.toolNames : this.#namesWith(made),
      traits: this.#traitsWith(made),
      builtInTools: this.parts.tools,
      registered: made?.registered ?? registered,
      unmade: made?.broken ?? [],
    })
    return { revision, rows, packages, registered, view }
  }

  /** These files and the built-ins, without the tenant's own. */
  async apart(entries: readonly CatalogEntry[], drafts: readonly TextToStore[]): Promise<CatalogView> {
    const builtins = await builtinsOf(this.parts.builtins)
    const texts = bodies(this.parts.blobs, builtins, new Map(drafts.map((d) => [d.hash, d.text])))
    return new CatalogView([entries, builtins.entries], texts, { tools: this.toolNames, traits: this.traits })
  }

  async texts(): Promise<Bodies> {
    return bodies(this.parts.blobs, await builtinsOf(this.parts.builtins))
  }

  /** Returns the new revision. */
  async store(drafts: readonly TextToStore[], changes: readonly Change[], act: Act): Promise<number> {
    this.weigh(drafts, changes)
    const configure = await this.configured(drafts, changes, act)
    await this.keep(drafts)
    await this.passGate(changes, act)
    return this.parts.store.commit(changes, act, configure)
  }

  /** Stores the bodies, which no row names yet. */
  keep(drafts: readonly TextToStore[]): Promise<void> {
    return new Breath().each(drafts, (draft) => this.parts.blobs.put(draft.body))
  }

  /** [F79] What the commit does besides. A key that may write flows may not change what the tenant allows them. */
  async configured(drafts: readonly TextToStore[], changes: readonly Change[], act: Act): Promise<(() => void) | undefined> {
    if (!configures(changes)) return undefined
    if (act.configures !== true && takesAdmin(changes)) {
      const error = new Error(
        "Hooks, schedules, callbacks, tools and settings are changed by a key with the scope admin. Nothing was written.",
      )
      error.name = "NotAdminError"
      throw error
    }
    const texts = bodies(this.parts.blobs, await builtinsOf(this.parts.builtins), new Map(drafts.map((d) => [d.hash, d.text])))
    return this.parts.configure?.(await configChanges(changes, (body) => texts.text(body)), act)
  }

  /** [K24] Every write calls it before its commit, with its bodies stored. */
  async passGate(changes: readonly Change[], act: Act): Promise<void> {
    const gate = this.parts.gate?.()
    if (gate === undefined) return
    const now = await this.current()
    const world = { ...defined({ models: this.parts.around?.models?.() }), flowOf: this.flowOf }
    await passGate(gate, now, { changes, act, world }, () => this.state(now.revision, rowsAfter(now.rows, changes)))
  }

  /** [V40] The flow of a dataset. */
  readonly flowOf = (dataset: string): string | undefined => this.parts.around?.datasets?.().find(({ name }) => name === dataset)?.flow

  /** Throws a QuotaError: the name survives RPC, so the HTTP layer can tell it from an internal error. Writes that shrink the catalog always pass. */
  weigh(drafts: readonly TextToStore[], changes: readonly Change[]): void {
    const most = this.parts.allowance?.()
    if (most === undefined) return
    const sizes = new Map(this.parts.store.files().map((f) => [`${f.kind} ${f.id}`, f.size]))
    const sum = (): number => [...sizes.values()].reduce((total, size) => total + size, 0)
    const before = sum()
    for (const change of changes) {
      if (change.type === "put") sizes.set(`${change.kind} ${change.id}`, change.size)
      else sizes.delete(`${change.kind} ${change.id}`)
    }
    // A package's files have no rows; only its manifest names them.
    for (const { kind, id, body } of drafts) if (!sizes.has(`${kind} ${id}`)) sizes.set(`${kind} ${id}`, body.byteLength)
    const after = sum()
    if (after <= most || after <= before) return
    const error = new Error(
      `the catalog would have ${after} bytes, and this tenant may have ${most}: remove unused files; nothing was written`,
    )
    error.name = "QuotaError"
    throw error
  }
}

export const fileOf = ({ kind, id, path, hash, body }: TextToStore): StoredFile => ({ kind, id, path, hash, size: body.byteLength })

const localOf = (rows: readonly StoredFile[]): readonly CatalogEntry[] =>
  rows.flatMap((row) => (row.kind === "package" ? [] : [localEntry(row.kind, row)]))

export async function drafted(place: Omit<TextToStore, "body" | "text" | "hash">, text: string): Promise<TextToStore> {
  const body = encode(text)
  return { kind: place.kind, id: place.id, path: place.path, body, text, hash: await sha256(body) }
}

/** The files as drafts, one per definition; the keys of deleted files (those with null text); and the faults of paths. */
export async function draftsOf(files: Iterable<Placed<string | null>>): Promise<{
  readonly drafts: readonly (TextToStore & CatalogPlace)[]
  readonly gone: ReadonlySet<string>
  readonly faults: Map<string, readonly Diagnostic[]>
}> {
  const faults = new Map<string, readonly Diagnostic[]>()
  const drafts = new Map<string, TextToStore & CatalogPlace>()
  const gone = new Set<string>()
  for (const { path, text, place } of files) {
    if (!place.ok) {
      faults.set(path, [badPath(place.error)])
      continue
    }
    const key = keyOf(place.value.kind, place.value.id)
    const other = drafts.get(key)
    if (other) faults.set(path, [twice(path, other.path)])
    else if (text === null) gone.add(key)
    else drafts.set(key, { ...(await drafted(place.value, text)), kind: place.value.kind })
  }
  return { drafts: [...drafts.values()], gone, faults }
}

/** [F73] Tells whether a body meets a condition. `*` matches any body, as in HTTP. */
export const meets = (ifMatch: string, present: string | undefined): boolean =>
  present !== undefined && (ifMatch === "*" || ifMatch === present)

/** The members of an act that name the author, if known. */
export const of = (by: Writer | undefined): WriteAs => (by === undefined ? {} : typeof by === "string" ? { by } : by)
