// Implements a tenant's operations on its catalog files. A write validates, stores the body, then bumps the revision [F71]; nothing changes
// if any diagnostic is an error [F73]. A write may break other files: a broken file then shows its own errors, in the list and at a start.
// Packages are in catalog-packages.ts, past revisions in catalog-history.ts, what a run pins in pin/catalog-pins.ts.

import { gateNameFaults, policyNameFaults, type NameFault } from "../../core/tool/policy/policy-names.ts"
import type { Rulebook } from "../../ports/tenant/catalog.ts"
import type { Writer } from "../../ports/tenant/authoring/gate.ts"
import type { Diagnostic } from "../../core/diagnostic.ts"
import { hasErrors } from "../../core/diagnostic.ts"
import { CATALOG_KINDS, isBeside } from "../../core/flow/catalog-kinds.ts"
import { defined } from "../../core/defined.ts"
import { scoringFaults } from "../../core/score/scoring-setting.ts"
import type { PriceBook } from "../../core/money/prices.ts"
import { nearest } from "../../core/text/nearest.ts"
import type {
  AgentTool,
  ToolPlace,
  Used,
  AgentEntry,
  Arrival,
  ProjectBundle,
  ExportResult,
  FileRow,
  ImportedFile,
  CatalogKind,
  UsableKind,
  NoRevision,
  Stale,
  StaleRevision,
  Use,
  WriteResult,
} from "../../ports/tenant/catalog.ts"
import type { Applied, ApplyWish } from "../../ports/tenant/authoring/apply.ts"
import { agentRows } from "./agent-entry.ts"
import { explainAgent, type ExplainContext } from "./explain-agent.ts"
import { atOnce } from "../at-once.ts"
import { usedOf } from "./catalog-used.ts"
import { apply } from "./catalog-apply.ts"
import { badPath, MAX_FILES, sparingly, tooMany, twice } from "./catalog-diagnostics.ts"
import type { Change, CatalogEntry, StoredFile } from "./catalog-entry.ts"
import { splitSkillId } from "./catalog-entry.ts"
import type { CatalogParts, State } from "./catalog-ground.ts"
import { CatalogGround, drafted, fileOf, meets, of } from "./catalog-ground.ts"
import { importInto } from "./catalog-import.ts"
import { CatalogDrafts } from "./catalog-drafts.ts"
import { CatalogHistory } from "./catalog-history.ts"
import { CatalogPackages } from "./catalog-packages.ts"
import { CatalogPins } from "./pin/catalog-pins.ts"
import { datasetsOf, gateScoresIn } from "./config/surroundings.ts"
import { flowOf } from "./catalog-layers.ts"
import { localEntry, bundleOf, placeOf, placeOfPath } from "./catalog-place.ts"
import { usesIn } from "./catalog-uses.ts"
import type { SaidStart } from "../../core/start/start-block.ts"
import type { CatalogView } from "./catalog-view.ts"
import { checkAgent } from "./check/language.ts"
import { asWritten } from "./check/written.ts"
import type { ModelSettings } from "./pin/model-choice.ts"
import { checkStored, type FlowCheck } from "./check/flow-check.ts"

export class Catalog {
  readonly history: CatalogHistory
  readonly packages: CatalogPackages
  readonly drafts: CatalogDrafts
  readonly pins: CatalogPins
  readonly #ground: CatalogGround

