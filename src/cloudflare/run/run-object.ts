// RunObject: one run, one Durable Object. It connects the conductor to SQLite, the alarm, the tenant and the readers. Core decides what
// happens in a run. The object also stores the record of one Idempotency-Key: keys and runs share the name (tenant, id) [H4].
//
// Everything in `this` is a cache of the journal: the object may be evicted, crash or be killed between any two instructions [J10].
//
// Parts share `RunResources` and receive the parts created before them. They reach this object only through `RunEvents`.

import { DurableObject } from "cloudflare:workers"
import type { RunEvent } from "../../core/run/event.ts"
import { isOver, type Run } from "../../core/run/state.ts"
import type { RunView } from "../../core/run/views/view.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import { HOLD_MS } from "../../engine/run/conductor.ts"
import { StrandedConductor } from "../../engine/run/stranded-conductor.ts"
import type { ForkRequest, ForkResult } from "../../ports/fork.ts"
import type { RunRpc } from "../../ports/objects.ts"
import type { StartRequest } from "../../ports/run.ts"
import type { HeldWord } from "../../ports/tenant/line.ts"
import type { IdempotencyPort, StoredAnswer } from "../../ports/tenant/idempotency.ts"
import { AwakeRun } from "./awake-run.ts"
import { RunBatches } from "./batch/run-batches.ts"
import type { Env } from "../platform/env.ts"
import { otherFormatIn, ringLater } from "../platform/format.ts"
import { HeldStart } from "./held-start.ts"
import { reopening } from "../platform/reopening.ts"
import { answerOf } from "../platform/rooms.ts"
import { RunDuties } from "./run-duties.ts"
import { emptied } from "./leaving/run-erasure.ts"
import { fault } from "./run-fault.ts"
import { RunEffects } from "./run-effects.ts"
import { RunFiles } from "./run-files.ts"
import { RunLeaving } from "./leaving/run-leaving.ts"
import { RunProof } from "./proof/run-proof.ts"
import { RunAdoption } from "./fork/run-adoption.ts"
import { RunMoments } from "./fork/run-moments.ts"
import { RunSource } from "./fork/run-source.ts"
import { RunTurns } from "./fork/run-turns.ts"
import { RunNotes } from "./run-notes.ts"
import { RunReading } from "./run-reading.ts"
import { runResources, type RunResources } from "./run-resources.ts"
import { RunRetention } from "./leaving/run-retention.ts"
import { RunSignals } from "./run-signals.ts"
import { RunStart } from "./run-start.ts"
import { UnwantedRun } from "./leaving/unwanted-run.ts"
import { RunScoring } from "./scoring/run-scoring.ts"
import { RunStreams } from "./streams/run-streams.ts"
import type { CarriedVault } from "../../ports/secrets.ts"
import { takeSecrets } from "../platform/secret-cache.ts"
import { clock } from "../platform/clock.ts"
import { assertPlace } from "../platform/stubs.ts"

