// RunObject: one run, one Durable Object. It wires the conductor to SQLite, the alarm, the tenant and the readers; what happens
// in a run is decided in core. Also keeps the record of one Idempotency-Key: keys and runs share the name (tenant, id) [H4].
//
// Everything in `this` is a cache of the journal: the object may be evicted, crash or be killed between any two instructions [J10].

import { DurableObject } from "cloudflare:workers"
import type { RunEvent } from "../../core/run/event.ts"
import { isOver, type Run } from "../../core/run/state.ts"
import type { RunView } from "../../core/run/views/view.ts"
import { WATCHDOG_MS } from "../../engine/run/conductor.ts"
import { StrandedConductor } from "../../engine/run/stranded-conductor.ts"
import type { IdempotencyPort, StartRequest, StoredAnswer } from "../../ports/run.ts"
import { AwakeRun } from "./awake-run.ts"
import { RunContainers } from "../sandbox/containers.ts"
import { Duties } from "./duties.ts"
import type { Env } from "../platform/env.ts"
import { HeldStart } from "./held-start.ts"
import { IdempotencyRecord } from "./idempotency-record.ts"
import { SqlJournal } from "./journal-sql.ts"
import { LiveFrames } from "./live-frames.ts"
import { answerOf } from "../platform/rooms.ts"
import { RunAlarm } from "./run-alarm.ts"
import { RunBytes } from "./run-bytes.ts"
import { RunDuties } from "./run-duties.ts"
import { emptied } from "./run-erasure.ts"
import { fault } from "./run-fault.ts"
import { RunLeaving } from "./run-leaving.ts"
import { RunProjections } from "./run-projections.ts"
import { RunReading } from "./run-reading.ts"
import { RunRetention } from "./run-retention.ts"
import { RunSignals } from "./run-signals.ts"
import { RunStart } from "./run-start.ts"
import { RunStreams } from "./run-streams.ts"
import { RunTelemetry } from "./run-telemetry.ts"
import { SessionSaving } from "./session-saving.ts"
import { sha256 } from "../platform/sha256.ts"
import { assertPlace } from "../platform/stubs.ts"

/** [J12] An alarm that fails this often in a row ends the run: it would fail for ever. */
const ALARM_TRIES = 12
/** What cannot be ended either, because its store does not answer, is looked at this often: a store may come back. */
const SLOWEST_TRY_MS = 3_600_000
const FAILURES = "alarm_failures"

/** What a run's port asks for. */
export interface RunRooms {
  readonly reading: RunReading
  readonly signals: RunSignals
}

export class RunObject extends DurableObject<Env> implements IdempotencyPort {
  readonly #journal: SqlJournal
  readonly #record: IdempotencyRecord
  readonly #live = new LiveFrames()
  readonly #alarm: RunAlarm
  readonly #bytes: RunBytes
  readonly #containers: RunContainers
  readonly #self: AwakeRun
  readonly #starts: RunStart
  readonly #words: RunDuties
  readonly #sessions: SessionSaving
  readonly #projections: RunProjections
  readonly #streams: RunStreams
  readonly #leaving: RunLeaving
  readonly #retention: RunRetention
  readonly #rooms: RunRooms

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    assertPlace(ctx.id, env)
    const { kv } = ctx.storage
    const later = (work: Promise<unknown>): void => ctx.waitUntil(work)
    const erase = (keep?: "answer"): Promise<void> => this.erase(keep)
    const [journal, alarm, live] = [new SqlJournal(ctx.storage), new RunAlarm(ctx.storage), this.#live]
    const record = new IdempotencyRecord(ctx.storage)
    const bytes = new RunBytes(ctx.storage, () => journal.size())
    const containers = new RunContainers(env, kv)
    const telemetry = new RunTelemetry(env, kv, journal, sha256, () => Date.now())
    const sessions = new SessionSaving(env, kv, journal)
    const self = new AwakeRun({
      env,
      kv,
      journal,
      live,
      alarm,
      bytes,
      containers,
      later,
      publish: (events, run) => this.#publish(events, run),
      forsake: (...child) => this.#words.forsake(...child),
      woke: () => this.#streams.wake(),
    })
    const held = new HeldStart({ env, kv, journal, live, later })
    const starts = new RunStart({ env, self, held, journal, erase })
    const run = (): Promise<Run | undefined> => starts.run()
    const duties = new Duties({
      later,
      heard: () => this.#retention.rest(),
      failed: (word, e) => {
        fault(word, e)
        alarm.want(Date.now() + WATCHDOG_MS)
      },
    })
    const heard = (ms: number): void => this.#retention.heard(ms)
    const words = new RunDuties({ env, self, duties, alarm, sessions, telemetry, containers, bytes, heard, erase }, kv)
    const projections = new RunProjections(journal)
    const reading = new RunReading({ run, journal, projections, blobs: () => self.blobs, settled: (ms) => sessions.settled(ms) })
    this.#journal = journal
    this.#record = record
    this.#alarm = alarm
    this.#bytes = bytes
    this.#containers = containers
    this.#self = self
    this.#starts = starts
    this.#words = words
    this.#sessions = sessions
    this.#projections = projections
    this.#streams = new RunStreams({ env, ctx, self, journal, live, projections, run })
    const isHopeless = (): boolean => Number(kv.get(FAILURES) ?? 0) >= ALARM_TRIES
    this.#leaving = new RunLeaving({ env, self, held, starts, journal, alarm, duties, words, erase, isHopeless })
    this.#retention = new RunRetention({ env, self, held, journal, record, alarm, duties, telemetry, erase })
    this.#rooms = { reading, signals: new RunSignals({ self, held, starts, reading }) }
  }

