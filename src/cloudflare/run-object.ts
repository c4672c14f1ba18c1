// RunObject: one run, one Durable Object. It wires the conductor to SQLite, the alarm, the tenant and the readers; what happens
// in a run is decided in core. Also keeps the record of one Idempotency-Key: keys and runs share the name (tenant, id) [H4].
//
// Everything in `this` is a cache of the journal: the object may be evicted, crash or be killed between any two instructions [J10].
//
// Over 300 lines: every RPC method of the object stands in its one class, and its alarm and duties share that class's private state.

import { DurableObject } from "cloudflare:workers"
import { minus } from "../core/amount.ts"
import type { Json } from "../core/json.ts"
import { reportOf, type ChildReport } from "../core/run/children.ts"
import { EVENT_VERSION, type Fact, type RunEvent } from "../core/run/event.ts"
import { apply } from "../core/run/apply.ts"
import type { Rules } from "../core/policy/policy.ts"
import { Harness } from "../core/run/harness.ts"
import { openChildren } from "../core/run/pause.ts"
import { PiFlows, type Frame } from "../core/run/pi-flows.ts"
import type { Answer, PauseReason } from "../core/run/signal.ts"
import { isOver, newRun, type Run } from "../core/run/state.ts"
import { strandedPlan } from "../core/run/stranded.ts"
import type { Message } from "../core/run/step-messages.ts"
import { explainTools, type ToolRule } from "../core/run/step-tools.ts"
import { interactionView, view, type InteractionView, type RunView } from "../core/run/view.ts"
import { atOnce } from "../engine/at-once.ts"
import { Conductor, WATCHDOG_MS, type Stage } from "../engine/conductor.ts"
import { DefinitionsLost } from "../engine/definitions.ts"
import { perform } from "../engine/perform.ts"
import { StrandedConductor } from "../engine/stranded-conductor.ts"
import { Projections, type Projection } from "../engine/projections.ts"
import { readMessages } from "../engine/read-messages.ts"
import { saveTranscript } from "../engine/sticky-session.ts"
import type { Blobs } from "../ports/blobs.ts"
import type { RunRow } from "../ports/catalog.ts"
import { formatOf } from "../ports/event-format.ts"
import type { AnswerResult, EventFormat, IdempotencyPort, RunPort, StartRequest, StoredAnswer } from "../ports/run.ts"
import type { FileEntry } from "../ports/workspace.ts"
import { r2Blobs } from "./blobs-r2.ts"
import { clock } from "./clock.ts"
import { RunContainers } from "./containers.ts"
import { dayBudgetPort } from "./day-budget-port.ts"
import type { Env } from "./env.ts"
import { EventSockets } from "./event-sockets.ts"
import { EventStream } from "./event-stream.ts"
import { IdempotencyRecord } from "./idempotency-record.ts"
import { SqlJournal } from "./journal-sql.ts"
import { LiveFrames } from "./live-frames.ts"
import { keyWatch } from "./key-watch.ts"
import { cancelAll, tellChildren, tellParent } from "./run-family.ts"
import { RunBytes } from "./run-bytes.ts"
import { runPort } from "./run-port.ts"
import { equip } from "./run-props.ts"
import { RunTelemetry } from "./run-telemetry.ts"
import { currentRules } from "./rules-cache.ts"
import { scrubbed } from "./secret-cache.ts"
import { openVault } from "./secret-port.ts"
import { sessionsPort } from "./sessions-port.ts"
import { sha256 } from "./sha256.ts"
import { assertPlace } from "./stubs.ts"
import { tenantPort } from "./tenant-port.ts"

/** Where a start waits for room [H6]. */
const HELD = "held"
/** [J12] An alarm that fails this often in a row ends the run: it would fail for ever. */
const ALARM_TRIES = 12
/** Events are handed on in pages of about this size: an RPC answer has at most 32 MiB, and a slow reader's page stays in memory. */
const PAGE_CHARS = 4 * 1024 * 1024
/** Events looked at in one go where the journal is read through. */
const READ_AT_ONCE = 500
/** Children that are deleted in one invocation: the platform allows it 1,000 calls. */
const CHILDREN_AT_ONCE = 200
/** What cannot be ended either, because its store does not answer, is looked at this often: a store may come back. */
const SLOWEST_TRY_MS = 3_600_000
/** So long is the end of a run kept back until its sticky sessions are given back. */
const SAVING_MS = 5_000
/** The platform takes no alarm after 2189; one that comes early only looks and sets the next. */
const FARTHEST_ALARM_MS = 30 * 86_400_000

