// Stores a queued start until the tenant's object has room [H6]; until then the run has no journal.

import { apply } from "../../core/run/apply.ts"
import type { StartFile } from "../../core/run/event-parts.ts"
import { EVENT_VERSION } from "../../core/run/event-version.ts"
import { newRun, type Run } from "../../core/run/state.ts"
import type { Signal } from "../../core/run/signal.ts"
import { strandedPlan } from "../../core/run/stranded.ts"
import { signaled } from "../../core/steps/wait.ts"
import { batched, debounced, type Numbered } from "../../engine/run/begin/gathered-start.ts"
import { DefinitionsLost } from "../../engine/catalog/definitions.ts"
import { UNSAID } from "../../core/start/start-block.ts"
import { defined } from "../../core/defined.ts"
import type { HeldFork } from "../../ports/fork.ts"
import type { StartRequest } from "../../ports/run.ts"
import type { ListedRun, Noted } from "../../ports/tenant/run-list.ts"
import { portOf } from "../platform/port-of.ts"
import { loadPlan } from "../definitions/plan.ts"
import type { RunResources } from "./run-resources.ts"
import { rowOf } from "./run-row.ts"
import { startedOf } from "./run-started.ts"

const HELD = "held"
/** [R44] Of a fork: what it begins with. */
const FORK = "held fork"
/** [R10] Each further start of a batch is a row of its own. */
const BATCHED = "held:"
const JOINED = "joined"
/** How long a held start waits before it reports itself again: its tenant's object may have lost the row that waits for room. */
const LOOK_MS = 600_000

interface HeldSignal extends Omit<Extract<Signal, { type: "signal" }>, "type"> {}

/** A queued start. `paused`: the run begins paused [H5]. `signals`: those sent before it begins [F23i]. */
export type Held = StartRequest & { readonly at: number; readonly paused?: true; readonly signals?: readonly HeldSignal[] }
/** `put`: paths of files that were put into the waiting run [F55]. */
type Kept = Held & { readonly put?: readonly string[] }
/** [R11] The numbers of the starts that the run was given. */
type Joined = { readonly highest: number } | { readonly numbers: readonly number[] }

/** [F71] A run that waits for room owns the files of its start. */
const withFiles = (row: ListedRun, { files = [] }: Held): ListedRun => ({
  ...row,
  ...(files.length === 0 ? {} : { bodies: files.map(({ hash }) => hash) }),
})

/** [R21] What a start that waits asks of the tenant's object. */
function linedBy({ block = UNSAID, run, flow, trigger, keyId, parent, paused, above: all }: Held): Pick<ListedRun, "lined"> {
  const { hook, schedule, key } = trigger
  const kind =
    trigger.kind === "webhook" || trigger.kind === "schedule" || trigger.kind === "mcp" || trigger.kind === "child" ? trigger.kind : "api"
  const by = defined({ hook, schedule, api_key: key, key_id: keyId })
  const above = all ?? (parent && [...new Set([parent.run, parent.root ?? parent.run])])
  return { lined: { ask: { run, flow, kind, block, by, ...defined({ above }) }, ...(paused ? { paused } : {}) } }
}

export class HeldStart {
  readonly #resources: RunResources
  /** How many starts came in this life of the object. */
  #keeps = 0

  constructor(resources: RunResources) {
    this.#resources = resources
  }

  /** undefined: no start is held, or the run has begun. As the run will begin, with what every start brought. */
  read(): Held | undefined {
    const kept = this.#kept()
    if (kept === undefined) return undefined
    const { number = 1, put: _put, ...held } = kept
    const into = held.block?.batch?.into
    if (into === undefined) return held
    const rows = [...this.#batched()]
    if (rows.length === 0) return held
    const { at, paused, signals, ...start } = held
    return { ...start, ...batched<StartRequest>([{ number, start }, ...rows], into), at, ...defined({ paused, signals }) }
  }

  /** The row itself. */
  #kept(): Kept | undefined {
    if (this.#hasBegun()) return undefined
    const kept = this.#resources.kv.get(HELD)
    return typeof kept === "string" ? JSON.parse(kept) : undefined
  }

  /** A start that was sent twice may be on its way for longer than the first one took to begin: then nothing is held for it any more. */
  #hasBegun(): boolean {
    return this.#resources.journal.last() > 0
  }

  /** [R44] undefined: the start that is held is no fork. */
  fork(): HeldFork | undefined {
    const text = this.#resources.kv.get(FORK)
    return typeof text === "string" ? JSON.parse(text) : undefined
  }

