// Staging: the architect's sessions. What a session writes is checked like a write of the catalog, against the catalog with the session's
// own files over it, and kept beside it; `accept` puts all of it into the catalog in one revision. Each file remembers which body it was
// made from, and is accepted over no other one [F73].

import { hasErrors, type Diagnostic } from "../core/diagnostic.ts"
import { unifiedDiff } from "../core/line-diff.ts"
import type { AcceptResult, ArchitectWish, OpenResult, ReviseResult, Session, SessionRow, SessionView, StagedFile } from "../ports/architect.ts"
import type { AgentEntry, Kind, WriteResult } from "../ports/catalog.ts"
import { agentRows } from "./agent-entry.ts"
import { editTask, MOST_SHOWN, reviseTask, type Returned, type ShownFile } from "./architect-task.ts"
import { encode } from "./catalog-bodies.ts"
import { badPath, twice } from "./catalog-diagnostics.ts"
import type { Entry } from "./catalog-entry.ts"
import type { CatalogGround, Draft, State } from "./catalog-ground.ts"
import { drafted, fileOf, listed, localEntry, of } from "./catalog-ground.ts"
import { placeOf, placeOfPath } from "./catalog-place.ts"
import { atOnce } from "./at-once.ts"
import { readFlow } from "./language.ts"
import { sha256 } from "./sha256.ts"
import type { StagedRow, StagingStore } from "./staging-entry.ts"

export const MOST_FILES = 50
export const MOST_BYTES = 1024 * 1024
export const MOST_SESSIONS = 100
const KEPT_MS = 30 * 24 * 60 * 60 * 1000
/** As in the catalog's own diff: length of all hunks, and steps of comparing. */
const MOST_DIFF = 1_000_000
const MOST_STEPS = 5_000_000

/** A file that is staged, as a text. */
type Written = StagedRow & { readonly hash: string; readonly text: string }

export class Staging {
  readonly #ground: CatalogGround
  readonly #store: StagingStore
  readonly #now: () => number

  constructor(ground: CatalogGround, store: StagingStore, now: () => number) {
    this.#ground = ground
    this.#store = store
    this.#now = now
  }