  constructor(parts: CatalogParts) {
    this.#ground = new CatalogGround(parts)
    this.history = new CatalogHistory(this.#ground)
    this.packages = new CatalogPackages(this.#ground)
    this.drafts = new CatalogDrafts(this.#ground)
    this.pins = new CatalogPins(this.#ground, { drafts: this.drafts, history: this.history })
  }

  /** For staging.ts, which checks files against the catalog without storing them there. */
  get ground(): CatalogGround {
    return this.#ground
  }

  async files(kind?: CatalogKind): Promise<{ revision: number; data: FileRow[] }> {
    return rowsOf(await this.#ground.current(), kind)
  }

  async filesAt(revision: number): Promise<{ revision: number; data: FileRow[] } | NoRevision> {
    const state = await this.history.at(revision)
    return "view" in state ? rowsOf(state) : state
  }

  /** A file whose body is missing or damaged has empty content, and its diagnostics report it [F74]. */
  async read(kind: CatalogKind, id: string, revision?: number): Promise<(FileRow & { content: string }) | undefined> {
    const state = revision === undefined ? await this.#ground.current() : await this.history.at(revision)
    const entry = "view" in state ? state.view.entry(kind, id) : undefined
    if (!("view" in state) || !entry) return undefined
    return { ...(await fileRow(state.view, entry)), content: (await state.view.text(entry)) ?? "" }
  }

  /** The rows of `agent_catalog`: usable agents, by name. */
  async agents(): Promise<AgentEntry[]> {
    return agentRows((await this.#ground.current()).view, this.#ground.toolNames)
  }

  /** [T33] undefined: no agent of this name loads. */
  async agentTools(name: string, context: Omit<ExplainContext, "view">, place?: ToolPlace): Promise<readonly AgentTool[] | undefined> {
    return explainAgent({ ...context, view: (await this.#ground.current()).view }, name, place)
  }

  async used(kind: "agent" | "skill", id?: string): Promise<Used[]> {
    return usedOf((await this.#ground.current()).view, kind, id)
  }

  /** Checks against the current catalog. Without a path an agent may have any name, and a flow or skill is checked as `unnamed`. */
  async validate(kind: CatalogKind, content: string, path?: string): Promise<readonly Diagnostic[]> {
    const now = await this.#ground.current()
    if (path === undefined && kind === "agent")
      return asWritten(checkAgent(content, undefined, this.#ground.toolNames, now.view.skillNames, this.#ground.traits).diagnostics)
    const place = placeOf(kind, path ?? unnamed(kind, content))
    if (!place.ok) return [badPath(place.error)]
    const draft = await drafted(place.value, content)
    const { view } = await this.#ground.state(now.revision, [...others(now.rows, draft), fileOf(draft)], [draft])
    return asWritten((await view.check(localEntry(kind, fileOf(draft)))).diagnostics)
  }

  /** [T30b] */
  async ruleFaults({ policy, gate, scoring }: Rulebook): Promise<readonly NameFault[]> {
    const { view } = await this.#ground.current()
    if (scoring !== undefined) return scoringFaults(scoring, await view.scorers())
    const known = view.names()
    if (gate === undefined) return policy === undefined ? [] : policyNameFaults(policy, known)
    const { datasets, isProbed } = this.#ground.parts.around ?? {}
    const world = { scorer: await view.scorers(), ...datasetsOf(datasets), ...defined({ isProbed }) }
    return [
      ...(policy === undefined ? [] : policyNameFaults(policy, known)),
      ...gateNameFaults(gate, known),
      ...(await gateScoresIn(gate, world)),
    ]
  }

  /** `ifMatch` is the hash of the body the caller saw, a built-in's included; `*` means any, as in HTTP. */
  put(kind: CatalogKind, path: string, content: string, ifMatch?: string, by?: Writer): Promise<WriteResult | Stale> {
    return this.#ground.parts.inTurn(async () => {
      const place = placeOf(kind, path)
      if (!place.ok) return { written: false, path, diagnostics: [badPath(place.error)], error: place.error }
      const now = await this.#ground.current()
      const present = now.view.entry(kind, place.value.id)
      if (ifMatch !== undefined && !meets(ifMatch, present?.hash)) return { stale: present?.hash ?? null }
      const draft = await drafted(place.value, content)
      const elsewhere = present?.tier === "local" && present.path !== draft.path ? [twice(draft.path, present.path)] : []
      const rows = [...others(now.rows, draft), fileOf(draft)]
      const count = rows.filter((f) => f.kind !== "package").length
      if (count > MAX_FILES) return { written: false, path, diagnostics: [tooMany("the catalog", count)] }
      const { view } = await this.#ground.state(now.revision, rows, [draft])
      const diagnostics = [...elsewhere, ...asWritten((await view.check(localEntry(kind, fileOf(draft)))).diagnostics)]
      if (hasErrors(diagnostics)) return { written: false, path: draft.path, diagnostics }
      const revision = await this.#ground.store([draft], [{ type: "put", ...fileOf(draft) }], { action: "write", ...of(by) })
      return { written: true, path: draft.path, diagnostics, hash: draft.hash, revision }
    })
  }

  importFiles(files: readonly Arrival[], write: boolean, by?: Writer): Promise<readonly ImportedFile[]> {
    return importInto(this.#ground, files, write, by)
  }

  /** `agent_write` and `flow_write`: an unconditional put. A flow's rehearsal and its tests may be written too. */
  async write(kind: "agent" | "flow", path: string, content: string, by?: Writer): Promise<WriteResult> {
    const place = placeOfPath(path)
    const own = kind === "flow" && place.ok && isBeside(place.value.kind) ? place.value.kind : kind
    const result = await this.put(own, path, content, undefined, by)
    if ("stale" in result) throw new Error(`a write without a condition was stale: ${path}`)
    return result
  }

  /** [F76] Only a local file can be removed, and one that hides another breaks nothing when it goes. A provider is no file. */
  async uses(kind: UsableKind, id: string): Promise<Use[]> {
    return kind === "provider" || (await this.goes(kind, id)) ? usesIn((await this.#ground.current()).view, kind, id) : []
  }

  /** Whether nothing of this name would be left. */
  async goes(kind: CatalogKind, id: string): Promise<boolean> {
    const { view } = await this.#ground.current()
    return view.entry(kind, id)?.tier === "local" && !view.hides(kind, id)
  }

  async nearest(kind: "flow" | "agent", id: string): Promise<string | undefined> {
    const { view } = await this.#ground.current()
    return nearest(
      id,
      view.entries.flatMap((entry) => (entry.kind === kind ? [entry.id] : [])),
    )
  }

  /** Local files only. Removing a flow removes its rehearsal, its tests and its handlers; a skill's bare name means all its files. */
  remove(kind: CatalogKind, id: string, ifMatch?: string, by?: Writer): Promise<boolean | Stale> {
    return this.#ground.parts.inTurn(async () => {
      const gone = this.#ground.parts.store.files().filter((f) => {
        if (kind === "flow" && f.kind !== "package" && flowOf({ ...f, kind: f.kind }) === id) return true
        // [V1] A handler goes with its scorer.
        if (kind === "scorer" && f.kind === "scorer-code" && f.id === id) return true
        return f.kind === kind && (f.id === id || (kind === "skill" && splitSkillId(f.id).skill === id))
      })
      if (!gone.some((f) => f.kind === kind)) return false
      const present = gone.find((f) => f.kind === kind && f.id === id)
      if (ifMatch !== undefined && !meets(ifMatch, present?.hash)) return { stale: present?.hash ?? null }
      await this.#ground.store([], gone.map(removal), { action: "remove", ...of(by) })
      return true
    })
  }

  /** [F78] All or nothing, as one revision. */
  apply(wish: ApplyWish): Promise<Applied>
  apply(wish: ApplyWish, ifRevision?: number, by?: Writer): Promise<Applied | StaleRevision>
  apply(wish: ApplyWish, ifRevision?: number, by?: Writer): Promise<Applied | StaleRevision> {
    return apply(this.#ground, wish, ifRevision, by)
  }

  replace(bundle: ProjectBundle): Promise<Applied>
  replace(bundle: ProjectBundle, ifRevision?: number, by?: Writer): Promise<Applied | StaleRevision>
  replace(bundle: ProjectBundle, ifRevision?: number, by?: Writer): Promise<Applied | StaleRevision> {
    return this.apply({ mode: "replace", bundle }, ifRevision, by)
  }

  /** [N3] The tenant's own files as a bundle that another catalog can import. A file whose body is lost is reported, not left out. */
  async export(): Promise<ExportResult> {
    const { revision, rows, view } = await this.#ground.current()
    const texts = await atOnce(
      rows.filter((f) => f.kind !== "package"),
      async (f) => [f.path, await view.text(f)] as const,
    )
    const lost = texts.flatMap(([path, text]) => (text === undefined ? [path] : [])).sort()
    if (lost.length > 0) return { ok: false, lost }
    return { ok: true, revision, bundle: bundleOf(texts.map(([path, text]) => [path, text ?? ""])) }
  }

  /** [R3] The block of a flow as the catalog has it now, empty if it has none; undefined: there is no such flow. */
  async startOf(flow: string): Promise<SaidStart | undefined> {
    const loaded = await (await this.#ground.current()).view.flow(flow)
    return loaded && (loaded.value?.start ?? {})
  }

  async check(id: string, settings: ModelSettings, prices: PriceBook = () => undefined): Promise<FlowCheck | undefined> {
    return checkStored((await this.#ground.current()).view, settings, id, prices)
  }
}

const removal = ({ kind, id, path }: StoredFile): Change => ({ type: "remove", kind, id, path })

const others = (rows: readonly StoredFile[], { kind, id }: { readonly kind: string; readonly id: string }): readonly StoredFile[] =>
  rows.filter((f) => f.kind !== kind || f.id !== id)

async function rowsOf({ revision, view }: State, kind?: CatalogKind): Promise<{ revision: number; data: FileRow[] }> {
  const entries = view.entries.filter((e) => kind === undefined || e.kind === kind)
  return { revision, data: sparingly(await atOnce(entries, (entry) => fileRow(view, entry))) }
}

const fileRow = async (view: CatalogView, entry: CatalogEntry): Promise<FileRow> => ({ ...entry, ...(await view.check(entry)) })

/** The path of a text given without one; a skill's folder comes from its `name`. */
const unnamed = (kind: CatalogKind, content: string): string =>
  kind === "skill" ? `skills/${/^name:\s*["']?([A-Za-z0-9_-]+)/m.exec(content)?.[1] ?? "unnamed"}/SKILL.md` : CATALOG_KINDS[kind].unnamed