  /** A method of a room, by name. */
  async ask(room: string, method: string, args: readonly unknown[]): Promise<unknown> {
    return answerOf(this.#rooms, room, method, args)
  }

  start(asked: StartRequest): Promise<RunView> {
    return this.#starts.start(asked)
  }

  /** There is room for what is held; false: nothing is, and no run has begun here. */
  release(): Promise<boolean> {
    return this.#starts.release()
  }

  remove(): Promise<boolean> {
    return this.#leaving.begin()
  }

  /** [H6] The tenant keeps its runs for less time than it did: whoever waits for the old one looks again. */
  async expire(): Promise<void> {
    await this.#alarm.look()
    await this.#retention.isOver()
  }

  async begin(digest: string): Promise<Awaited<ReturnType<IdempotencyPort["begin"]>>> {
    const begun = this.#record.begin(digest)
    await this.#retention.keepRecord()
    return begun
  }

  async end(digest: string, answer: StoredAnswer | null): Promise<void> {
    this.#record.end(digest, answer)
    await this.#retention.keepRecord()
  }

  /** The live stream; everything else is RPC. */
  override fetch(request: Request): Promise<Response> {
    return this.#streams.open(request)
  }

  /** The key is revoked. */
  async dropKey(key: string): Promise<void> {
    this.#streams.drop(key)
  }

  override webSocketMessage(socket: WebSocket): Promise<void> {
    return this.#streams.heard(socket)
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    this.#streams.closed(socket, code)
  }

  override webSocketError(): void {
    // The reader went away: that changes nothing for the run [J12].
  }

  /** Takes the run away as it is: what it does is aborted, readers end, nobody is told of anything. `keep`: the answer kept for an
   *  Idempotency-Key stays its day [H4]; otherwise nothing stays [N3]. Safe to repeat. */
  async erase(keep?: "answer"): Promise<void> {
    this.#self.halt()
    await this.#containers.abandon(this.#self.tenant)
    // A sandbox takes its time: whoever looked meanwhile has the run folded again.
    this.#self.halt()
    this.#self.forget()
    this.#retention.heard(undefined)
    this.#words.forget()
    this.#sessions.forget()
    this.#bytes.forget()
    this.#alarm.gone()
    const until = keep === "answer" ? this.#record.until() : undefined
    await emptied(this.ctx.storage, until === undefined ? undefined : keep)
    this.#alarm.want(until)
    this.#journal.forget()
    this.#projections.forget()
    this.#live.end()
    this.#rooms.reading.changed()
  }

  /** [J12] Never throws: a failing alarm would be retried by the platform six times and then forgotten. */
  override async alarm(): Promise<void> {
    const { kv } = this.ctx.storage
    this.#alarm.gone()
    try {
      await this.#ring()
      if (kv.get(FAILURES) !== undefined) kv.delete(FAILURES)
    } catch (e) {
      fault("alarm", e)
      const failures = Number(kv.get(FAILURES) ?? 0) + 1
      kv.put(FAILURES, failures)
      if (failures < ALARM_TRIES || !this.#giveUp(failures, e))
        this.#alarm.want(Date.now() + Math.min(SLOWEST_TRY_MS, 1_000 * 2 ** failures))
    }
  }

  async #ring(): Promise<void> {
    const self = this.#self
    if (self.isLeaving) return this.#leaving.goOn()
    if (await this.#retention.isOver()) return
    // Its definitions may be there again; what was read without them is of no use then.
    if (self.conductor instanceof StrandedConductor) {
      self.drop()
      this.#projections.forget()
    }
    const conductor = await self.awake()
    conductor?.tick()
    if (conductor instanceof StrandedConductor && !isOver(conductor.run)) throw new Error(conductor.why)
    if (conductor) this.#words.tell(conductor.run)
  }

  /** Ends the run; false when that cannot even be written down, as when its definitions do not load, or when it has ended and is to go:
   *  then it is tried again, slowly. */
  #giveUp(failures: number, e: unknown): boolean {
    const why = e instanceof Error ? e.message : "unknown error"
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

  #publish(events: readonly RunEvent[], run: Run): void {
    this.#live.wake(events)
    const isOfRun = events.some((e) => e.type.startsWith("run."))
    // [J14] A kill before the others have heard must not be the last word: a run without timers is looked at once more.
    if (isOfRun || run.status === "paused" || this.#sessions.unsaved(run) > 0) this.#alarm.want(Date.now() + WATCHDOG_MS)
    this.#words.tell(run)
    // Whoever waits, waits for a change of the run's own status.
    if (isOfRun) this.#rooms.reading.changed()
  }
}