  open({ id, task, flow }: ArchitectWish): Promise<OpenResult> {
    return this.#ground.parts.inTurn(async () => {
      const at = this.#now()
      const before = this.#session(id)
      if (before && (before.task !== task || before.flow !== flow || before.iteration > 1)) return { ok: false, code: "taken" }
      this.#store.expire(at - KEPT_MS)
      if (!before && this.#store.open() >= MOST_SESSIONS) return { ok: false, code: "too_many" }
      const session: Session = { id, task, ...(flow === undefined ? {} : { flow }), iteration: 1, run: id, state: "open", created: at, at }
      if (flow === undefined) {
        if (!before) this.#store.save(session)
        return { ok: true, task }
      }
      const told = await this.#toldOf(flow)
      if (!told) return { ok: false, code: "no_flow" }
      if (!before) this.#store.save(session, told.seen.map(({ path, entry }) => seenRow(path, entry, at)))
      return { ok: true, task: editTask(task, told.flow, told.agents) }
    })
  }

  /** The rows of `agent_catalog` as this session sees them. */
  async agents(id: string): Promise<AgentEntry[]> {
    const { view } = await this.#over(await this.#ground.current(), this.#writtenBy(id))
    return agentRows(view, this.#ground.parts.tools)
  }

  /** `agent_write` and `flow_write` of the session's run. The same write twice leaves staging as once [J11]. */
  write(id: string, run: string, kind: "agent" | "flow", path: string, content: string): Promise<WriteResult> {
    return this.#ground.parts.inTurn(async () => {
      const refused = (error: string, diagnostics: readonly Diagnostic[] = []): WriteResult => ({ written: false, path, diagnostics, error })
      const session = this.#session(id)
      if (session?.state !== "open" || session.run !== run) return refused("this session is over: nothing can be written in it any more")
      const found = placeOfPath(path)
      const place = placeOf(found.ok && kind === "flow" && found.value.kind === "rehearsal" ? "rehearsal" : kind, path)
      if (!place.ok) return refused(place.error, [badPath(place.error)])
      const draft = { ...(await drafted(place.value, content)), kind: place.value.kind }
      const rows = this.#store.files(id)
      const mine = rows.find((row) => row.path === draft.path)
      const rest = written(rows).filter((row) => row.path !== draft.path)
      if (rest.length >= MOST_FILES) return refused(`a session writes at most ${MOST_FILES} files`)
      const size = draft.body.byteLength
      if (rest.reduce((sum, row) => sum + row.size, size) > MOST_BYTES) return refused("the files of a session have at most 1 MiB together")

      const now = await this.#ground.current()
      const present = now.view.entry(draft.kind, draft.id)
      const over = await this.#over(now, rest, draft)
      const diagnostics = await checked(over, draft, elsewhere(now, rest, draft))
      if (hasErrors(diagnostics)) return { written: false, path: draft.path, diagnostics }
      const base = mine ? mine.base : (present?.hash ?? null)
      const at = this.#now()
      const row = { path: draft.path, kind: draft.kind, id: draft.id, base, at }
      // Written as it stands in the catalog: nothing that anybody would have to accept.
      const kept = draft.hash === base ? { hash: null, size: 0, text: null } : { hash: draft.hash, size, text: content }
      this.#store.save({ ...session, at }, [{ ...row, ...kept }])
      return { written: true, path: draft.path, diagnostics, hash: draft.hash }
    })
  }

  async look(id: string): Promise<SessionView | undefined> {
    const session = this.#session(id)
    if (!session) return undefined
    const rows = this.#store.files(id).flatMap((row) => (row.hash === null ? [] : [{ ...row, hash: row.hash }]))
    const files = session.state === "open" ? await this.#judged(written(rows)) : rows.map((row) => fileRow(row, []))
    const texts = await this.#ground.texts()
    const budget = { left: MOST_STEPS }
    let room = MOST_DIFF
    const diff: Record<string, string> = {}
    for (const { path, base, hash, text } of rows) {
      const before = base === null ? "" : await texts.text({ hash: base, size: 0 })
      const after = text ?? (await texts.text({ hash, size: 0 }))
      if (before === undefined || after === undefined) continue
      const hunks = unifiedDiff(before, after, budget)
      if (hunks.length <= room) diff[path] = hunks
      room -= hunks.length
    }
    return { ...session, files, diff, tag: await tagOf(rows) }
  }

  list({ limit, cursor }: { readonly limit: number; readonly cursor?: string }) {
    const below = cursor === undefined ? undefined : /^(\d{1,15})\.(run_[0-9a-z]{26})$/.exec(cursor)
    if (below === null) return { badCursor: true } as const
    const found = this.#store.sessions(below && { created: Number(below[1]), id: below[2] ?? "" }, limit + 1)
    const data: readonly SessionRow[] = found.slice(0, limit).filter((row) => this.#isKept(row))
    const last = found[limit - 1]
    return { data, next_cursor: last && found.length > limit ? `${last.created}.${last.id}` : null }
  }

  accept(id: string, seen: { readonly run: string; readonly ifMatch?: string }, by?: string): Promise<AcceptResult> {
    return this.#ground.parts.inTurn(async () => {
      const session = this.#session(id)
      if (!session) return { ok: false, code: "not_found" }
      if (session.state === "discarded") return { ok: false, code: "discarded" }
      const rows = this.#store.files(id).filter((row) => row.hash !== null)
      const paths = rows.map((row) => row.path)
      if (session.revision !== undefined) return { ok: true, revision: session.revision, paths }
      if (session.run !== seen.run) return { ok: false, code: "other_run" }
      const files = written(rows)
      if (files.length === 0) return { ok: false, code: "nothing" }
      const tag = await tagOf(files)
      if (seen.ifMatch !== undefined && seen.ifMatch !== "*" && seen.ifMatch !== tag) return { ok: false, code: "stale", tag }
      const judged = await this.#judged(files)
      const moved = judged.flatMap(({ path, moved: to }) => (to ? [{ path, ...to }] : []))
      if (moved.length > 0) return { ok: false, code: "moved", moved }
      if (judged.some((file) => hasErrors(file.diagnostics)))
        return { ok: false, code: "invalid", diagnostics: listed(new Map(judged.map((file) => [file.path, file.diagnostics]))) }
      const { blobs, store } = this.#ground.parts
      await atOnce(files, (file) => blobs.put(encode(file.text)))
      // In one turn of the event loop: the catalog has it and the session says so, or neither.
      const changes = files.map((file) => ({ type: "put" as const, ...fileOf(draftOf(file)) }))
      const revision = store.commit(changes, { action: "write", ...of(by) })
      const at = this.#now()
      const bodiless = files.map((file): StagedRow => ({ ...file, text: null }))
      this.#store.save({ ...session, state: "accepted", revision, at }, bodiless)
      return { ok: true, revision, paths }
    })
  }

  /** Also brings each file up to what the catalog holds now: the next run is shown it. */
  revise(
    id: string,
    back: { readonly run: string; readonly next: string; readonly notes: string; readonly fresh: boolean },
  ): Promise<ReviseResult> {
    return this.#ground.parts.inTurn(async () => {
      const session = this.#session(id)
      if (!session) return { ok: false, code: "not_found" }
      if (session.state !== "open") return { ok: false, code: session.state }
      const again = session.run === back.next
      if (!again && session.run !== back.run) return { ok: false, code: "other_run" }
      const at = this.#now()
      const iteration = again ? session.iteration : session.iteration + 1
      const { flow } = session
      const told = flow === undefined ? undefined : await this.#toldOf(flow)
      const files = back.fresh ? [] : written(this.#store.files(id))
      const now = await this.#ground.current()
      const returned = await this.#returned(now, files)
      if (back.fresh) this.#store.clear(id)
      const seen = (told?.seen ?? []).filter(({ path }) => !files.some((file) => file.path === path))
      this.#store.save({ ...session, run: back.next, iteration, at }, [
        ...seen.map(({ path, entry }) => seenRow(path, entry, at)),
        ...files.map((file): StagedRow => ({ ...file, base: now.view.entry(file.kind, file.id)?.hash ?? null })),
      ])
      const isWritten = told !== undefined && files.some((file) => file.path === told.flow.path)
      const task = reviseTask({
        wish: session.task,
        ...(flow === undefined ? {} : { flow: { id: flow, ...(told && !isWritten ? { unwritten: told.flow } : {}) } }),
        notes: back.notes,
        iteration,
        files: returned,
      })
      return { ok: true, task, iteration }
    })
  }

  discard(id: string): Promise<"ok" | "not_found" | "accepted"> {
    return this.#ground.parts.inTurn(async () => {
      const session = this.#session(id)
      if (!session) return "not_found"
      if (session.state === "accepted") return "accepted"
      if (session.state === "open") {
        this.#store.clear(id)
        this.#store.save({ ...session, state: "discarded", at: this.#now() })
      }
      return "ok"
    })
  }

  #session(id: string): Session | undefined {
    const session = this.#store.session(id)
    return session && this.#isKept(session) ? session : undefined
  }

  #isKept({ at }: Session): boolean {
    return at >= this.#now() - KEPT_MS
  }

  #writtenBy(id: string): readonly Written[] {
    return this.#session(id)?.state === "open" ? written(this.#store.files(id)) : []
  }

  /** The catalog as it would be with these files. */
  #over(now: State, files: readonly Written[], draft?: Draft): Promise<State> {
    const drafts = [...files.map(draftOf), ...(draft ? [draft] : [])]
    if (drafts.length === 0) return Promise.resolve(now)
    const taken = new Set(drafts.map((d) => `${d.kind} ${d.id}`))
    const rows = [...now.rows.filter((row) => !taken.has(`${row.kind} ${row.id}`)), ...drafts.map(fileOf)]
    return this.#ground.state(now.revision, rows, drafts)
  }

  async #judged(files: readonly Written[]): Promise<readonly StagedFile[]> {
    const now = await this.#ground.current()
    const over = await this.#over(now, files)
    return atOnce(files, async (file) => {
      const current = now.view.entry(file.kind, file.id)?.hash ?? null
      const row = fileRow(file, await checked(over, { ...draftOf(file), kind: file.kind }, elsewhere(now, [], file)))
      return current === file.base || current === file.hash ? row : { ...row, moved: { base: file.base, current } }
    })
  }

  async #returned(now: State, files: readonly Written[]): Promise<readonly Returned[]> {
    const judged = new Map((await this.#judged(files)).map((file) => [file.path, file]))
    const budget = { left: MOST_STEPS }
    return atOnce(files, async ({ path, kind, id, text }) => {
      const entry = now.view.entry(kind, id)
      const present = entry && (await now.view.text(entry))
      const { moved, diagnostics = [] } = judged.get(path) ?? {}
      const diff = present === undefined ? "" : unifiedDiff(present, text, budget)
      return { path, text, diagnostics, diff, ...(moved ? { now: present ?? null } : {}) }
    })
  }

  /** What an architect must see to change a flow, and which bodies that were. undefined: there is no such flow, or none that can be shown. */
  async #toldOf(id: string): Promise<
    | {
        readonly flow: { readonly id: string } & ShownFile
        readonly agents: readonly ShownFile[]
        readonly seen: readonly { readonly path: string; readonly entry: Entry }[]
      }
    | undefined
  > {
    const { view } = await this.#ground.current()
    const entry = view.entry("flow", id)
    const text = entry && (await view.text(entry))
    if (!entry || text === undefined || text.length > MOST_SHOWN) return undefined
    const { diagnostics } = await view.check(entry)
    const path = ownPath(entry)
    const steps = readFlow(text, id).value?.steps ?? []
    const names = new Set(steps.flatMap((step) => ("agent" in step && step.agent !== undefined ? [step.agent] : [])))
    const agents: (ShownFile & { readonly entry: Entry })[] = []
    for (const name of names) {
      const agent = view.entry("agent", name)
      const body = agent?.tier === "local" ? await view.text(agent) : undefined
      if (agent && body !== undefined) agents.push({ path: agent.path, text: body, entry: agent })
    }
    const seen = [{ path, entry }, ...agents.map((agent) => ({ path: agent.path, entry: agent.entry }))]
    return { flow: { id, path, text, diagnostics: diagnostics.filter((d) => d.severity === "error") }, agents, seen }
  }
}