export class RunObject extends DurableObject<Env> implements Omit<RunPort, "stream" | "socket">, IdempotencyPort {
  readonly #journal: SqlJournal
  readonly #record: IdempotencyRecord
  readonly #live = new LiveFrames()
  readonly #waiters = new Set<() => void>()
  #conductor: Conductor | undefined
  #waking: Promise<Conductor | undefined> | undefined
  /** ms; null: none is set; undefined: not asked yet. */
  #alarmAt: number | null | undefined
  /** Duties that others have heard of since this object woke. */
  readonly #done = new Set<string>()
  /** Duties that were begun and have not been done: under way, or failed. */
  readonly #owed = new Set<symbol>()
  /** Those of them that failed: the next round begins anew what is still to be done. */
  readonly #failed = new Set<symbol>()
  /** So many of the run's orphans were canceled since this object woke. */
  #canceled = 0
  /** For how long the tenant keeps ended runs, as it said last [H6]. */
  #retention: number | undefined
  #tenant: string | undefined
  #status = ""
  /** Sticky sessions being saved, one after another: in one run each step's part follows the one before it. Never rejects. */
  #saving: Promise<void> | undefined
  /** Duties that are being done. They never reject. */
  readonly #telling = new Set<Promise<void>>()
  /** Is the run being deleted? undefined: not looked at yet. */
  #leaving: boolean | undefined
  /** Were children told to pause, and not yet to resume? */
  #hasPaused: boolean | undefined
  #inFamily: Promise<void> = Promise.resolve()
  readonly #source = {
    read: (cursor: number, limit: number) => this.#journal.read(cursor, limit, PAGE_CHARS),
    over: () => this.#conductor !== undefined && isOver(this.#conductor.run),
  }
  readonly #projections: Projections
  readonly #sockets: EventSockets
  readonly #telemetry: RunTelemetry
  readonly #containers: RunContainers
  readonly #bytes: RunBytes

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    assertPlace(ctx.id, env)
    this.#journal = new SqlJournal(ctx.storage)
    this.#record = new IdempotencyRecord(ctx.storage)
    this.#bytes = new RunBytes(ctx.storage, () => this.#journal.list("").reduce((sum, { size }) => sum + size, 0))
    this.#projections = new Projections(this.#source)
    this.#sockets = new EventSockets(ctx, this.#source, (format, after) => this.#projectionAt(format, after))
    this.#live.add(this.#sockets)
    this.#containers = new RunContainers(env, ctx.storage.kv)
    this.#telemetry = new RunTelemetry(env, ctx.storage.kv, this.#journal, sha256, () => Date.now())
  }

  async start(asked: StartRequest): Promise<RunView> {
    const said = {
      task: asked.task,
      inputs: asked.inputs,
      ...(asked.tags ? { tags: asked.tags } : {}),
      ...(asked.payload ? { payload: asked.payload } : {}),
    }
    const request = { ...asked, ...(await this.#clean(said, asked.tenant)) }
    if (request.held === true && (await this.#awake()) === undefined) return this.#hold(request)
    const conductor = (await this.#awake()) ?? (await this.#conduct(request))
    // Another start may have come in while the definitions were loaded: the first one stands.
    if (this.#conductor === undefined) this.#conductor = conductor
    const { tenant, run } = request
    try {
      // The first slice of the tenant's day comes with the start, so that no call waits for it [B4].
      const wanted = request.daily === true && this.#journal.last() === 0
      const lease = wanted ? await dayBudgetPort(this.env, tenant).lease(run, "start", {}) : undefined
      if (this.#journal.last() === 0)
        this.#conductor.tell({
          type: "start",
          started: startedOf(request),
          ...(lease ? { lease } : {}),
        })
    } catch (e) {
      // What could not be written down did not begin: nobody may find a run here that is none.
      if (this.#journal.last() === 0) this.#conductor = undefined
      throw e
    }
    return view(this.#conductor.run)
  }

  /** Begins what is held; false: nothing is, and no run has begun here. Safe to repeat. */
  async release(): Promise<boolean> {
    const held = this.#held()
    if (!held) return this.#journal.last() > 0
    const { held: _held, at: _at, ...request } = held
    await this.start(request).catch((e: unknown) => {
      if (!(e instanceof DefinitionsLost)) throw e
      this.#conductor = this.#strand(request.flow, e.message)
      this.#conductor.tell({ type: "start", started: startedOf(request) })
    })
    this.ctx.storage.kv.delete(HELD)
    return true
  }

  async view(): Promise<RunView | undefined> {
    const run = await this.#run()
    return run && view(run)
  }

  async wait(ms: number): Promise<RunView | undefined> {
    const until = Date.now() + ms
    for (;;) {
      const run = await this.#run()
      const left = until - Date.now()
      if (!run || isOver(run) || (run.status === "waiting" && run.reason === "interaction") || left <= 0) {
        if (run && isOver(run)) await this.#givenBack(Math.min(left, SAVING_MS))
        return run && view(run)
      }
      await this.#news(left)
    }
  }

  async report(ms: number): Promise<ChildReport | undefined> {
    const until = Date.now() + ms
    for (;;) {
      const run = await this.#run()
      const left = until - Date.now()
      if (!run || isOver(run) || left <= 0) {
        if (run && isOver(run)) await this.#givenBack(Math.min(left, SAVING_MS))
        const report = run && reportOf(run)
        return report && JSON.parse(JSON.stringify(report))
      }
      await this.#news(left)
    }
  }

  /** Until the run's own status changes, or for so long. */
  #news(ms: number): Promise<void> {
    return new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#waiters.delete(done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      this.#waiters.add(done)
    })
  }

  async events(after: number, limit: number): Promise<{ data: RunEvent[]; ended: boolean; more: boolean } | undefined> {
    const run = await this.#run()
    const data = this.#journal.read(after, limit, PAGE_CHARS)
    return run && { data, ended: isOver(run), more: (data.at(-1)?.seq ?? run.seq) < run.seq }
  }

  async frames(after: number, limit: number, format: EventFormat = "pi-flows"): Promise<{ data: (Frame & { seq: number })[]; next: number | null } | undefined> {
    const run = await this.#run()
    if (!run) return undefined
    const projection = this.#projectionAt(format, after)
    const data: (Frame & { seq: number })[] = []
    const events = this.#journal.read(after, limit, PAGE_CHARS)
    for (const e of events) for (const frame of projection?.frames(e) ?? []) data.push({ seq: e.seq, ...frame })
    const last = events.at(-1)?.seq
    if (projection && last !== undefined) this.#projections.keep(format, last, projection)
    return { data, next: last !== undefined && last < run.seq ? last : null }
  }

  /** The live stream: `GET /events?after=N[&snapshot=1]`, or a WebSocket. Everything else is RPC. */
  override async fetch(request: Request): Promise<Response> {
    const query = new URL(request.url).searchParams
    const after = Number(query.get("after") ?? "0")
    const run = await this.#run()
    if (!run) return new Response(null, { status: 404 })
    const named = formatOf(query.get("format") ?? "")
    const format = named === undefined ? {} : { format: named }
    if (request.headers.get("upgrade") === "websocket")
      return this.#socket({ after, ...format, ...(query.get("ack") === "1" ? { speaks: true } : {}) }, query.get("key") ?? "")
    if (isOver(run) && after >= run.seq) return new Response(null, { status: 204 })
    const first = query.get("snapshot") === "1" ? `event: run.snapshot\ndata: ${JSON.stringify(view(run))}\n\n` : undefined
    const projection = named === undefined ? undefined : this.#projectionAt(named, after)
    const stream = new EventStream(this.#source, after, first, (s) => this.#live.remove(s), projection)
    this.#live.add(stream)
    return stream.response
  }

  /** [H1] A socket that a revoked key opened must not stay: the tenant tells, if it knows of it. */
  async #socket(place: Parameters<EventSockets["accept"]>[0], key: string): Promise<Response> {
    const { tenant } = this.#identity()
    const [started] = this.#journal.read(0, 1)
    if (key !== "" && tenant !== undefined && started?.type === "run.started")
      if (!(await keyWatch(this.env, tenant).watch(key, started.run))) return new Response(null, { status: 401 })
    return this.#sockets.accept({ ...place, ...(key === "" ? {} : { key }) })
  }

  /** The key is revoked. */
  async dropKey(key: string): Promise<void> {
    this.#sockets.drop(key)
  }

  override async webSocketMessage(socket: WebSocket): Promise<void> {
    await this.#awake()
    this.#sockets.heard(socket)
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    // 1005 and 1006 are no codes that may be sent.
    if (socket.readyState !== WebSocket.CLOSED) socket.close(code === 1005 || code === 1006 ? 1000 : code)
  }

  override webSocketError(): void {
    // The reader went away: that changes nothing for the run [J12].
  }

  /** [E3] Wound forward: what it tells of one event it knows from those before. */
  #projectionAt(format: EventFormat, after: number): Projection | undefined {
    if (!this.#conductor) return undefined
    const { plan } = this.#conductor.run
    return this.#projections.at(format, after, () => (format === "harness" ? new Harness() : new PiFlows(plan)))
  }

  async pause(reason: PauseReason): Promise<RunView | undefined> {
    const conductor = await this.#awake()
    conductor?.tell({ type: "pause", reason })
    return this.view()
  }

  async resume(reason: PauseReason): Promise<RunView | undefined> {
    const conductor = await this.#awake()
    const rules = conductor?.run.status === "paused" ? await this.#rules(conductor.run.rules.version) : undefined
    conductor?.tell({ type: "resume", reason, ...(rules ? { rules } : {}) })
    return this.view()
  }

  /** From the first commit on nobody finds the run here. Who must still hear of its end hears of it before the journal goes, and its own
   *  children go with it; what cannot be done at once the alarm does. */
  async remove(): Promise<boolean> {
    // What waits for room begins, to be taken away like any other.
    if (this.#held()) await this.release()
    const conductor = await this.#awake()
    if (!conductor) return false
    this.#leaving = true
    this.ctx.storage.kv.put("leaving", 0)
    this.#setAlarm(Date.now() + WATCHDOG_MS)
    conductor.tell({ type: "cancel", by: "deleted" })
    try {
      await this.#leave()
    } catch (e) {
      fault("remove", e)
    }
    return true
  }

  async #leave(): Promise<void> {
    const conductor = this.#conductor ?? (await this.#wake().catch((e: unknown) => fault("remove", e)))
    const { tenant } = this.#identity()
    const [started] = this.#journal.read(0, 1)
    if (tenant !== undefined && started?.type === "run.started") {
      if (conductor) this.#duties(conductor.run)
      await Promise.all(this.#telling)
      if (this.#owed.size > 0) throw new Error("not everybody has heard of its end")
      await tenantPort(this.env, tenant).removeRun(started.run)
      if (!(await this.#childrenLeave(tenant))) return this.#setAlarm(Date.now() + 1)
    }
    await this.erase("answer")
    this.#leaving = false
  }

  /** A part of them at a time: an invocation has 1,000 calls. true: none is left. */
  async #childrenLeave(tenant: string): Promise<boolean> {
    let at = Number(this.ctx.storage.kv.get("leaving") ?? 0)
    const children: string[] = []
    while (children.length < CHILDREN_AT_ONCE) {
      const events = this.#journal.read(at, READ_AT_ONCE, PAGE_CHARS)
      const last = events.at(-1)
      if (!last) break
      for (const e of events) if (e.type === "child.started") children.push(e.run)
      at = last.seq
    }
    await atOnce(children, async (child) => void (await runPort(this.env, tenant, child).remove()))
    this.ctx.storage.kv.put("leaving", at)
    return at >= this.#journal.last()
  }

  async cancel(by: string): Promise<RunView | undefined> {
    // What waits for room begins, to end at once: its journal says who ended it.
    if (this.#held()) await this.release()
    const conductor = await this.#awake()
    conductor?.tell({ type: "cancel", by })
    return conductor && view(conductor.run)
  }

  async interactions(status?: string): Promise<InteractionView[] | undefined> {
    const run = await this.#run()
    if (!run) return undefined
    return Object.values(run.interactions)
      .filter((i) => status === undefined || i.status === status)
      .map((i) => interactionView(run, i))
  }

  async interaction(id: string): Promise<InteractionView | undefined> {
    return (await this.interactions())?.find((i) => i.id === id)
  }

  async answer(id: string, body: Answer, by: string): Promise<AnswerResult> {
    const conductor = await this.#awake()
    if (!conductor) return { ok: false, code: "not_found" }
    // A question whose time is up is expired though the alarm is late: an answer must not slip in before it.
    conductor.tick()
    const kind = conductor.run.interactions[id]?.kind
    const approves = kind === "approval.tool" || kind === "approval.plan"
    const rules = approves ? await this.#rules(conductor.run.rules.version) : undefined
    const clean = await this.#clean(body)
    const told = conductor.tell({ type: "answer", id, body: clean, by, ...(rules ? { rules } : {}) })
    const interaction = await this.interaction(id)
    if (!interaction) return { ok: false, code: "not_found" }
    if (told.ok) return { ok: true, interaction }
    if (told.error.code === "invalid") return { ok: false, code: "invalid", errors: told.error.errors }
    return { ok: false, code: told.error.code === "other_hash" ? "other_hash" : "already_answered", interaction }
  }

  async steer(step: string, message: string, by: string, act = clock.id()): Promise<Awaited<ReturnType<RunPort["steer"]>>> {
    const conductor = await this.#awake()
    if (!conductor?.run.plan.steps.has(step)) return { ok: false, code: "not_found" }
    const id = `st_${act}`
    const told = conductor.tell({ type: "steer", step, id, message: await this.#clean(message), by })
    return told.ok ? { ok: true, id } : { ok: false, code: told.error.code === "too_many" ? "too_many" : "not_running" }
  }

  async files(): Promise<FileEntry[] | undefined> {
    return (await this.#run()) && this.#journal.list("")
  }

  async file(path: string): Promise<{ entry: FileEntry; body: Uint8Array } | undefined> {
    const entry = (await this.#run()) && this.#journal.stat(path)
    const body = entry && (await this.#blobs()?.get(entry.hash))
    return entry && body ? { entry, body } : undefined
  }

  async output(handle: string): Promise<Uint8Array | undefined> {
    const run = await this.#run()
    return run?.handles.includes(handle) ? this.#blobs()?.get(handle) : undefined
  }

  async stepTools(id: string): Promise<ToolRule[] | undefined> {
    const run = await this.#run()
    return run && explainTools(run, id)
  }

  async messages(step: string, after: number): Promise<{ data: Message[]; next: number | null } | undefined> {
    const run = await this.#run()
    if (!run?.plan.steps.has(step)) return undefined
    const opened = run.steps[step]?.openedSeq ?? 0
    return readMessages(this.#journal, { step, opened, after, chars: PAGE_CHARS })
  }

  async signal(name: string, payload: Json, by: string, act?: string): Promise<Awaited<ReturnType<RunPort["signal"]>>> {
    const conductor = await this.#awake()
    const told = conductor?.tell({ type: "signal", name, payload: await this.#clean(payload), by, ...(act === undefined ? {} : { id: `sg_${act}` }) })
    if (told === undefined) return "not_found"
    return told.ok ? "ok" : told.error.code === "too_many" ? "too_many" : "over"
  }

  /** A child run of this one has ended. What this run has no use for any more is heard all the same [F23]. */
  async childEnded(end: { step: string; pass: number; index: number; run: string; report: ChildReport }): Promise<void> {
    ;(await this.#awake())?.tell({ type: "child.end", ...end })
  }

  async begin(digest: string): Promise<Awaited<ReturnType<IdempotencyPort["begin"]>>> {
    const begun = this.#record.begin(digest)
    await this.#keepRecord()
    return begun
  }

  async end(digest: string, answer: StoredAnswer | null): Promise<void> {
    this.#record.end(digest, answer)
    await this.#keepRecord()
  }

  async #keepRecord(): Promise<void> {
    const until = this.#record.until()
    // A run here keeps the record with it; without one nothing else would ever take it away.
    if (until !== undefined && this.#journal.last() === 0) {
      this.#alarmAt ??= await this.ctx.storage.getAlarm()
      this.#setAlarm(until)
    }
  }

  /** Takes the run away as it is: what it does is aborted, readers end, nobody is told of anything. `keep`: the answer kept for an
   *  Idempotency-Key stays its day [H4]; otherwise nothing stays [N3]. Safe to repeat. */
  async erase(keep?: "answer"): Promise<void> {
    this.#conductor?.halt()
    this.#conductor = undefined
    await this.#containers.abandon(this.#identity().tenant)
    this.#waking = undefined
    this.#tenant = undefined
    this.#retention = undefined
    this.#done.clear()
    this.#owed.clear()
    this.#failed.clear()
    this.#saving = undefined
    this.#bytes.forget()
    this.#canceled = 0
    this.#alarmAt = null
    const until = keep === "answer" ? this.#record.until() : undefined
    if (until === undefined) {
      await this.ctx.storage.deleteAlarm()
      await this.ctx.storage.deleteAll()
    } else {
      const { sql, kv } = this.ctx.storage
      this.ctx.storage.transactionSync(() => {
        const tables = sql.exec<{ name: string }>(
          "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'answer' AND name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
        )
        // Emptied, not dropped: a table cannot go while a cursor on it, however long forgotten, is open.
        for (const { name } of tables.toArray()) sql.exec(`DELETE FROM "${name}"`)
        const keys = Array.from(kv.list(), ([key]) => key)
        for (const key of keys) kv.delete(key)
      })
      await this.ctx.storage.deleteAlarm()
      this.#setAlarm(until)
    }
    this.#journal.forget()
    this.#projections.forget()
    this.#live.end()
    for (const wake of this.#waiters) wake()
  }

  /** [J12] Never throws: a failing alarm would be retried by the platform six times and then forgotten. */
  override async alarm(): Promise<void> {
    this.#alarmAt = null
    try {
      if (this.#isLeaving()) return await this.#leave()
      if (await this.#expired()) return
      // Its definitions may be there again.
      if (this.#conductor instanceof StrandedConductor) this.#conductor = undefined
      const conductor = await this.#awake()
      conductor?.tick()
      if (conductor instanceof StrandedConductor && !isOver(conductor.run)) throw new Error(conductor.why)
      if (conductor) this.#duties(conductor.run)
      if (this.ctx.storage.kv.get("alarm_failures") !== undefined) this.ctx.storage.kv.delete("alarm_failures")
    } catch (e) {
      fault("alarm", e)
      const failures = Number(this.ctx.storage.kv.get("alarm_failures") ?? 0) + 1
      this.ctx.storage.kv.put("alarm_failures", failures)
      if (failures < ALARM_TRIES || !this.#giveUp(failures, e)) this.#setAlarm(Date.now() + Math.min(SLOWEST_TRY_MS, 1_000 * 2 ** failures))
    }
  }

  /** What a person or another system says, without the tenant's secrets, before anything is done with it [T32]. */
  async #clean<T>(said: T, tenant = this.#identity().tenant): Promise<T> {
    return tenant === undefined ? said : (await openVault(this.env, tenant, clock.now)()).redactor.json(said)
  }

  /** Ends the run; false when that cannot even be written down, as when its definitions do not load, or when it has ended and is to go:
   *  then it is tried again, slowly. */
  #giveUp(failures: number, e: unknown): boolean {
    const why = e instanceof Error ? e.message : "unknown error"
    try {
      if (this.#isLeaving() || (this.#conductor && isOver(this.#conductor.run))) return false
      this.#conductor?.tell({ type: "broken", message: `the run could not be continued ${failures} times in a row: ${why}` })
      return this.#conductor !== undefined
    } catch (again) {
      fault("alarm", again)
      return false
    }
  }

  /** An approval is judged by what holds now, not by what held when it was asked [Q3]. */
  async #rules(seen: number): Promise<Rules | undefined> {
    const { tenant } = this.#identity()
    return tenant === undefined ? undefined : currentRules(tenant, seen, () => tenantPort(this.env, tenant).rules(), clock.now)
  }

  async #run(): Promise<Run | undefined> {
    return (await this.#awake())?.run ?? (await this.#queued())
  }

  /** [H6] Keeps a start for which there is no room yet, and tells the tenant that it does. */
  async #hold(request: StartRequest): Promise<RunView> {
    if (!this.#held()) this.ctx.storage.kv.put(HELD, JSON.stringify({ ...request, at: Date.now() }))
    const run = await this.#queued()
    if (!run) throw new Error("a run that was just held is not there")
    const noted = await tenantPort(this.env, request.tenant).noteRun(rowOf(run))
    if (noted === "gone") await this.erase()
    return view(run)
  }

  #held(): (StartRequest & { readonly at: number }) | undefined {
    if (this.#journal.last() > 0) return undefined
    const kept = this.ctx.storage.kv.get(HELD)
    return typeof kept === "string" ? JSON.parse(kept) : undefined
  }

  /** The run as it will begin: for those who look at it, nothing of it is written down. */
  async #queued(): Promise<Run | undefined> {
    const held = this.#held()
    if (!held) return undefined
    const plan = await equip(this.env, held.tenant, held.pins, this.#journal, this.#live, (work) => this.ctx.waitUntil(work)).then(
      (equipped) => equipped.plan,
      (e: unknown) => {
        if (e instanceof DefinitionsLost) return strandedPlan(held.flow, [])
        throw e
      },
    )
    const run = newRun(plan)
    apply(run, { ...startedOf(held), seq: 0, at: held.at, v: EVENT_VERSION, prev: run.head })
    run.seq = 0
    run.status = "queued"
    return run
  }

  /** The conductor of the run in this object; undefined when none was ever started. Folding and recovery happen once. */
  #awake(): Promise<Conductor | undefined> {
    if (this.#isLeaving()) return Promise.resolve(undefined)
    if (this.#conductor) return Promise.resolve(this.#conductor)
    return (this.#waking ??= this.#wake().finally(() => (this.#waking = undefined)))
  }

  #isLeaving(): boolean {
    return (this.#leaving ??= this.ctx.storage.kv.get("leaving") !== undefined)
  }

  async #wake(): Promise<Conductor | undefined> {
    this.#alarmAt ??= await this.ctx.storage.getAlarm()
    const [started] = this.#journal.read(0, 1)
    if (started?.type !== "run.started") return undefined
    const { tenant = "", run, pinned: pins, staging } = started
    const conductor = await this.#conduct({ tenant, run, pins, ...(staging === undefined ? {} : { staging }) }).catch((e: unknown) => {
      if (e instanceof DefinitionsLost) return this.#strand(started.flow, e.message)
      throw e
    })
    if (this.#conductor) return this.#conductor
    // It was erased meanwhile.
    if (this.#journal.last() === 0) return undefined
    this.#conductor = conductor
    if (!isOver(conductor.run)) conductor.tick()
    // What was committed before a sleep may not have been sent.
    this.#sockets.wake()
    return conductor
  }

  async #conduct({ tenant, run, pins, staging }: Pick<StartRequest, "tenant" | "run" | "pins" | "staging">): Promise<Conductor> {
    this.#alarmAt ??= await this.ctx.storage.getAlarm()
    const { plan, props, browsers } = await equip(
      this.env,
      tenant,
      pins,
      this.#journal,
      this.#live,
      (work) => this.ctx.waitUntil(work),
      staging === undefined ? undefined : { session: staging, run },
      (blobs) => this.#bytes.metered(blobs),
      this.#containers,
    )
    const stage = this.#stage((now, effect, signal) => perform(props, now, effect, signal))
    return new Conductor(plan, {
      ...stage,
      publish: (events, now) => {
        browsers?.follow(now)
        stage.publish(events, now)
      },
    })
  }

  #stage(does: Stage["perform"]): Stage {
    return {
      journal: this.#journal,
      clock,
      hash: sha256,
      fault,
      perform: does,
      publish: (events, run) => this.#publish(events, run),
      alarm: (at) => this.#setAlarm(at),
    }
  }

  /** [J12] A run whose definitions are lost can be read and ended. */
  #strand(flow: string, why: string): StrandedConductor {
    const nothing: Stage["perform"] = () => Promise.reject(new Error(why))
    return new StrandedConductor(strandedPlan(flow, this.#journal.read(0, Infinity)), this.#stage(nothing), why)
  }

  #publish(events: readonly RunEvent[], run: Run): void {
    this.#live.wake()
    const isOfRun = events.some((e) => e.type.startsWith("run."))
    // [J14] A kill before the others have heard must not be the last word: a run without timers is looked at once more.
    if (isOfRun || run.status === "paused" || this.#unsaved(run) > 0) this.#setAlarm(Date.now() + WATCHDOG_MS)
    this.#duties(run)
    // Whoever waits, waits for a change of the run's own status.
    if (isOfRun) for (const wake of this.#waiters) wake()
  }

  /** What others must hear of this run. Nothing waits for it; what did not arrive is said again at the next alarm, and twice is harmless. */
  #duties(run: Run): void {
    const { tenant } = this.#identity()
    if (tenant === undefined) return
    for (const failed of this.#failed) this.#owed.delete(failed)
    this.#failed.clear()
    // A status may come back: running, waiting, running again. The inbox lists runs by their open questions.
    const status = `${run.status} ${run.pending.length}`
    if (this.#status !== status) this.#done.delete("status")
    this.#status = status
    // A run that is being deleted is in nobody's list any more.
    if (!this.#isLeaving())
      this.#duty("status", async () => {
        const noted = await tenantPort(this.env, tenant).noteRun(this.#bytes.told(rowOf(run)))
        if (noted === "gone") await this.erase()
        else this.#retention = noted.retention
      })
    this.#family(tenant, run)
    const orphans = run.orphans.slice(this.#canceled)
    const all = run.orphans.length
    if (orphans.length > 0)
      this.#duty(`orphans ${all}`, async () => {
        await cancelAll(this.env, tenant, run.id, orphans)
        this.#canceled = Math.max(this.#canceled, all)
      })
    if (this.#unsaved(run) > 0) this.#duty(`sessions ${run.transcripts.length}`, () => this.#save(tenant, run))
    const { lease } = run.budget
    if (lease && isOver(run))
      this.#duty("lease", () => dayBudgetPort(this.env, tenant).giveBack(run.id, lease.until, minus(lease.limit, lease.spent)))
    if (isOver(run) && this.#containers.any()) this.#duty("sandboxes", () => this.#containers.destroy(tenant))
    const report = run.parent && reportOf(run)
    if (report) this.#duty("parent", () => tellParent(this.env, tenant, run, report))
    this.#telemetry.measure(tenant, run)
    // What is being deleted is waited for, and a collector is nobody to wait for.
    const due = this.#isLeaving() ? undefined : this.#telemetry.due(run)
    if (due !== undefined && due <= Date.now()) this.#duty("traces", () => this.#telemetry.export())
    else this.#setAlarm(due)
  }

  /** Children pause and go on as this run does [H5]. That some were told to pause is kept: after a crash they must hear of the resume. */
  #family(tenant: string, run: Run): void {
    const { kv } = this.ctx.storage
    const paused = run.status === "paused"
    this.#hasPaused ??= kv.get("paused_children") !== undefined
    if (!paused && !this.#hasPaused) return
    const children = openChildren(run)
    if (paused && children.length > 0 && !this.#hasPaused) {
      kv.put("paused_children", true)
      this.#hasPaused = true
    }
    this.#duty(`${paused ? "pause" : "resume"} ${run.pausedFor ?? 0} ${children.join(" ")}`, () => {
      // One after another, and each says what holds by then: a pause that is told after the resume would stand.
      const turn = this.#inFamily.then(async () => {
        const now = this.#conductor?.run
        if (!now || isOver(now)) return
        const word = now.status === "paused" ? "pause" : "resume"
        await tellChildren(this.env, tenant, openChildren(now), word)
        if (word === "pause" || this.#conductor?.run.status === "paused") return
        kv.delete("paused_children")
        this.#hasPaused = false
      })
      this.#inFamily = turn.catch(() => undefined)
      return turn
    })
  }

  #unsaved(run: Run): number {
    return run.transcripts.length === 0 ? 0 : run.transcripts.length - this.#saved()
  }

  #saved(): number {
    return Number(this.ctx.storage.kv.get("sessions_saved") ?? 0)
  }

  /** Who hears of a run's end may go on with its session at once [J25]; but nobody waits for a store that does not answer. */
  async #givenBack(ms: number): Promise<void> {
    if (this.#saving === undefined || ms <= 0) return
    let timer: ReturnType<typeof setTimeout> | undefined
    await Promise.race([this.#saving, new Promise((resolve) => (timer = setTimeout(resolve, ms)))])
    clearTimeout(timer)
  }

  #save(tenant: string, run: Run): Promise<void> {
    const work = (this.#saving ?? Promise.resolve()).then(async () => {
      const deps = { sessions: sessionsPort(this.env, tenant), blobs: r2Blobs(this.env, tenant) }
      for (let n = this.#saved(), next = run.transcripts[n]; next; n++, next = run.transcripts[n]) {
        await saveTranscript(deps, this.#journal, run, next)
        this.ctx.storage.kv.put("sessions_saved", n + 1)
      }
    })
    const saving = work
      .catch(() => undefined)
      .then(() => {
        if (this.#saving === saving) this.#saving = undefined
      })
    this.#saving = saving
    return work
  }

  #duty(word: string, work: () => Promise<void>): void {
    if (this.#done.has(word)) return
    this.#done.add(word)
    const owed = Symbol(word)
    this.#owed.add(owed)
    const told = work().then(
      () => {
        this.#owed.delete(owed)
        this.#rest()
      },
      (e: unknown) => {
        this.#done.delete(word)
        this.#failed.add(owed)
        fault(word, e)
        this.#setAlarm(Date.now() + WATCHDOG_MS)
      },
    )
    this.#telling.add(told)
    this.ctx.waitUntil(told.finally(() => this.#telling.delete(told)))
  }

  /** [H6] The tenant keeps its runs for less time than it did: whoever waits for the old one looks again. */
  async expire(): Promise<void> {
    this.#alarmAt ??= await this.ctx.storage.getAlarm()
    await this.#expired()
  }

  /** [H6] Is what is here to go, and gone? A run is kept for as long as its tenant says by then, and leaves the tenant's list before it
   *  leaves itself. It is not folded for that: a run whose definitions do not load any more goes like any other. */
  async #expired(): Promise<boolean> {
    const last = this.#journal.last()
    const now = Date.now()
    if (last === 0) {
      if (this.#held()) return true
      const until = this.#record.until()
      if (until === undefined && this.#record.isSpent()) await this.erase()
      if (until === undefined) return false
      if (until <= now) await this.erase()
      else this.#setAlarm(until)
      return true
    }
    const [event] = this.#journal.pick([last])
    const { tenant } = this.#identity()
    // Who has not heard of the end yet is told first, and the retention is asked with it.
    if (event?.type !== "run.ended" || tenant === undefined || this.#owed.size > 0) return false
    if (this.#retention === undefined && now < event.at + WATCHDOG_MS) return false
    const port = tenantPort(this.env, tenant)
    this.#retention = await port.retention()
    if (now < event.at + this.#retention) {
      this.#setAlarm(event.at + this.#retention)
      return false
    }
    const [started] = this.#journal.read(0, 1)
    if (started?.type === "run.started") await port.removeRun(started.run)
    await this.erase("answer")
    return true
  }

  /** A run that has ended, and everybody has heard of it: its watchdog would only wake an evicted object and fold it again, a sixth
   *  of the CPU of a short run (bench/README.md). The next time it is looked at is when it is to go. */
  #rest(): void {
    const run = this.#conductor?.run
    if (run?.ended === undefined || this.#owed.size > 0 || this.#retention === undefined || this.#telemetry.due(run) !== undefined) return
    const now = Date.now()
    const at = Math.min(Math.max(run.ended + this.#retention, now + 1), now + FARTHEST_ALARM_MS)
    if (this.#alarmAt === at) return
    this.#alarmAt = at
    void this.ctx.storage.setAlarm(at)
  }

  /** The tenant of the run in this object: the first word of its journal. Asked for at every commit, so it is kept. */
  #identity(): { tenant?: string } {
    if (this.#tenant === undefined) {
      const [started] = this.#journal.read(0, 1)
      if (started?.type === "run.started") this.#tenant = started.tenant
    }
    return this.#tenant === undefined ? {} : { tenant: this.#tenant }
  }

  #blobs(): Blobs | undefined {
    const { tenant } = this.#identity()
    return tenant === undefined ? undefined : r2Blobs(this.env, tenant)
  }

  /** One alarm, at the earliest time asked for. One that comes too early only looks and sets the next: cheaper than moving it at
   *  every step, which costs a fifth of the throughput (platform.md §3). */
  #setAlarm(at: number | undefined): void {
    // Nothing to wait for takes no alarm away: an ended run keeps its watchdog until everybody has heard of the end.
    if (at === undefined) return
    const set = this.#alarmAt ?? null
    const now = Date.now()
    if (set !== null && set > now && set <= at) return
    // An alarm in the past set from within an alarm never fires (platform.md §3).
    this.#alarmAt = Math.min(Math.max(at, now + 1), now + FARTHEST_ALARM_MS)
    void this.ctx.storage.setAlarm(this.#alarmAt)
  }
}

/** The first word of the journal [J3]. */
function startedOf(request: StartRequest): Extract<Fact, { type: "run.started" }> {
  const { tenant, run, flow, task, inputs, autonomous, rehearsed, pins, trigger, tags, parent, session, staging } = request
  const { budget, prices, rules, tainted, payload, callback, trace } = request
  return {
    type: "run.started",
    tenant,
    run,
    flow,
    task,
    inputs,
    autonomous,
    pinned: pins,
    trigger,
    rehearsed,
    ...(tags ? { tags: [...tags] } : {}),
    ...(parent ? { parent } : {}),
    ...(session === undefined ? {} : { session }),
    ...(staging === undefined ? {} : { staging }),
    ...(budget === undefined ? {} : { budget }),
    ...(prices === undefined ? {} : { prices }),
    ...(rules === undefined ? {} : { rules: JSON.parse(JSON.stringify(rules)) }),
    ...(tainted === true ? { tainted } : {}),
    ...(payload === undefined ? {} : { payload }),
    ...(callback === undefined ? {} : { callback: { ...callback, events: [...callback.events] } }),
    ...(trace === undefined ? {} : { trace }),
  }
}

function rowOf(run: Run): RunRow {
  const { steps: _steps, output: _output, inputs: _inputs, task: _task, pinned: _pinned, ...row } = view(run)
  const ended = run.ended === undefined ? {} : { ended: run.ended }
  const told = { notices: run.notices, ...(run.callback === undefined ? {} : { callback: run.callback }) }
  return { id: run.id, flow: run.flow, status: run.status, created: run.started, ...ended, ...told, view: JSON.parse(JSON.stringify(row)) }
}

function fault(where: string, error: unknown): void {
  const e = error instanceof Error ? error : new Error(String(error))
  console.error(scrubbed(JSON.stringify({ level: "error", event: "run.fault", where, error: e.name, message: e.message, stack: e.stack })))
}
