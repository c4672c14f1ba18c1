// Begins a run immediately, or queues it until there is room [H6]. A repeated start returns the existing run.

import { defined } from "../../core/defined.ts"
import type { Run } from "../../core/run/state.ts"
import { NO_SECRETS, type Redactor } from "../../core/secrets/redact.ts"
import { runView, type RunView } from "../../core/run/views/view.ts"
import type { Conductor } from "../../engine/run/conductor.ts"
import { DefinitionsLost } from "../../engine/catalog/definitions.ts"
import { moneyNow, noPrice } from "../../engine/catalog/pin/start-money.ts"
import { effectsMode } from "../../core/tool/policy/effects-mode.ts"
import { startChanges } from "../../engine/run/begin/start-files.ts"
import type { Blobs } from "../../ports/blobs.ts"
import { contentBlobs } from "../clients/content-blobs.ts"
import type { HeldFork } from "../../ports/fork.ts"
import type { StartRequest } from "../../ports/run.ts"
import type { AwakeRun } from "./awake-run.ts"
import { openVault } from "../clients/secrets.ts"
import { clock } from "../platform/clock.ts"
import { portOf } from "../platform/port-of.ts"
import type { StartTimes } from "../../core/run/event-parts.ts"
import type { Signal } from "../../core/run/signal.ts"
import { obeyedTimes } from "../../core/run/obeyed-times.ts"
import { shownWait, type StartWait } from "../../core/start/start-wait.ts"
import type { HeldWord, StartWord } from "../../ports/tenant/line.ts"
import type { Held, HeldStart } from "./held-start.ts"
import type { RunResources } from "./run-resources.ts"
import { sha256 } from "../platform/sha256.ts"
import { sessionOfThread } from "../../core/run/thread.ts"
import { startedOf } from "./run-started.ts"
import type { UnwantedRun } from "./leaving/unwanted-run.ts"

const UNSTORED = "the start of the run could not be stored"
/** The shortest window; a shorter delay is judged by the rules of its arrival. */
const LEAST_WAIT_MS = 1_000
const LEFT_OUT = "the run began without this start, which came late: start again"
const ERASED = "the run was erased while it began"

export class RunStart {
  readonly #resources: RunResources
  readonly #self: AwakeRun
  readonly #held: HeldStart
  readonly #unwanted: UnwantedRun
  readonly #beginFork: BeginFork
  /** [R11] The held start was read and begins: whoever would join it now is decided anew. */
  #isBeginning = false

  constructor(resources: RunResources, self: AwakeRun, { held, unwanted, beginFork }: StartDeps) {
    this.#resources = resources
    this.#self = self
    this.#held = held
    this.#unwanted = unwanted
    this.#beginFork = beginFork
  }