/** Where the tenant's own file of this definition stands, or would. */
const ownPath = (entry: Entry): string => (entry.tier === "package" ? entry.path.replace(/^packages\/[^/]+\//, "") : entry.path)

const written = (rows: readonly StagedRow[]): readonly Written[] =>
  rows.flatMap(({ hash, text, ...row }) => (hash === null || text === null ? [] : [{ ...row, hash, text }]))

const draftOf = ({ kind, id, path, hash, text }: Written): Draft => ({ kind, id, path, hash, text, body: encode(text) })

const seenRow = (path: string, { kind, id, hash }: Entry, at: number): StagedRow => ({
  path,
  kind,
  id,
  base: hash,
  hash: null,
  size: 0,
  text: null,
  at,
})

const fileRow = (row: StagedRow & { readonly hash: string }, diagnostics: readonly Diagnostic[]): StagedFile => ({
  path: row.path,
  kind: row.kind,
  id: row.id,
  change: row.base === null ? "added" : "changed",
  hash: row.hash,
  diagnostics,
})

/** The path under which this definition stands already, when it is another one [F5]. */
function elsewhere(now: State, staged: readonly Written[], file: { readonly kind: string; readonly id: string; readonly path: string }) {
  const present = now.rows.find((row) => row.kind === file.kind && row.id === file.id)
  return [present, ...staged.filter((row) => row.kind === file.kind && row.id === file.id)].find((row) => row && row.path !== file.path)?.path
}

async function checked(over: State, draft: Draft & { readonly kind: Kind }, other: string | undefined): Promise<readonly Diagnostic[]> {
  const { diagnostics } = await over.view.check(localEntry(draft.kind, fileOf(draft)))
  return other === undefined ? diagnostics : [twice(draft.path, other), ...diagnostics]
}

const tagOf = (rows: readonly { readonly path: string; readonly hash: string | null }[]): Promise<string> =>
  sha256(JSON.stringify(rows.map(({ path, hash }) => [path, hash]).sort(([a = ""], [b = ""]) => ((a ?? "") < (b ?? "") ? -1 : 1))))
