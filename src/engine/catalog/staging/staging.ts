// Stores the architect's sessions. A session's write is checked like a catalog write, against the catalog with the session's own files on
// top, and stored separately; `accept` writes all files to the catalog in one revision. Each file records the body it was based on, and is
// accepted only if the catalog still holds that body [F73].

import { defined } from "../../../core/defined.ts"
import type { Writer } from "../../../ports/tenant/authoring/gate.ts"
import { hasErrors, type Diagnostic } from "../../../core/diagnostic.ts"
import { unifiedDiff } from "../../../core/text/line-diff.ts"
import type {
  AcceptResult,
  ArchitectPort,
  ArchitectWish,
  OpenResult,
  ReviseResult,
  ArchitectSessionRow,
  SessionView,
} from "../../../ports/tenant/authoring/architect.ts"
import type { AgentEntry, CatalogKind, WriteResult } from "../../../ports/tenant/catalog.ts"
import { agentRows } from "../agent-entry.ts"
import { editTask, reviseTask } from "../architect-task.ts"
import { encode } from "../catalog-bodies.ts"
import { listed, badPath } from "../catalog-diagnostics.ts"
import type { CatalogGround } from "../catalog-ground.ts"
import { drafted, fileOf, of } from "../catalog-ground.ts"
import { isBeside } from "../../../core/flow/catalog-kinds.ts"
import { placeOf, placeOfPath } from "../catalog-place.ts"
import { draftOf, faultsOf, fileRow, judged, stateWith, tagOf, writtenOf } from "./staging-draft.ts"
import type { StagedRow, StagingStore } from "./staging-entry.ts"
import type { RepairEvidence, Repair, RepairWish } from "../../../ports/tenant/authoring/repairs.ts"
import { handlersPart, proofPart, repairTask, storyPart } from "./repair-task.ts"
import { MAX_STEPS, returnedOf, shownFlow, shownHandlers, shownRepair } from "./staging-shown.ts"
import { Breath } from "../../../ports/breath.ts"

/** Limit: files of an architect's session → the file is refused. */
export const MAX_FILES = 50
const MAX_BYTES = 1024 * 1024 // limit: bytes of an architect's session → the file is refused
/** Limit: open sessions of a tenant's architect → 409 `too_many_sessions`. */
export const MAX_SESSIONS = 100
const KEPT_MS = 30 * 24 * 60 * 60 * 1000 // limit: milliseconds since a session's last change → it is forgotten
const MAX_DIFF = 1_000_000 // limit: characters of hunks of a session → further files have no hunks

export class Staging {
  readonly #ground: CatalogGround
  readonly #store: StagingStore
  readonly #now: () => number

  constructor(ground: CatalogGround, store: StagingStore, now: () => number) {
    this.#ground = ground
    this.#store = store
    this.#now = now
  }

