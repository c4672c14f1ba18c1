// RunObject: one run, one Durable Object. It connects the conductor to SQLite, the alarm, the tenant and the readers; what happens in a run
// is decided in core. It also keeps the record of one Idempotency-Key: keys and runs share the name (tenant, id) [H4].
//
// Everything in `this` is a cache of the journal: the object may be evicted, crash or be killed between any two instructions [J10].
//
// Parts share `RunResources` and take the parts made before them. Upwards they speak through `RunEvents` alone.

import { DurableObject } from "cloudflare:workers"
import type { RunEvent } from "../../core/run/event.ts"
import { isOver, type Run } from "../../core/run/state.ts"
import type { RunView } from "../../core/run/views/view.ts"
import { WATCHDOG_MS } from "../../engine/run/conductor.ts"
import { StrandedConductor } from "../../engine/run/stranded-conductor.ts"
import type { RunRpc } from "../../ports/objects.ts"
import type { IdempotencyPort, StartRequest, StoredAnswer } from "../../ports/run.ts"
import { AwakeRun } from "./awake-run.ts"
import type { Env } from "../platform/env.ts"
import { HeldStart } from "./held-start.ts"
import { answerOf } from "../platform/rooms.ts"
import { RunDuties } from "./run-duties.ts"
import { emptied } from "./run-erasure.ts"
import { fault } from "./run-fault.ts"
import { RunLeaving } from "./run-leaving.ts"
import { RunReading } from "./run-reading.ts"
import { runResources, type RunResources } from "./run-resources.ts"
import { RunRetention } from "./run-retention.ts"
import { RunSignals } from "./run-signals.ts"
import { RunStart } from "./run-start.ts"
import { RunStreams } from "./run-streams.ts"
import type { CarriedVault } from "../../ports/secrets.ts"
import { takeSecrets } from "../clients/secret-cache.ts"
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
  readonly #rooms: { readonly reading: RunReading; readonly signals: RunSignals }

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    assertPlace(ctx.id, env)
    const resources = runResources(ctx, env)
    const self = new AwakeRun(resources)
    const held = new HeldStart(resources)
    const starts = new RunStart(resources, self, held)
    const duties = new RunDuties(resources, self)
    const reading = new RunReading(resources, self, starts)
    this.#resources = resources
    this.#self = self
    this.#starts = starts
    this.#duties = duties
    this.#streams = new RunStreams(resources, self, starts)
    this.#leaving = new RunLeaving(resources, self, starts, duties)
    this.#retention = new RunRetention(resources, self, held, duties)
    this.#rooms = { reading, signals: new RunSignals(self, held, starts, reading) }
    resources.events.listen({
      committed: (events, run) => this.#committed(events, run),
      woke: () => this.#streams.wake(),
      orphaned: (tenant, parent, child) => this.#duties.cancelOrphan(tenant, parent, child),
      delivered: () => this.#retention.rest(),
      retention: (ms) => this.#retention.heard(ms),
      erase: (keep) => this.erase(keep),
    })
  }

  /** Calls a method of a room by name. */
  async ask(room: string, method: string, args: readonly unknown[]): Promise<unknown> {
    return answerOf(this.#rooms, room, method, args)
  }

  /** `vault`: as the caller's isolate has it. */
  start(asked: StartRequest, vault?: CarriedVault): Promise<RunView> {
    if (vault) takeSecrets(asked.tenant, vault, clock.now)
    return this.#starts.start(asked)
  }

  /** There is room for the held start; false: none is held, and no run has begun here. */
  release(): Promise<boolean> {
    return this.#starts.release()
  }

  remove(): Promise<boolean> {
    return this.#leaving.begin()
  }

  /** [H6] The tenant now keeps its runs for a shorter time. */
  async expire(): Promise<void> {
    await this.#resources.alarm.look()
    await this.#retention.isOver()
  }

  async begin(digest: string): Promise<Awaited<ReturnType<IdempotencyPort["begin"]>>> {
    const begun = this.#resources.record.begin(digest)
    await this.#retention.keepRecord()
    return begun
  }

  async end(digest: string, answer: StoredAnswer | null): Promise<void> {
    this.#resources.record.end(digest, answer)
    await this.#retention.keepRecord()
  }

  /** The live stream; all other requests are RPC. */
  override fetch(request: Request): Promise<Response> {
    return this.#streams.open(request)
  }

  /** The key is revoked: readers that it let in have to go. */
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
    // A reader that goes away changes nothing for the run [J12].
  }

  /** Erases the run as it is: what it does is aborted, readers end, no one is told. `keep`: the answer kept for an Idempotency-Key stays
   *  for its day [H4]; otherwise nothing stays [N3]. Safe to repeat. */
  async erase(keep?: "answer"): Promise<void> {
    const { alarm, bytes, containers, journal, live, projections, record, sessions } = this.#resources
    this.#self.halt()
    await containers.abandon(this.#self.tenant)
    // A sandbox takes its time: a request meanwhile may have folded the run again.
    this.#self.halt()
    this.#self.forget()
    this.#retention.heard(undefined)
    this.#duties.forget()
    sessions.forget()
    bytes.forget()
    alarm.gone()
    const until = keep === "answer" ? record.until() : undefined
    await emptied(this.ctx.storage, until === undefined ? undefined : keep)
    alarm.want(until)
    journal.forget()
    projections.forget()
    live.end()
    this.#rooms.reading.changed()
  }

  /** [J12] Never throws: the platform would repeat a failing alarm six times and then forget it. */
  override async alarm(): Promise<void> {
    const { alarm, failures } = this.#resources
    alarm.gone()
    try {
      await this.#ring()
      failures.clear()
    } catch (e) {
      fault("alarm", e)
      const count = failures.add()
      if (!failures.isHopeless || !this.#giveUp(count, e)) alarm.want(failures.retryAt(count))
    }
  }

  async #ring(): Promise<void> {
    const self = this.#self
    if (self.isLeaving) return this.#leaving.goOn()
    if (await this.#retention.isOver()) return
    // The definitions may be there again; what was read without them is of no use then.
    if (self.conductor instanceof StrandedConductor) {
      self.drop()
      this.#resources.projections.forget()
    }
    const conductor = await self.awake()
    conductor?.tick()
    if (conductor instanceof StrandedConductor && !isOver(conductor.run)) throw new Error(conductor.why)
    if (conductor) this.#duties.tell(conductor.run)
  }

  /** Ends the run; false when the end cannot be written down, as when the definitions do not load, or when the run has ended and is being
   *  deleted: then it is tried again, slowly. */
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

  #committed(events: readonly RunEvent[], run: Run): void {
    const { alarm, live, sessions } = this.#resources
    live.wake(events)
    const isOfRun = events.some((e) => e.type.startsWith("run."))
    // [J14] The object may be killed before the others have heard: a run without timers is looked at once more.
    if (isOfRun || run.status === "paused" || sessions.unsaved(run) > 0) alarm.want(Date.now() + WATCHDOG_MS)
    this.#duties.tell(run)
    // Waiting callers wait for a change of the run's own status.
    if (isOfRun) this.#rooms.reading.changed()
  }
}