export class RunObject extends DurableObject<Env> implements RunRpc {
  readonly #resources: RunResources
  readonly #self: AwakeRun
  readonly #starts: RunStart
  readonly #duties: RunDuties
  readonly #streams: RunStreams
  readonly #leaving: RunLeaving
  readonly #retention: RunRetention
  readonly #rooms: {
    readonly reading: RunReading
    readonly files: RunFiles
    readonly signals: RunSignals
    readonly effects: RunEffects
    readonly proof: RunProof
    readonly moments: RunMoments
    readonly source: RunSource
    readonly turns: RunTurns
    readonly notes: RunNotes
    readonly batches: RunBatches
    readonly quality: RunScoring
  }
  readonly #adoption: RunAdoption
  /** Why nothing here is read or written. */
  readonly #other: Error | undefined
  /** Turns that have not ended. */
  #turns = 0

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    assertPlace(ctx.id, env)
    this.#other = otherFormatIn(ctx.storage, `the run ${ctx.id.name ?? ctx.id.toString()}`)
    const resources = runResources(ctx, env)
    const self = new AwakeRun(resources)
    const held = new HeldStart(resources)
    const unwanted = new UnwantedRun(resources)
    const starts = new RunStart(resources, self, { held, unwanted, beginFork: (fork, start) => this.#adoption.begin(fork, start) })
    const batches = new RunBatches(resources, self)
    const duties = new RunDuties(resources, self, batches)
    const reading = new RunReading(resources, starts, { tell: (run) => duties.tell(run), settled: () => duties.settled() })
    this.#resources = resources
    this.#self = self
    this.#starts = starts
    this.#adoption = new RunAdoption(resources, self, starts)
    this.#duties = duties
    this.#streams = new RunStreams(resources, self, starts)
    this.#leaving = new RunLeaving(resources, self, starts, duties)
    this.#retention = new RunRetention(resources, self, { held, starts, unwanted, duties })
    this.#rooms = {
      reading,
      files: new RunFiles(resources, self, held, starts),
      signals: new RunSignals(self, { held, starts, reading, below: duties }),
      effects: new RunEffects(resources, self, starts),
      proof: new RunProof(resources, self, starts),
      moments: new RunMoments(resources, starts, () => self.eras()),
      source: new RunSource(resources, self, starts),
      turns: new RunTurns(resources, self, starts),
      notes: new RunNotes(resources, starts),
      batches,
      quality: new RunScoring(resources, self, starts, (path) => this.#rooms.files.file(path)),
    }
    resources.events.listen({
      committed: (events, run) => this.#committed(events, run),
      woke: () => this.#streams.wake(),
      orphaned: (tenant, parent, child) => this.#duties.cancelOrphan(tenant, parent, child),
      delivered: () => this.#retention.rest(),
      retention: (ms) => this.#retention.set(ms),
      erase: (keep) => this.erase(keep),
    })
  }

  /** Calls a method of a room by name. */
  ask(room: string, method: string, args: readonly unknown[]): Promise<unknown> {
    return this.#turn(async () => answerOf(this.#rooms, room, method, args))
  }

  /** `vault`: the vault that the caller's isolate has open. `wait`: the caller waits for the end, a question, or so many milliseconds. */
  start(asked: StartRequest, vault?: CarriedVault, wait?: number): Promise<RunView> {
    return this.#turn(() => this.#start(asked, vault, wait))
  }

  join(asked: StartRequest): Promise<boolean> {
    return this.#turn(() => this.#starts.join(asked))
  }

  async #start(asked: StartRequest, vault?: CarriedVault, wait?: number): Promise<RunView> {
    if (vault) takeSecrets(asked.tenant, vault, clock.now)
    // A start that begins by the answer to its report is in the list with that answer.
    if (asked.listed === true || (asked.held === true && asked.block !== undefined)) this.#duties.isListed(asked.tenant, asked.desk)
    const begun = await this.#starts.start(asked, wait !== undefined)
    if (wait === undefined) return begun
    const { reading } = this.#rooms
    const until = Date.now() + wait
    if (this.#resources.journal.last() === 0) {
      await reading.change(Math.min(wait, HOLD_MS))
      this.#starts.store()
    }
    const seen = await reading.wait(until - Date.now())
    // It is stored, or `store` has thrown. So it was deleted while its caller waited, who learns that it had begun.
    return seen === undefined ? begun : seen
  }

  /** [K7] Begins this object's run as a fork of another one. */
  fork(asked: ForkRequest, vault?: CarriedVault): Promise<ForkResult> {
    if (vault) takeSecrets(asked.tenant, vault, clock.now)
    return this.#turn(() => this.#adoption.fork(asked))
  }

  /** Begins the held start. false: no start is held, and no run has begun here. */
  release(told?: HeldWord): Promise<boolean> {
    return this.#turn(() => this.#starts.told(told))
  }

  supersede(by: string): Promise<boolean> {
    return this.#turn(() => this.#rooms.signals.supersede(by))
  }

  remove(): Promise<boolean> {
    return this.#turn(() => this.#leaving.begin())
  }

  /** [H6] The tenant's retention became shorter. What the run still has to report delays only its deletion. */
  expire(ms: number): Promise<void> {
    return this.#turn(async () => {
      this.#retention.set(ms)
      await this.#resources.alarm.look()
      await this.#retention.isOver()
    })
  }

  begin(digest: string): Promise<Awaited<ReturnType<IdempotencyPort["begin"]>>> {
    return this.#turn(async () => {
      const begun = this.#resources.record.begin(digest)
      await this.#retention.keepRecord()
      return begun
    })
  }

  end(digest: string, answer: StoredAnswer | null): Promise<void> {
    return this.#turn(async () => {
      this.#resources.record.end(digest, answer)
      await this.#retention.keepRecord()
    })
  }

  /** The live stream; everything else is RPC. */
  override fetch(request: Request): Promise<Response> {
    return this.#turn(() => this.#streams.open(request))
  }

  /** Closes the readers that a revoked key let in. */
  async dropKey(key: string): Promise<void> {
    this.#streams.drop(key)
  }

  override webSocketMessage(socket: WebSocket): Promise<void> {
    return this.#turn(() => this.#streams.acknowledge(socket))
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    this.#streams.closed(socket, code)
  }

  override webSocketError(): void {
    // A reader that leaves changes nothing for the run [J12].
  }

  /** Erases the run at once: aborts its effects, ends its readers, and sends no messages. `keep`: the answer stored for an Idempotency-Key
   *  stays for 24 hours [H4]; otherwise nothing stays [N3]. Safe to repeat. */
  async erase(keep?: "answer"): Promise<void> {
    if (this.#other) throw this.#other
    const { alarm, bodies, bytes, containers, journal, live, projections, record, sessions } = this.#resources
    this.#self.halt()
    await containers.abandon(this.#self.tenant)
    // Ending a sandbox takes a while, and a request may have folded the run again in the meantime.
    this.#self.halt()
    this.#self.forget()
    this.#retention.set(undefined)
    this.#duties.forget()
    this.#rooms.batches.forget()
    sessions.forget()
    bytes.forget()
    bodies.forget()
    alarm.forget()
    // Whoever waits for this run learns that it is gone.
    this.#rooms.effects.gone()
    const kept = keep === "answer" ? record.kept() : undefined
    await emptied(this.ctx.storage, () => {
      journal.forget()
      record.restore(kept)
    })
    alarm.want("record", record.until())
    // A request may have asked who the run is while its storage was emptied.
    this.#self.forget()
    projections.forget()
    live.end()
    this.#rooms.reading.changed()
  }

  /** [J12] Never throws: the platform repeats a failing alarm six times and then drops it. */
  override async alarm(): Promise<void> {
    if (this.#other) return ringLater(this.ctx.storage, this.#other)
    const { alarm, connections, failures, invocation } = this.#resources
    alarm.rang()
    // This is what it was set for.
    alarm.drop("watchdog")
    connections.renew()
    invocation.renew()
    try {
      await this.#turn(() => this.#ring())
      failures.clear()
      alarm.drop("failures")
    } catch (e) {
      fault("alarm", e)
      const count = failures.add()
      if (!failures.isHopeless || !this.#giveUp(count, e)) alarm.want("failures", failures.retryAt(count))
    }
  }

  async #ring(): Promise<void> {
    const self = this.#self
    if (self.isLeaving) return this.#leaving.goOn()
    if (await this.#retention.isOver()) return
    // The definitions may be available again, and a run folded without them is then of no use.
    if (self.conductor instanceof StrandedConductor) {
      self.drop()
      this.#resources.projections.forget()
    }
    const conductor = await self.awake()
    conductor?.tick()
    if (conductor instanceof StrandedConductor && !isOver(conductor.run)) throw new Error(conductor.why)
    if (!conductor) return
    this.#rooms.batches.ring(conductor.run)
    this.#duties.tell(conductor.run)
  }

  /** [J12] The law of the alarm holds at the end of every turn. Where people develop and test, a turn that breaks it fails. */
  async #turn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#other) throw this.#other
    this.#turns++
    try {
      return await reopening(this.ctx, work)
    } finally {
      this.#turns--
      this.#resources.alarm.settle()
      this.#assertAlarm()
    }
  }

  /** An alarm that rings is a turn too, and sets the next one at its end. */
  #assertAlarm(): void {
    if (this.#resources.env.ENVIRONMENT !== "local" || this.#turns > 0) return
    const { unkept } = this.#retention
    if (unkept !== undefined) throw new Error(`no alarm is set for: ${unkept}`)
  }

  /** Ends the run. false: the end cannot be written, for example because the definitions do not load, or the run has ended and is being
   *  deleted. The alarm then tries again at long intervals. */
  #giveUp(failures: number, e: unknown): boolean {
    const why = messageOf(e, "unknown error")
    const { isLeaving, conductor } = this.#self
    try {
      if (isLeaving || (conductor && isOver(conductor.run))) return false
      conductor?.tell({ type: "broken", message: `the run could not be continued ${failures} times in a row: ${why}` })
      return this.#self.conductor !== undefined
    } catch (again) {
      fault("alarm", again)
      return false
    }
  }

  #committed(events: readonly RunEvent[], run: Run): void {
    const { alarm, bodies, live, sessions } = this.#resources
    bodies.committed(events)
    live.wake(events)
    this.#rooms.effects.committed(events)
    const isOfRun = events.some((e) => e.type.startsWith("run."))
    // [J14] The object may be killed before its messages arrive, so a run without timers also gets an alarm.
    if (isOfRun || run.status === "paused" || sessions.unsaved(run) > 0) alarm.watch("watchdog")
    this.#rooms.batches.committed(run)
    this.#duties.tell(run)
    // Waiting callers wait for a change of the run's status.
    if (isOfRun) this.#rooms.reading.changed()
  }
}