  open({ id, task, flow, repair }: ArchitectWish): Promise<OpenResult> {
    return this.#ground.parts.inTurn(async () => {
      const at = this.#now()
      const before = this.#session(id)
      if (before && (before.task !== task || before.flow !== flow || before.iteration > 1)) return { ok: false, code: "taken" }
      this.#store.expire(at - KEPT_MS)
      if (!before && this.#store.open() >= MAX_SESSIONS) return { ok: false, code: "too_many" }
      const now = await this.#ground.current()
      const whole = repair && (await shownRepair(now, repair, at))
      const shown = flow === undefined || repair ? undefined : await shownFlow(now, flow, at)
      if (repair ? !whole : flow !== undefined && !shown) return { ok: false, code: "no_flow" }
      const session: ArchitectSessionRow = { id, task, ...defined({ flow }), iteration: 1, run: id, state: "open", created: at, at }
      if (!before) {
        this.#store.save(session, (whole ?? shown)?.seen)
        if (repair) this.#store.saveRepair(id, kept(repair))
      }
      if (repair && whole) return { ok: true, task: repairTask({ ...repair, wish: task, ...whole }) }
      return { ok: true, task: shown ? editTask(task, shown.flow, shown.agents) : task }
    })
  }

  /** The rows of `agent_catalog` with this session's files. */
  async agents(id: string): Promise<AgentEntry[]> {
    const drafts = this.#session(id)?.state === "open" ? writtenOf(this.#store.files(id)).map(draftOf) : []
    const { view } = await stateWith(this.#ground, await this.#ground.current(), drafts)
    return agentRows(view, this.#ground.toolNames)
  }

  /** `agent_write` and `flow_write` of the session's run. Repeating a write leaves staging unchanged [J11]. */
  write(id: string, run: string, kind: "agent" | "flow", path: string, content: string): Promise<WriteResult> {
    return this.#ground.parts.inTurn(async () => {
      const refused = (error: string, diagnostics: readonly Diagnostic[] = []): WriteResult => ({
        written: false,
        path,
        diagnostics,
        error,
      })
      const session = this.#session(id)
      if (session?.state !== "open" || session.run !== run) return refused("this session is over: nothing more can be written in it")
      const found = placeOfPath(path)
      // [F77] What a repair may need besides the flow: its rehearsal and tests, and the handlers of its code steps.
      const isTaken = (of: CatalogKind): boolean => isBeside(of) || (of === "code" && this.#store.repair(id) !== undefined)
      const place = placeOf(found.ok && kind === "flow" && isTaken(found.value.kind) ? found.value.kind : kind, path)
      if (!place.ok) return refused(place.error, [badPath(place.error)])
      const draft = { ...(await drafted(place.value, content)), kind: place.value.kind }
      const size = draft.body.byteLength
      const rows = this.#store.files(id)
      const rest = writtenOf(rows).filter((row) => row.path !== draft.path)
      if (rest.length >= MAX_FILES) return refused(`a session writes at most ${MAX_FILES} files`)
      if (rest.reduce((sum, row) => sum + row.size, size) > MAX_BYTES) return refused("the files of a session may total at most 1 MiB")

      const now = await this.#ground.current()
      const drafts = [...rest.map(draftOf), draft]
      const diagnostics = await faultsOf(now, await stateWith(this.#ground, now, drafts), drafts, draft)
      if (hasErrors(diagnostics)) return { written: false, path: draft.path, diagnostics }
      const shown = rows.find((row) => row.path === draft.path)
      const base = shown ? shown.base : (now.view.entry(draft.kind, draft.id)?.hash ?? null)
      // Unchanged from the catalog: nothing to accept. A package's handler is hidden with its flow, so it may be needed as it is.
      const isKept = draft.kind === "code" && now.view.entry("code", draft.id)?.tier === "package"
      const body = draft.hash === base && !isKept ? { hash: null, size: 0, text: null } : { hash: draft.hash, size, text: content }
      const at = this.#now()
      this.#store.save({ ...session, at }, [{ path: draft.path, kind: draft.kind, id: draft.id, base, at, ...body }])
      return { written: true, path: draft.path, diagnostics, hash: draft.hash }
    })
  }

  async look(id: string): Promise<SessionView | undefined> {
    const session = this.#session(id)
    if (!session) return undefined
    const rows = this.#store.files(id).flatMap((row) => (row.hash === null ? [] : [{ ...row, hash: row.hash }]))
    const files = session.state === "open" ? await judged(this.#ground, writtenOf(rows)) : rows.map((row) => fileRow(row, []))
    const texts = await this.#ground.texts()
    const budget = { left: MAX_STEPS }
    const diff: Record<string, string> = {}
    const shown = new Map<string, string>()
    let room = MAX_DIFF
    for (const { path, base, hash, size, text } of rows) {
      const before = base === null ? "" : await texts.text({ hash: base, size: 0 })
      const after = text ?? (await texts.text({ hash, size }))
      if (after !== undefined) shown.set(path, after)
      if (before === undefined || after === undefined) continue
      const hunks = unifiedDiff(before, after, budget)
      if (hunks.length <= room) diff[path] = hunks
      room -= hunks.length
    }
    const repair = this.#store.repair(id)
    const whole = files.map((file) => ({ ...file, ...textOf(shown.get(file.path)) }))
    return { ...session, files: whole, diff, tag: await tagOf(rows), ...defined({ repair: repair && withoutStory(repair) }) }
  }

  list({ limit, cursor }: Parameters<ArchitectPort["list"]>[0]): Awaited<ReturnType<ArchitectPort["list"]>> {
    const below = cursor === undefined ? undefined : /^(\d{1,15})\.(run_[0-9a-z]{26,32})$/.exec(cursor)
    if (below === null) return { badCursor: true }
    const found = this.#store.sessions(below && { created: Number(below[1]), id: below[2] ?? "" }, limit + 1)
    const last = found[limit - 1]
    return {
      data: found.slice(0, limit).filter((row) => this.#isKept(row)),
      next_cursor: last && found.length > limit ? `${last.created}.${last.id}` : null,
    }
  }

  accept(id: string, seen: Parameters<ArchitectPort["accept"]>[1], by?: Writer): Promise<AcceptResult> {
    return this.#ground.parts.inTurn(async () => {
      const session = this.#session(id)
      if (!session) return { ok: false, code: "not_found" }
      if (session.state === "discarded") return { ok: false, code: "discarded" }
      const rows = this.#store.files(id).filter((row) => row.hash !== null)
      const paths = rows.map((row) => row.path)
      if (session.revision !== undefined) return { ok: true, revision: session.revision, paths }
      if (session.run !== seen.run) return { ok: false, code: "other_run" }
      const tag = await tagOf(rows)
      if (seen.ifMatch !== undefined && seen.ifMatch !== "*" && seen.ifMatch !== tag) return { ok: false, code: "stale", tag }
      const files = writtenOf(rows)
      if (files.length === 0) return { ok: false, code: "nothing" }
      const found = await judged(this.#ground, files)
      const moved = found.flatMap((file) => (file.moved ? [{ path: file.path, ...file.moved }] : []))
      if (moved.length > 0) return { ok: false, code: "moved", moved }
      const diagnostics = new Map(found.map((file) => [file.path, file.diagnostics]))
      if ([...diagnostics.values()].some(hasErrors)) return { ok: false, code: "invalid", diagnostics: listed(diagnostics) }
      const { blobs, store } = this.#ground.parts
      await new Breath().each(files, (file) => blobs.put(encode(file.text)))
      // In one turn of the event loop: either the catalog has the files and the session is accepted, or neither.
      const changes = files.map((file) => ({ type: "put" as const, ...fileOf(draftOf(file)) }))
      const act = { action: "write", ...of(by) } as const
      await this.#ground.passGate(changes, act)
      const revision = store.commit(changes, act)
      const bodiless = files.map((file): StagedRow => ({ ...file, text: null }))
      this.#store.save({ ...session, state: "accepted", revision, at: this.#now() }, bodiless)
      return { ok: true, revision, paths }
    })
  }

  /** Also rebases each file on the current catalog, which the next run is shown. */
  revise(id: string, { run, next, notes, fresh, proof }: Parameters<ArchitectPort["revise"]>[1]): Promise<ReviseResult> {
    return this.#ground.parts.inTurn(async () => {
      const session = this.#session(id)
      if (!session) return { ok: false, code: "not_found" }
      if (session.state !== "open") return { ok: false, code: session.state }
      const again = session.run === next
      if (!again && session.run !== run) return { ok: false, code: "other_run" }
      const at = this.#now()
      const now = await this.#ground.current()
      const repair = this.#store.repair(id)
      const shown = session.flow === undefined ? undefined : await shownFlow(now, session.flow, at, repair ? "packages" : "own")
      const code = repair && shown ? await shownHandlers(now.view, shown.flow, at) : { handlers: [], seen: [] }
      const files = fresh && !again ? [] : writtenOf(this.#store.files(id))
      const returned = await returnedOf(this.#ground, now, files)
      const iteration = again ? session.iteration : session.iteration + 1
      const isWritten = (path: string): boolean => files.some((file) => file.path === path)
      if (fresh && !again) this.#store.clear(id)
      this.#store.save({ ...session, run: next, iteration, at }, [
        ...[...(shown?.seen ?? []), ...code.seen].filter((row) => !isWritten(row.path)),
        ...files.map((file): StagedRow => ({ ...file, base: now.view.entry(file.kind, file.id)?.hash ?? null })),
      ])
      const unwritten = shown && !isWritten(shown.flow.path) ? { unwritten: shown.flow } : {}
      const flow = session.flow === undefined ? {} : { flow: { id: session.flow, ...unwritten } }
      const unseen = handlersPart(
        code.handlers.filter(({ path }) => !isWritten(path)),
        shown ? [shown.flow] : [],
      )
      const more = repair ? { more: [...unseen, ...(proof === undefined ? [] : [proofPart(proof)]), storyPart(repair.story)] } : {}
      return { ok: true, iteration, task: reviseTask({ wish: session.task, ...flow, notes, iteration, files: returned, ...more }) }
    })
  }

  /** Deletes the staged files and marks the session as discarded. */
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

  /** false: another run writes in the session by now, or a person has decided. */
  keepProof(id: string, proof: RepairEvidence): boolean {
    const session = this.#session(id)
    const repair = this.#store.repair(id)
    if (!repair || session?.state !== "open" || session.run !== proof.run) return false
    this.#store.saveRepair(id, { ...repair, proof })
    return true
  }

  #session(id: string): ArchitectSessionRow | undefined {
    const session = this.#store.session(id)
    return session && this.#isKept(session) ? session : undefined
  }

  #isKept({ at }: ArchitectSessionRow): boolean {
    return at >= this.#now() - KEPT_MS
  }
}

const kept = ({ flows: _flows, agents: _agents, ...repair }: RepairWish): Repair => repair
const withoutStory = ({ story: _story, ...repair }: Repair): Omit<Repair, "story"> => repair
const textOf = (text: string | undefined): { readonly text?: string } => defined({ text })
