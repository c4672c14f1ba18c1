// RunObject: one run, one Durable Object. It wires the conductor to SQLite, the alarm, the tenant and the readers; what happens
// in a run is decided in core. Also keeps the record of one Idempotency-Key: keys and runs share the name (tenant, id) [H4].
//
// Everything in `this` is a cache of the journal: the object may be evicted, crash or be killed between any two instructions [J10].

import { DurableObject } from "cloudflare:workers"
import { createHash } from "node:crypto"
import { grantOf } from "../core/run/guard.ts"
import { agentNameOf, compile } from "../core/run/plan.ts"
import type { RunEvent } from "../core/run/event.ts"
import { isOver, type Run } from "../core/run/state.ts"
import { interactionView, view, type InteractionView, type RunView } from "../core/run/view.ts"
import { Conductor, WATCHDOG_MS } from "../engine/conductor.ts"
import { loadDefinitions } from "../engine/definitions.ts"
import { perform, type Props } from "../engine/perform.ts"
import { skillLibrary } from "../engine/skill-library.ts"
import { chooseModel } from "../models/choose.ts"
import type { Blobs } from "../ports/blobs.ts"
import type { AnswerBody, AnswerResult, IdempotencyPort, RunPort, StartRequest, StoredAnswer } from "../ports/run.ts"
import type { FileEntry } from "../ports/workspace.ts"
import { SPECS, TOOLS, toolsByName } from "../tools/toolbox.ts"
import { r2Blobs } from "./blobs-r2.ts"
import { clock } from "./clock.ts"
import type { Env } from "./env.ts"
import { EventStream } from "./event-stream.ts"
import { IdempotencyRecord } from "./idempotency-record.ts"
import { SqlJournal } from "./journal-sql.ts"
import { LiveFrames } from "./live-frames.ts"
import { tenantPort } from "./tenant-port.ts"

const TOOLBOX = toolsByName(TOOLS)
/** [J12] An alarm that fails this often in a row ends the run: it would fail for ever. */
const ALARM_TRIES = 12

