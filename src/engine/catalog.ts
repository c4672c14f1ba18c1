// Catalog: what a tenant can do with its files. A write is validate → store the body → bump the revision [F71]; nothing is
// touched when any diagnostic is an error [F73]. What a write breaks elsewhere is allowed: the broken file then shows its own
// errors, in the list and at a start. Bodies are durable before the row that names them.

import type { Diagnostic } from "../core/diagnostic.ts"
import { hasErrors } from "../core/diagnostic.ts"
import type { Blobs } from "../ports/blobs.ts"
import type { AgentEntry, Bundle, BundleResult, FileRow, Kind, PinResult, WriteResult, PinOptions } from "../ports/catalog.ts"
import { agentEntry } from "./agent-entry.ts"
import { atOnce } from "./at-once.ts"
import type { Builtins } from "./catalog-bodies.ts"
import { bodies, encode, readBuiltins } from "./catalog-bodies.ts"
import { badPath, emptyBundle, noCodeYet, twice } from "./catalog-diagnostics.ts"
import type { CatalogStore, Change, Entry } from "./catalog-entry.ts"
import { keyOf, splitSkillId } from "./catalog-entry.ts"
import type { Place } from "./catalog-place.ts"
import { kindsOf, placeOf, placeOfPath, placesOf } from "./catalog-place.ts"
import { CatalogView } from "./catalog-view.ts"
import type { InTurn } from "./in-turn.ts"
import { checkAgent } from "./language.ts"
import type { ModelSettings } from "./model-choice.ts"
import type { PinTarget } from "./pin.ts"
import { pin } from "./pin.ts"
import { sha256 } from "./sha256.ts"

export interface CatalogParts {
  readonly store: CatalogStore
  readonly blobs: Blobs
  /** Path → text of the files shipped in the Worker. The same object every time: its hashes are reckoned once per isolate. */
  readonly builtins: Readonly<Record<string, string>>
  /** Names that an agent's `tools:` may hold. */
  readonly tools: readonly string[]
  readonly inTurn: InTurn
}

const shipped = new WeakMap<Readonly<Record<string, string>>, Promise<Builtins>>()

export function builtinsOf(files: Readonly<Record<string, string>>): Promise<Builtins> {
  const before = shipped.get(files)
  if (before) return before
  const builtins = readBuiltins(files, (path) => {
    const place = placeOfPath(path)
    return place.ok ? place.value : undefined
  })
  shipped.set(files, builtins)
  return builtins
}

interface Draft extends Place {
  readonly body: Uint8Array
  readonly text: string
  readonly hash: string
}

export class Catalog {
  readonly #parts: CatalogParts
  readonly #kept = new Set<string>()
  #now: { readonly revision: number; readonly view: CatalogView } | undefined

  constructor(parts: CatalogParts) {
    this.#parts = parts
  }

  async files(kind?: Kind): Promise<{ revision: number; data: FileRow[] }> {
    const { revision, view } = await this.#current()
    const entries = view.entries.filter((e) => kind === undefined || e.kind === kind)
    return { revision, data: await atOnce(entries, (entry) => fileRow(view, entry)) }
  }

  /** A file whose body is missing or damaged is answered with empty content and says so in its diagnostics [F74]. */
  async read(kind: Kind, id: string): Promise<(FileRow & { content: string }) | undefined> {
    const { view } = await this.#current()
    const entry = view.entry(kind, id)
    if (!entry) return undefined
    return { ...(await fileRow(view, entry)), content: (await view.text(entry)) ?? "" }
  }