  /** `waits`: the caller is answered when the run has ended, or by what is stored then. So the start may share the commit of what follows from
   *  it: until the answer, the caller knows of no run. `how`: what became of a start that was held. */
  async start(asked: StartRequest, waits = false, how: Unheld = {}): Promise<RunView> {
    const [self, unwanted] = [this.#self, this.#unwanted]
    const request = await this.#cleaned(asked)
    if ((await self.awake()) === undefined) {
      if (request.cannot !== undefined) return this.#refuse(request, request.cannot)
      const end = unwanted.until() === undefined ? endOf(how) : { canceled: true as const }
      if (request.held === true && !end) return this.#queue(request)
      await self.begin((isOn) => this.#begin(request, { waits, end, start: timesOf(request, how) }, isOn))
      // [R11] What opened the window came when the others of it had begun. Asked again, it is decided anew.
    } else if (request.number !== undefined && this.#resources.journal.last() > 0 && !this.#held.hasJoined(request))
      throw new Error(LEFT_OUT)
    return runView(waits ? this.#conductor().ahead : this.#conductor().run)
  }

  async #cleaned(asked: StartRequest): Promise<StartRequest> {
    const said = {
      task: asked.task,
      inputs: asked.inputs,
      ...defined({ thread: asked.thread, tags: asked.tags, payload: asked.payload, conversation: asked.conversation }),
    }
    return threaded({ ...asked, ...(await this.#self.clean(said, asked.tenant)) })
  }

  /** [R11] Keeps a start that joined the window of this run. false: the run has begun, or will never begin, without it, or is deleted. */
  async join(asked: StartRequest): Promise<boolean> {
    const request = await this.#cleaned(asked)
    const held = this.#held
    if (this.#resources.journal.last() > 0 || this.#unwanted.until() !== undefined) return held.hasJoined(request)
    if (this.#isBeginning) return held.has(request)
    const isFirst = held.read() === undefined
    held.keep(request)
    // The first that comes reports the run; the tenant also hears of files that are its now.
    const told = isFirst || (request.files ?? []).length > 0 ? await held.tell() : undefined
    if (told?.word) await this.release({ word: told.word })
    // Its tenant may have said that the run is deleted: then nothing is kept here.
    return this.#resources.journal.last() > 0 || held.read() !== undefined
  }

  /** A start that could not be written did not happen, so until it is written callers find no run here. */
  async #begin(
    request: StartRequest,
    { waits, end, start }: { readonly waits: boolean; readonly end: End | undefined; readonly start: StartTimes | undefined },
    isOn: () => boolean,
  ): Promise<void> {
    const { env, journal } = this.#resources
    const [self, held] = [this.#self, this.#held]
    const { tenant, run, daily } = request
    const conductor = await self.conduct(request)
    // The start includes the first slice of the tenant's daily budget, so that no call waits for it [B4].
    const isDaily = daily === true && !end && journal.last() === 0
    // A child has no place of its own, by which the tenant would know that it has not begun: its parent starts it again.
    const key = request.parent ? "child" : "start"
    const lease = isDaily ? await portOf(env, tenant, "dayBudget").lease(run, key, {}) : undefined
    if (!isOn()) throw new Error(ERASED)
    if (journal.last() > 0) return
    // [H5] A held start may have been paused, resumed, canceled or sent signals during these reads.
    const kept = held.read()
    const isUnwanted = this.#unwanted.until() !== undefined
    const ends = isUnwanted ? { canceled: true as const } : end
    const how = ends ?? (kept?.paused ? { paused: true as const } : {})
    const started = startedOf(request, start)
    self.began(started)
    self.take(conductor)
    try {
      const mayWait = waits && lease === undefined && kept === undefined && !ends
      conductor.tell({ type: "start", started, ...defined({ lease }), ...how }, { files: startChanges(request), mayWait })
      // In the same turn, and so in the same commit.
      if (!ends) for (const signal of kept?.signals ?? []) conductor.tell({ type: "signal", ...signal })
      // Another start than its release may have begun it.
      if (kept) held.forget()
      if (isUnwanted) this.#unwanted.forget()
    } catch (e) {
      if (journal.last() === 0) self.drop()
      throw e
    }
  }

  /** Stores a start that waited for the commit of what follows. Throws if it cannot be stored: then no run is here. */
  store(): void {
    const { journal } = this.#resources
    if (journal.last() > 0 || this.#held.read()) return
    try {
      this.#self.conductor?.save()
      if (journal.last() === 0) throw new Error(UNSTORED)
    } catch (e) {
      this.#self.drop()
      throw e
    }
  }

  #conductor(): Conductor {
    const { conductor } = this.#self
    if (!conductor) throw new Error(this.#resources.journal.last() === 0 ? UNSTORED : ERASED)
    return conductor
  }

  /** [R20] What the tenant's object says of the start. false: no start is held, and no run has begun here. Safe to repeat. */
  async told(what: HeldWord | undefined): Promise<boolean> {
    if (what === undefined) return this.release()
    if (what !== "report") return this.release("word" in what ? what : { ...what.end, times: what.times })
    return this.report()
  }

  /** Reports a held start once more. false: no start is held, and no run has begun here. */
  async report(): Promise<boolean> {
    const word = (await this.#held.tell())?.word
    if (word) await this.release({ word })
    return this.#held.read() !== undefined || this.#resources.journal.last() > 0
  }

  /** Begins the held start. false: no start is held, and no run has begun here. Safe to repeat. */
  async release(how: Unheld = {}): Promise<boolean> {
    const kept = this.#held.read()
    if (!kept) return this.#resources.journal.last() > 0
    // It stands in line: only the word lets it begin.
    if (kept.block !== undefined && how.word === undefined && endOf(how) === undefined) return true
    this.#isBeginning = true
    try {
      await this.#released(kept, how)
      return true
    } finally {
      this.#isBeginning = false
    }
  }

  async #released(kept: Held, how: Unheld): Promise<void> {
    const [self, held] = [this.#self, this.#held]
    const { held: _held, at: _at, paused: _paused, signals: _signals, ...request } = kept
    // [R19] Whoever ends it without the tenant's object's word knows its arrival alone: it never began.
    const told: Unheld = how.word === undefined && how.times === undefined ? { ...how, times: { arrived: kept.at } } : how
    const start = timesOf(request, told)
    const fork = endOf(told) ? undefined : held.fork()
    if (fork) return this.#forked(fork, kept, told)
    const { cannot, ...now } = hasWaited(told) ? await this.#grounded(request, told.mark) : request
    const ends: Unheld = cannot === undefined ? told : { ...told, cannot }
    await this.start(now, false, ends).catch((e: unknown) => {
      if (!(e instanceof DefinitionsLost)) throw e
      const stranded = self.strand(request.flow, e.message)
      self.drop()
      self.take(stranded)
      stranded.tell({ type: "start", started: startedOf(request, start), ...endOf(ends) })
    })
    held.forget()
  }

  /** [R44] A fork that stood in line begins, or fails if it cannot begin by what the tenant says now [R13]. */
  async #forked(fork: HeldFork, { held: _held, at: _at, paused: _paused, signals = [], ...request }: Held, told: Unheld): Promise<void> {
    const cannot = await this.#beginFork(fork, timesOf(request, told))
    if (cannot !== undefined) await this.start(request, false, { ...told, cannot })
    else for (const signal of signals) this.#conductor().tell({ type: "signal", ...signal })
    this.#held.forget()
  }

  /** Stores a fork that is to stand in line, as the request that it would be. */
  lineFork(request: StartRequest, fork: HeldFork): Promise<RunView> {
    this.#held.keepFork(request, fork)
    return this.#reported()
  }

  /** [R13] Rules, prices, the day, the bounds of its budget [B6] and the floor of effects [K30] are those of the beginning. `cannot`: it cannot
   *  begin by them. Nothing is asked if they are still those of the arrival. */
  async #grounded(request: StartRequest, mark: string | undefined): Promise<StartRequest> {
    const { tenant, flow, pins, ownMoney } = request
    // A child has its parent's money.
    if (ownMoney === undefined) return ruledBy(request, request.rules && (await this.#self.rules(request.rules.version, tenant)))
    if (mark !== undefined && mark === ownMoney.mark) return request
    const ground = await portOf(this.#resources.env, tenant, "starts").groundFork({ flow, pins })
    if (!ground.ok) return request
    const money = moneyNow(pins, ownMoney, ground.money)
    if (!money.ok) return { ...request, cannot: noPrice(money.error) }
    const { prices: _prices, daily: _daily, ...rest } = request
    return ruledBy({ ...rest, budget: {}, ...money.value }, ground.rules)
  }

  /** Also of a run that has not begun. */
  get blobs(): Blobs | undefined {
    const tenant = this.#tenant()
    return tenant === undefined ? undefined : contentBlobs(this.#resources.env, tenant, { later: this.#resources.later })
  }

  /** What takes the tenant's secrets out of a body, also for a run that has not begun. */
  async redactor(): Promise<Redactor> {
    const tenant = this.#tenant()
    return tenant === undefined ? NO_SECRETS : (await openVault(this.#resources.env, tenant, clock.now)()).redactor
  }

  /** Without the tenant's secrets [T32], also for a run that has not begun. */
  clean<T>(said: T): Promise<T> {
    return this.#self.clean(said, this.#tenant())
  }

  #tenant(): string | undefined {
    return this.#self.tenant ?? this.#held.read()?.tenant
  }

  /** [R18] With what the run waits for now. */
  async view(run: Run): Promise<RunView> {
    const view = runView(run)
    const held = this.#held.read()
    if (view.status !== "queued" || held === undefined) return view
    return waiting(view, await portOf(this.#resources.env, held.tenant, "starts").waiting(held.run))
  }

  /** The run as it is, or as it will begin; undefined: there is no run. */
  async run(): Promise<Run | undefined> {
    return (await this.#self.awake())?.run ?? (await this.#held.run())
  }

  /** Also one that is being deleted: the call that started it hears of its end [T42]. */
  async lastRun(): Promise<Run | undefined> {
    const self = this.#self
    return (await this.run()) ?? (self.isLeaving ? (self.conductor ?? (await self.wake()))?.run : undefined)
  }

  /** [W8] Records a run that cannot start. The next request folds it from its journal. */
  #refuse(request: StartRequest, why: string): RunView {
    const refused = this.#self.refuse(request.tenant, request.flow, why)
    this.#self.take(refused)
    try {
      refused.tell({ type: "start", started: startedOf(request) })
      return runView(refused.run)
    } finally {
      this.#self.drop()
    }
  }

  /** Stores the start and reports it to the tenant. */
  async #queue(request: StartRequest): Promise<RunView> {
    this.#held.keep(request)
    return this.#reported()
  }

  async #reported(): Promise<RunView> {
    const { word, waits } = (await this.#held.tell()) ?? {}
    if (word) await this.release({ word })
    const run = await this.run()
    if (!run) throw new Error("a run that was just queued cannot be found")
    return waiting(runView(run), waits)
  }

  /** [F23d] The run is not wanted. If it has not begun, it never will. */
  unwanted(): void {
    this.#unwanted.mark()
  }
}

const waiting = (view: RunView, wait: StartWait | undefined): RunView =>
  view.status === "queued" && wait ? { ...view, waiting: shownWait(wait) } : view

/** [K30] By these rules. */
function ruledBy(request: StartRequest, rules: StartRequest["rules"]): StartRequest {
  if (!rules) return request
  const effects = effectsMode(rules.policy, [request.flow, ...Object.keys(request.pins.flows ?? {})], request.effects ?? "live")
  return { ...request, rules, ...(effects === "live" ? {} : { effects }) }
}

/** Begins a fork. The answer: why it cannot begin now. */
type BeginFork = (fork: HeldFork, start: StartTimes | undefined) => Promise<string | undefined>

interface StartDeps {
  readonly held: HeldStart
  readonly unwanted: UnwantedRun
  readonly beginFork: BeginFork
}

/** What became of a held start: it begins, by the word if it stood in line, or it ends without having begun. */
export interface Unheld {
  readonly word?: StartWord
  readonly mark?: string
  readonly canceled?: true
  readonly superseded?: string
  readonly expired?: string
  readonly ring?: string
  /** [R13] Why it cannot begin now. */
  readonly cannot?: string
  /** What the tenant's object knows of a start that ends. */
  readonly times?: StartTimes
}
type End = Pick<Extract<Signal, { type: "start" }>, "canceled" | "superseded" | "cannot">

function endOf({ canceled, superseded, expired, ring, cannot }: Unheld): End | undefined {
  if (superseded !== undefined) return { superseded }
  if (expired !== undefined) return { cannot: { source: "start_expired", message: expired } }
  const never = ring ?? cannot
  if (never !== undefined) return { cannot: { source: "config", message: never } }
  return canceled ? { canceled } : undefined
}

/** For longer than a start takes that nothing holds up. */
const hasWaited = ({ word }: Unheld): boolean =>
  word !== undefined && (word.held !== undefined || (word.ready ?? word.arrived) - word.arrived >= LEAST_WAIT_MS)

/** [R19] */
function timesOf({ block, pace }: StartRequest, { word, times }: Unheld): StartTimes | undefined {
  const now = Date.now()
  if (block === undefined) return pace && { arrived: now, began: now, ...pace }
  const at = word ?? times ?? { arrived: now, ready: now, began: now }
  return { ...obeyedTimes(block, at), ...(pace?.attended && block.priority !== "low" ? { attended: true } : {}) }
}

/** [J25] A start with a thread and no session has the thread's session. The fields keep their order [J3]. */
function threaded(request: StartRequest): StartRequest {
  if (request.thread === undefined || request.session !== undefined) return request
  const session = sessionOfThread(request.thread, sha256)
  return Object.fromEntries(
    Object.entries(request).flatMap((entry) => (entry[0] === "thread" ? [entry, ["session", session]] : [entry])),
  ) as unknown as StartRequest
}