export class RunObject extends DurableObject<Env> implements Omit<RunPort, "stream">, IdempotencyPort {
  readonly #journal: SqlJournal
  readonly #record: IdempotencyRecord
  readonly #live = new LiveFrames()
  readonly #waiters = new Set<() => void>()
  #conductor: Conductor | undefined
  #waking: Promise<Conductor | undefined> | undefined
  /** ms; null: none is set; undefined: not asked yet. */
  #alarmAt: number | null | undefined
  #noted = ""

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#journal = new SqlJournal(ctx.storage)
    this.#record = new IdempotencyRecord(ctx.storage)
  }

  async start(request: StartRequest): Promise<RunView> {
    const conductor = (await this.#awake()) ?? (await this.#conduct(request.tenant, request.pins))
    // Another start may have come in while the definitions were loaded: the first one stands.
    if (this.#conductor === undefined) this.#conductor = conductor
    const { tenant, run, flow, task, inputs, autonomous, rehearsed, pins, trigger, tags } = request
    if (this.#journal.last() === 0)
      this.#conductor.tell({
        type: "start",
        started: {
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
        },
      })
    return view(this.#conductor.run)
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
      if (!run || isOver(run) || (run.status === "waiting" && run.reason === "interaction") || left <= 0) return run && view(run)
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer)
          this.#waiters.delete(done)
          resolve()
        }
        const timer = setTimeout(done, left)
        this.#waiters.add(done)
      })
    }
  }

  async events(after: number, limit: number): Promise<{ data: RunEvent[]; ended: boolean } | undefined> {
    const run = await this.#run()
    return run && { data: this.#journal.read(after, limit), ended: isOver(run) }
  }

  /** The live stream: `GET /events?after=N[&snapshot=1]`. Everything else is RPC. */
  override async fetch(request: Request): Promise<Response> {
    const query = new URL(request.url).searchParams
    const after = Number(query.get("after") ?? "0")
    const run = await this.#run()
    if (!run) return new Response(null, { status: 404 })
    if (isOver(run) && after >= run.seq) return new Response(null, { status: 204 })
    const first = query.get("snapshot") === "1" ? `event: run.snapshot\ndata: ${JSON.stringify(view(run))}\n\n` : undefined
    const source = {
      read: (cursor: number, limit: number) => this.#journal.read(cursor, limit),
      over: () => this.#conductor !== undefined && isOver(this.#conductor.run),
    }
    const stream = new EventStream(source, after, first, (s) => this.#live.remove(s))
    this.#live.add(stream)
    return stream.response
  }

  async cancel(by: string): Promise<RunView | undefined> {
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

  async answer(id: string, body: AnswerBody, by: string): Promise<AnswerResult> {
    const conductor = await this.#awake()
    if (!conductor) return { ok: false, code: "not_found" }
    const told = conductor.tell({ type: "answer", id, body, by })
    const interaction = await this.interaction(id)
    if (!interaction) return { ok: false, code: "not_found" }
    if (told.ok) return { ok: true, interaction }
    if (told.error.code === "invalid") return { ok: false, code: "invalid", errors: told.error.errors }
    return { ok: false, code: "already_answered", interaction }
  }

  async steer(step: string, message: string, by: string): Promise<Awaited<ReturnType<RunPort["steer"]>>> {
    const conductor = await this.#awake()
    const id = `st_${clock.id()}`
    const told = conductor?.tell({ type: "steer", step, id, message, by })
    if (told?.ok) return { ok: true, id }
    return { ok: false, code: told === undefined || told.error.code === "not_found" ? "not_found" : "not_running" }
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

  /** [G1] What the step's agent may call, and which rule says so. */
  async stepTools(id: string): Promise<{ name: string; granted: boolean; rule: string }[] | undefined> {
    const run = await this.#run()
    const step = run?.plan.steps.get(id)
    if (!run || !step) return undefined
    const agent = run.plan.agents[agentNameOf(step) ?? ""]
    if (!agent) return []
    const opened = run.steps[id]?.tools ?? []
    const granted = opened.length > 0 ? opened : grantOf(run.plan, agent, run.autonomous)
    const rule = (name: string): string => {
      if (name === "finish") return "every agent session has finish"
      if (name === "ask_user") return run.autonomous ? "the run is autonomous: nobody is asked" : "the run is not autonomous"
      if (name === "skill_read") return agent.skills.length > 0 ? "the agent declares skills" : "the agent declares no skills"
      if (granted.includes(name)) return `tools of agent ${agent.name}`
      return agent.tools.kind === "list" && agent.tools.names.includes(name)
        ? "not for agents of this role"
        : `agent ${agent.name} does not declare it`
    }
    return [...new Set(["finish", ...run.plan.tools.keys()])].map((name) => ({ name, granted: granted.includes(name), rule: rule(name) }))
  }

  async begin(digest: string): Promise<Awaited<ReturnType<IdempotencyPort["begin"]>>> {
    return this.#record.begin(digest)
  }

  async end(digest: string, answer: StoredAnswer | null): Promise<void> {
    this.#record.end(digest, answer)
  }

  /** [J12] Never throws: a failing alarm would be retried by the platform six times and then forgotten. */
  override async alarm(): Promise<void> {
    this.#alarmAt = null
    try {
      const conductor = await this.#awake()
      conductor?.tick()
      if (conductor) this.#note(conductor.run)
      if (this.ctx.storage.kv.get("alarm_failures") !== undefined) this.ctx.storage.kv.delete("alarm_failures")
    } catch (e) {
      fault("alarm", e)
      const failures = Number(this.ctx.storage.kv.get("alarm_failures") ?? 0) + 1
      this.ctx.storage.kv.put("alarm_failures", failures)
      if (failures < ALARM_TRIES) this.#setAlarm(Date.now() + 1_000 * 2 ** failures)
      else
        this.#conductor?.tell({
          type: "broken",
          message: `the run could not be continued ${failures} times in a row: ${e instanceof Error ? e.message : "unknown error"}`,
        })
    }
  }

  async #run(): Promise<Run | undefined> {
    return (await this.#awake())?.run
  }

  /** The conductor of the run in this object; undefined when none was ever started. Folding and recovery happen once. */
  #awake(): Promise<Conductor | undefined> {
    if (this.#conductor) return Promise.resolve(this.#conductor)
    return (this.#waking ??= this.#wake().finally(() => (this.#waking = undefined)))
  }

  async #wake(): Promise<Conductor | undefined> {
    this.#alarmAt ??= await this.ctx.storage.getAlarm()
    const [started] = this.#journal.read(0, 1)
    if (started?.type !== "run.started") return undefined
    const conductor = await this.#conduct(started.tenant ?? "", started.pinned)
    if (this.#conductor) return this.#conductor
    this.#conductor = conductor
    if (!isOver(conductor.run)) conductor.tick()
    return conductor
  }

  async #conduct(tenant: string, pins: StartRequest["pins"]): Promise<Conductor> {
    this.#alarmAt ??= await this.ctx.storage.getAlarm()
    const blobs = r2Blobs(this.env, tenant, (work) => this.ctx.waitUntil(work))
    const definitions = await loadDefinitions(pins, blobs)
    const skills = Object.fromEntries(Object.entries(definitions.skills).map(([name, s]) => [name, s.skill]))
    const plan = compile({ flow: definitions.flow, agents: definitions.agents, skills, tools: [...SPECS.values()] })
    const catalog = tenantPort(this.env, tenant)
    const props: Props = {
      journal: this.#journal,
      blobs,
      clock,
      tools: TOOLBOX,
      skills: skillLibrary(definitions.skills, blobs),
      author: catalog,
      hash: sha256,
      choose: (ref) =>
        chooseModel(ref, {
          provider: (name) => catalog.provider(name),
          rehearsal: definitions.rehearsal,
          environment: this.env.ENVIRONMENT,
          ...(this.env.AI ? { ai: this.env.AI } : {}),
        }),
      delta: (step, turn, text) => this.#live.delta(step, turn, text),
      progress: (step, callId, tool, content) => this.#live.progress(step, callId, tool, content),
    }
    return new Conductor(plan, {
      journal: this.#journal,
      clock,
      hash: sha256,
      fault,
      perform: (run, effect, signal) => perform(props, run, effect, signal),
      publish: (events, run) => this.#publish(events, run),
      alarm: (at) => this.#setAlarm(at),
    })
  }

  #publish(events: readonly RunEvent[], run: Run): void {
    this.#live.wake()
    for (const wake of this.#waiters) wake()
    if (events.some((e) => e.type.startsWith("run."))) this.#note(run)
  }

  /** The tenant's list of runs is told, and nothing waits for it. What did not arrive is said again at the next alarm. */
  #note(run: Run): void {
    const { tenant } = this.#identity()
    if (tenant === undefined || this.#noted === `${run.status}${run.seq}`) return
    const { steps: _steps, output: _output, inputs: _inputs, task: _task, pinned: _pinned, ...row } = view(run)
    const word = `${run.status}${run.seq}`
    const told = tenantPort(this.env, tenant).noteRun({
      id: run.id,
      flow: run.flow,
      status: run.status,
      created: run.started,
      ...(run.ended === undefined ? {} : { ended: run.ended }),
      view: JSON.parse(JSON.stringify(row)),
    })
    this.ctx.waitUntil(
      told.then(
        () => (this.#noted = word),
        (e: unknown) => {
          fault("note run", e)
          this.#setAlarm(Date.now() + WATCHDOG_MS)
        },
      ),
    )
  }

  #identity(): { tenant?: string } {
    const [started] = this.#journal.read(0, 1)
    return started?.type === "run.started" && started.tenant !== undefined ? { tenant: started.tenant } : {}
  }

  #blobs(): Blobs | undefined {
    const { tenant } = this.#identity()
    return tenant === undefined ? undefined : r2Blobs(this.env, tenant)
  }

  /** One alarm, at the earliest time asked for. One that comes too early only looks and sets the next: cheaper than moving it at
   *  every step, which costs a fifth of the throughput (platform.md §3). */
  #setAlarm(at: number | undefined): void {
    const set = this.#alarmAt ?? null
    const now = Date.now()
    if (at === undefined) {
      if (set === null || set > now + WATCHDOG_MS) return
      // An ended run keeps its watchdog once more: it makes sure that the tenant's list has heard of the end.
      return
    }
    if (set !== null && set > now && set <= at) return
    // An alarm in the past set from within an alarm never fires (platform.md §3).
    this.#alarmAt = Math.max(at, now + 1)
    void this.ctx.storage.setAlarm(this.#alarmAt)
  }
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

function fault(where: string, error: unknown): void {
  const e = error instanceof Error ? error : new Error(String(error))
  console.error(JSON.stringify({ level: "error", event: "run.fault", where, error: e.name, message: e.message, stack: e.stack }))
}