  /** The rows of `agent_catalog`: agents that can be used, by name. */
  async agents(): Promise<AgentEntry[]> {
    const { view } = await this.#current()
    const agents = [...(await view.agents()).values()].sort((a, b) => (a.entry.id < b.entry.id ? -1 : 1))
    return agents.flatMap(({ value, entry, diagnostics }) =>
      value && !hasErrors(diagnostics) ? [agentEntry(value, entry, this.#parts.tools)] : [],
    )
  }

  /** Against the catalog as it is. Without a path an agent may have any name, and a flow or skill is checked as `unnamed`. */
  async validate(kind: Kind, content: string, path?: string): Promise<readonly Diagnostic[]> {
    const { view } = await this.#current()
    if (path === undefined && kind === "agent") return checkAgent(content, undefined, this.#parts.tools, view.skillNames).diagnostics
    const place = placeOf(kind, path ?? unnamed(kind, content))
    if (!place.ok) return [badPath(place.error)]
    const draft = await drafted(place.value, content)
    return (await this.#with([draft], (e) => keyOf(e.kind, e.id) !== keyOf(draft.kind, draft.id)))
      .check(local(draft))
      .then((c) => c.diagnostics)
  }

  /** `ifMatch` is the hash of the body the caller saw, a built-in's included; `*` means any, as in HTTP. */
  put(kind: Kind, path: string, content: string, ifMatch?: string): Promise<WriteResult | { stale: string | null }> {
    return this.#parts.inTurn(async () => {
      const place = placeOf(kind, path)
      if (!place.ok) return { written: false, path, diagnostics: [badPath(place.error)], error: place.error }
      const { view } = await this.#current()
      const present = view.entry(kind, place.value.id)
      if (ifMatch !== undefined && (present === undefined || (ifMatch !== "*" && ifMatch !== present.hash)))
        return { stale: present?.hash ?? null }
      const draft = await drafted(place.value, content)
      const elsewhere = present?.tier === "local" && present.path !== path ? [twice(path, present.path)] : []
      const candidate = await this.#with([draft], (e) => keyOf(e.kind, e.id) !== keyOf(draft.kind, draft.id))
      const diagnostics = [...elsewhere, ...(await candidate.check(local(draft))).diagnostics]
      if (hasErrors(diagnostics)) return { written: false, path, diagnostics }
      const revision = await this.#store([draft], [])
      return { written: true, path, diagnostics, hash: draft.hash, revision }
    })
  }

  /** `agent_write` and `flow_write`: a put that asks nothing about what stood there. A flow's rehearsal may be written too. */
  async write(kind: "agent" | "flow", path: string, content: string): Promise<WriteResult> {
    const place = placeOfPath(path)
    const isRehearsal = kind === "flow" && place.ok && place.value.kind === "rehearsal"
    const result = await this.put(isRehearsal ? "rehearsal" : kind, path, content)
    if ("stale" in result) throw new Error(`a write without a condition was stale: ${path}`)
    return result
  }

  /** Local files only. A flow takes its rehearsal with it; a skill's bare name means all its files. */
  remove(kind: Kind, id: string): Promise<boolean> {
    return this.#parts.inTurn(async () => {
      const gone = this.#parts.store.files().filter((f) => {
        if (kind === "flow") return (f.kind === "flow" || f.kind === "rehearsal") && f.id === id
        return f.kind === kind && (f.id === id || (kind === "skill" && splitSkillId(f.id).skill === id))
      })
      if (!gone.some((f) => f.kind === kind)) return false
      await this.#store([], gone)
      return true
    })
  }

  /** All of it or nothing, judged against the catalog as it would be: agents, skills and flows of the bundle see each other. */
  replace(bundle: Bundle): Promise<BundleResult> {
    return this.#parts.inTurn(async () => {
      const kinds = kindsOf(bundle)
      if (Object.keys(bundle.code ?? {}).length > 0) {
        return { ok: false, diagnostics: Object.fromEntries(Object.keys(bundle.code ?? {}).map((name) => [`code/${name}`, [noCodeYet]])) }
      }
      if (kinds.size === 0 && bundle.code === undefined) return { ok: false, diagnostics: { "": [emptyBundle] } }
      const diagnostics = new Map<string, readonly Diagnostic[]>()
      const drafts = new Map<string, Draft>()
      for (const { path, text, place } of placesOf(bundle)) {
        if (!place.ok) {
          diagnostics.set(path, [badPath(place.error)])
          continue
        }
        const other = drafts.get(keyOf(place.value.kind, place.value.id))
        if (other) diagnostics.set(path, [twice(path, other.path)])
        else drafts.set(keyOf(place.value.kind, place.value.id), await drafted(place.value, text))
      }
      const all = [...drafts.values()]
      const candidate = await this.#with(all, (e) => !kinds.has(e.kind))
      await atOnce(all, async (draft) => {
        const found = (await candidate.check(local(draft))).diagnostics
        if (found.length > 0) diagnostics.set(draft.path, found)
      })
      const listed = Object.fromEntries([...diagnostics].sort(([a], [b]) => (a < b ? -1 : 1)))
      if ([...diagnostics.values()].some(hasErrors)) return { ok: false, diagnostics: listed }
      const gone = this.#parts.store.files().filter((f) => kinds.has(f.kind) && drafts.get(keyOf(f.kind, f.id))?.path !== f.path)
      return { ok: true, revision: await this.#store(all, gone), diagnostics: listed }
    })
  }

  async pin(target: PinTarget, settings: ModelSettings, options: PinOptions): Promise<PinResult> {
    const { revision, view } = await this.#current()
    return pin({ view, revision, settings, ...options, keep: (text, hash) => this.#keep(text, hash) }, target)
  }

  async #current(): Promise<{ readonly revision: number; readonly view: CatalogView }> {
    const builtins = await builtinsOf(this.#parts.builtins)
    const revision = this.#parts.store.revision()
    if (this.#now?.revision !== revision) {
      const rows = this.#parts.store.files().map((f): Entry => ({ ...f, tier: "local" }))
      this.#now = { revision, view: new CatalogView(rows, builtins.entries, bodies(this.#parts.blobs, builtins), this.#parts.tools) }
    }
    return this.#now
  }

  /** The catalog as it would be with `drafts` and those of the present rows that `stays` lets stay. */
  async #with(drafts: readonly Draft[], stays: (entry: Place) => boolean): Promise<CatalogView> {
    const builtins = await builtinsOf(this.#parts.builtins)
    const rows = this.#parts.store.files().filter(stays)
    const entries = [...rows.map((f): Entry => ({ ...f, tier: "local" })), ...drafts.map(local)]
    return new CatalogView(
      entries,
      builtins.entries,
      bodies(this.#parts.blobs, builtins, new Map(drafts.map((d) => [d.hash, d.text]))),
      this.#parts.tools,
    )
  }

  async #store(drafts: readonly Draft[], gone: readonly Place[]): Promise<number> {
    await atOnce(drafts, (draft) => this.#parts.blobs.put(draft.body))
    const removed = gone.map(({ kind, id, path }): Change => ({ type: "remove", kind, id, path }))
    const put = drafts.map(({ kind, id, path, hash, body }): Change => ({ type: "put", kind, id, path, hash, size: body.byteLength }))
    return this.#parts.store.commit([...removed, ...put])
  }

  /** Puts a text that a run pins among the tenant's blobs, once per object: a run never depends on the bundle that started it. */
  async #keep(text: string, known?: string): Promise<string> {
    const hash = known ?? (await sha256(text))
    if (!this.#kept.has(hash)) {
      if ((await this.#parts.blobs.get(hash)) === undefined) await this.#parts.blobs.put(encode(text))
      this.#kept.add(hash)
    }
    return hash
  }
}

const local = (draft: Draft): Entry => ({
  kind: draft.kind,
  id: draft.id,
  path: draft.path,
  hash: draft.hash,
  size: draft.body.byteLength,
  tier: "local",
})

async function drafted(place: Place, text: string): Promise<Draft> {
  const body = encode(text)
  return { ...place, body, text, hash: await sha256(body) }
}

async function fileRow(view: CatalogView, { kind, id, path, tier, hash, size }: Entry): Promise<FileRow> {
  return { kind, id, path, tier, hash, size, ...(await view.check({ kind, id, path, tier, hash, size })) }
}

/** Where a text without a path would stand; a skill's folder is the name it gives itself. */
function unnamed(kind: Kind, content: string): string {
  if (kind === "skill") return `skills/${/^name:\s*["']?([A-Za-z0-9_-]+)/m.exec(content)?.[1] ?? "unnamed"}/SKILL.md`
  return kind === "rehearsal" ? "flows/unnamed.rehearsal.yaml" : kind === "flow" ? "flows/unnamed.yaml" : "agents/unnamed.md"
}