  keepFork(request: StartRequest, fork: HeldFork): void {
    if (this.#hasBegun()) return
    this.#resources.kv.put(FORK, JSON.stringify(fork))
    this.keep(request)
  }

  *#batched(): Generator<Numbered<StartRequest>> {
    for (const [key, text] of this.#resources.kv.list({ prefix: BATCHED }))
      if (typeof text === "string") yield { number: Number(key.slice(BATCHED.length)), start: JSON.parse(text) }
  }

  keep(request: StartRequest): void {
    if (this.#hasBegun()) return
    const { kv, alarm } = this.#resources
    this.#keeps++
    const kept = this.#kept()
    const now = kept ? this.#next(kept, request) : { ...request, at: Date.now() }
    if (now !== undefined) kv.put(HELD, JSON.stringify(now))
    alarm.want("held start", Date.now() + LOOK_MS)
  }

  /** [R9–R11] The row with another start of the window; undefined: it says the same. */
  #next(kept: Kept, request: StartRequest): Kept | undefined {
    const { at, paused, signals, put = [], ...start } = kept
    const [before, number] = [kept.number ?? 1, request.number ?? 1]
    if (number === before || request.block === undefined) return undefined
    if (request.block.batch) this.#resources.kv.put(`${BATCHED}${number}`, JSON.stringify(request))
    if (!request.block.debounce) return undefined
    const { start: next } = debounced<StartRequest>({ number: before, start }, { number, start: request })
    const own = next.files ?? []
    const stay = (kept.files ?? []).filter(({ path }) => put.includes(path) && own.every((file) => file.path !== path))
    const files = [...own, ...stay]
    const { files: _files, ...rest } = next
    return { ...rest, ...(files.length > 0 ? { files } : {}), at, ...defined({ paused, signals }), ...(put.length > 0 ? { put } : {}) }
  }

  /** [R11] Of a run that waits: was it given this start, or one that followed it? */
  has({ number = 1 }: StartRequest): boolean {
    const kept = this.#kept()
    if (kept === undefined) return false
    const own = kept.number ?? 1
    if (kept.block?.batch) return number === own || this.#resources.kv.get(`${BATCHED}${number}`) !== undefined
    return number <= own
  }

  /** Of a run that has begun: was it given this start, or one that followed it? */
  hasJoined({ number = 1 }: StartRequest): boolean {
    const text = this.#resources.kv.get(JOINED)
    if (typeof text !== "string") return false
    const joined: Joined = JSON.parse(text)
    return "highest" in joined ? number <= joined.highest : joined.numbers.includes(number)
  }

  /** Reports the run to its tenant, which queues it. The answer is the word by which a start that stands in line begins [R20], or what it
   *  waits for; undefined: no start is held, or no line knows of it. */
  async tell(): Promise<Pick<Exclude<Noted, "gone">, "word" | "waits"> | undefined> {
    const { env, events, alarm } = this.#resources
    const held = this.read()
    const run = await this.run()
    if (!held || !run) return undefined
    alarm.want("held start", Date.now() + LOOK_MS)
    const kept = this.#keeps
    const noted = await portOf(env, held.tenant, "runs").note(withFiles({ ...rowOf(run), ...linedBy(held) }, held))
    // What has come meanwhile was not told, and says itself that it is here.
    if (noted === "gone" && kept === this.#keeps) await events.erase()
    return noted === "gone" ? undefined : noted
  }

  /** Keeps a signal for the run, as the run itself would [H4]. undefined: no start is held. */
  async signal(signal: HeldSignal): Promise<"ok" | "too_many" | undefined> {
    const run = await this.run()
    const held = this.read()
    if (!run || !held) return undefined
    const { signals = [] } = held
    if (signal.id !== undefined && signals.some(({ id }) => id === signal.id)) return "ok"
    run.signals.push(...signals)
    if (signaled(run, { type: "signal", ...signal }, []) === undefined) return "too_many"
    this.#resources.kv.put(HELD, JSON.stringify({ ...this.#kept(), signals: [...signals, signal] }))
    return "ok"
  }

  /** false: no start is held. */
  pause(isPaused: boolean): boolean {
    const held = this.#kept()
    if (!held) return false
    const { paused: _before, ...request } = held
    this.#resources.kv.put(HELD, JSON.stringify({ ...request, ...(isPaused ? { paused: true } : {}) }))
    return true
  }

  /** Adds a file to the start, or replaces one. false: no start is held. */
  put(file: StartFile): boolean {
    const held = this.#kept()
    if (!held) return false
    const files = [...(held.files ?? []).filter((before) => before.path !== file.path), file]
    const put = [...new Set([...(held.put ?? []), file.path])]
    this.#resources.kv.put(HELD, JSON.stringify({ ...held, files, ...(held.block?.debounce ? { put } : {}) }))
    return true
  }

  /** What its window had is remembered: a start that is sent again is told that it is in. */
  forget(): void {
    const { kv } = this.#resources
    const text = kv.get(HELD)
    const kept: Kept | undefined = typeof text === "string" ? JSON.parse(text) : undefined
    const { debounce, batch } = kept?.block ?? {}
    const number = kept?.number ?? 1
    const numbers = [number, ...[...this.#batched()].map((one) => one.number)]
    if (debounce || batch) kv.put(JOINED, JSON.stringify((debounce ? { highest: number } : { numbers }) satisfies Joined))
    if (batch) for (const one of numbers.slice(1)) kv.delete(`${BATCHED}${one}`)
    kv.delete(HELD)
    kv.delete(FORK)
    this.#resources.alarm.drop("held start")
  }

  /** The run as it will begin, for callers that read it. */
  async run(): Promise<Run | undefined> {
    const held = this.read()
    if (!held) return undefined
    const { at, paused: _paused, signals: _signals, ...request } = held
    const plan = await loadPlan(this.#resources, request).catch((e: unknown) => {
      if (e instanceof DefinitionsLost) return strandedPlan(request.flow, [])
      throw e
    })
    const run = newRun(plan)
    apply(run, { ...startedOf(request), seq: 0, at, v: EVENT_VERSION, prev: run.head })
    run.seq = 0
    run.status = "queued"
    const fork = this.fork()
    if (fork) run.fork = { run: fork.asked.source, seq: fork.offer.cut }
    return run
  }
}
