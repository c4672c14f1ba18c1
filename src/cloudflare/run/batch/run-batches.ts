// Sends the model calls that runs below a map hand up through the provider's batch API [R32–R37], and tells them what became of these. It is a
// room of the map's run, for calls that are taken, and of each run below, for what they hear.
//
// All of it follows from rows, the run and the time, so a new life of the object goes on where the last one ended. One round at a time; a round
// works in the background, and the alarm is set while it does.

import { counted, dueOf, gathered, lookAfter, type GatheredCall, type Gathering, type Group } from "../../../core/run/batch/gathering.ts"
import { isMapOpen, mayGoOn, nextBatchKey } from "../../../core/run/batch/still.ts"
import { isOver, stepState, type Run } from "../../../core/run/state.ts"
import { failedOf } from "../../../engine/at-once.ts"
import { heardOf } from "../../../engine/run/call/batched-call.ts"
import type { Conductor } from "../../../engine/run/conductor.ts"
import { WATCHDOG_MS } from "../../../engine/run/conduct/next-alarm.ts"
import { StrandedConductor } from "../../../engine/run/stranded-conductor.ts"
import { batchesOf } from "../../../models/batch/batches.ts"
import type { BatchedWord, HandedCall } from "../../../ports/batched-calls.ts"
import type { BatchedCall, BatchedOutcome, ModelBatches } from "../../../ports/model-batches.ts"
import type { ModelError } from "../../../ports/model.ts"
import type { Answers, RunRooms } from "../../../ports/objects.ts"
import { signalAfter } from "../../../ports/timers.ts"
import { cachedProvider } from "../../clients/cache/provider-cache.ts"
import { runRooms } from "../../clients/run-port.ts"
import { openVault } from "../../clients/secrets.ts"
import { clock } from "../../platform/clock.ts"
import { modelDoor } from "../../platform/model-door.ts"
import { portOf } from "../../platform/port-of.ts"
import { tenantSealing } from "../../platform/tenant-sealing.ts"
import type { AwakeRun } from "../awake-run.ts"
import { fault } from "../run-fault.ts"
import type { RunResources } from "../run-resources.ts"
import { BatchRows, type BatchRow, type BatchedEnd } from "./batch-rows.ts"

/** A batch of 32 MiB has to go up within it, and its answers to come down. */
const PATIENCE_MS = 300_000
/** A call that was sent may still arrive after its sender died. */
const SETTLED_MS = 30_000
/** Each is a call to another object; the platform allows 1,000 in an invocation. */
const AT_ONCE = 200
/** So long after its end by its provider's word a batch that cannot be read is not coming back: its calls count as lost. */
const LATE_MS = 86_400_000
const RETRY_MS = 10_000

interface Seen {
  readonly groups: Map<string, Group>
  readonly batches: readonly BatchRow[]
  readonly hasUnheard: boolean
}

export class RunBatches implements Answers<RunRooms["batches"]> {
  readonly #resources: RunResources
  readonly #self: AwakeRun
  readonly #rows: BatchRows
  /** What the rows say, for a look after each commit; undefined: not read since they changed. */
  #seen: Seen | undefined
  #working: Promise<void> | undefined
  #again = false
  /** A run that did not hear is told again then. */
  #tellAt = 0

  constructor(resources: RunResources, self: AwakeRun) {
    this.#resources = resources
    this.#self = self
    this.#rows = new BatchRows(resources.ctx.storage)
  }

  async take(call: HandedCall): Promise<boolean> {
    const sealed = await this.#sealed(call.id, `${call.beta ?? ""}\n${call.body}`)
    const bytes = new TextEncoder().encode(call.body).byteLength
    const conductor = await this.#self.awake()
    if (!conductor || !isMapOpen(conductor.run, call.step, call.pass)) return false
    if (this.#rows.has(call.id)) return true
    const at = Date.now()
    this.#rows.take(call, { bytes, sealed }, at)
    if (this.#seen) counted(this.#seen.groups, { ...call, at, bytes })
    this.#wake(conductor.ahead)
    return true
  }

  async hear(word: BatchedWord): Promise<boolean> {
    const conductor = await this.#self.awake()
    // A run that is gone, or over, needs to hear nothing.
    if (!conductor || isOver(conductor.run)) return true
    const props = this.#self.props(conductor)
    if (!props || conductor instanceof StrandedConductor) return false
    const heard = await heardOf(props, conductor.run, word)
    if (heard === undefined) return true
    if (heard === "not yet") return false
    const { signal, ...more } = heard
    conductor.tell(signal, more)
    return true
  }

  /** After each commit: what happened may let a batch go, or make one useless. */
  committed(run: Run): void {
    if (run.pins?.batch !== undefined) this.#wake(run)
  }

  /** From the alarm. */
  ring(run: Run): void {
    if (run.pins?.batch !== undefined) this.#wake(run)
  }

  /** Of a run that is over. Rejects while a provider has not heard that a batch is canceled. */
  async leave(): Promise<void> {
    if (!this.#rows.areAny) return
    this.#go()
    await this.#working
    if (this.#rows.areAny) throw new Error("a provider has not heard yet that a batch is canceled")
  }

  forget(): void {
    this.#rows.forget()
    this.#seen = undefined
  }

  /** Begins a round if something is due, and else sets the alarm for it. */
  #wake(run: Run): void {
    const at = this.#next(run)
    if (at !== undefined && at <= Date.now()) this.#go()
    else if (!this.#working) this.#resources.alarm.want("batches", at)
  }

  #go(): void {
    this.#resources.alarm.want("batches", Date.now() + WATCHDOG_MS)
    if (this.#working) {
      this.#again = true
      return
    }
    const work = this.#rounds().finally(() => (this.#working = undefined))
    this.#working = work
    this.#resources.later(work)
  }

  async #rounds(): Promise<void> {
    // What began it is stored first.
    await Promise.resolve()
    let next: number | undefined
    try {
      do {
        this.#again = false
        const conductor = this.#self.isLeaving ? this.#self.conductor : await this.#self.awake()
        if (!conductor) return
        try {
          await this.#round(conductor)
        } finally {
          this.#seen = undefined
        }
        next = this.#next(conductor.ahead)
      } while (this.#again)
    } catch (e) {
      fault("batches", e)
      next = Date.now() + RETRY_MS
    }
    this.#resources.alarm.want("batches", next)
    this.#resources.alarm.settle()
  }

  /** When something is due; undefined: nothing waits here. */
  #next(run: Run): number | undefined {
    const { groups, batches, hasUnheard } = (this.#seen ??= this.#look())
    const now = Date.now()
    const isClosed = ({ step, pass }: Pick<BatchRow, "step" | "pass">): boolean => !isMapOpen(run, step, pass)
    const gathering = this.#gathering(run, now, batches)
    const times = [
      ...batches.flatMap((batch) => {
        if (this.#resources.sending.has(batch.key)) return []
        return [batch.state === "sent" && isClosed(batch) ? now : batch.next]
      }),
      ...[...groups.values()].flatMap((group) => (isClosed(group) ? now : run.status === "paused" ? [] : (dueOf(group, gathering) ?? []))),
      ...(hasUnheard ? [this.#tellAt] : []),
    ]
    return times.reduce<number | undefined>((least, at) => Math.min(least ?? at, at), undefined)
  }

  #look(): Seen {
    const groups = new Map<string, Group>()
    for (const call of this.#rows.gathered()) counted(groups, call)
    return { groups, batches: this.#rows.batches(), hasUnheard: this.#rows.answered(1).length > 0 }
  }

  #gathering(run: Run, now: number, batches: readonly BatchRow[] = this.#rows.batches()): Gathering {
    const open = (step: string, pass: number): number =>
      // One at a time is being sent: its number is that of its key.
      batches.some((b) => b.step === step && b.pass === pass && b.state === "sending")
        ? Number.POSITIVE_INFINITY
        : batches.filter((b) => b.step === step && b.pass === pass && b.state === "sent").length
    return { now, mayGoOn: (step) => mayGoOn(run, step), open }
  }

  async #round(conductor: Conductor): Promise<void> {
    const rows = this.#rows
    for (const { step, pass } of rows.passes()) if (!isMapOpen(conductor.run, step, pass)) rows.forgetCalls(step, pass)
    for (const batch of rows.batches()) {
      if (this.#resources.sending.has(batch.key)) continue
      const isClosed = !isMapOpen(conductor.run, batch.step, batch.pass)
      if (batch.next > Date.now() && !(isClosed && batch.state === "sent")) continue
      await this.#about(conductor, batch, isClosed)
    }
    for (let sends = 0; sends < AT_ONCE && conductor.run.status !== "paused"; sends++) {
      const { send } = gathered(rows.gathered(), this.#gathering(conductor.run, Date.now()))
      if (!send || !(await this.#send(conductor, send))) break
    }
    await this.#tell()
  }

  /** What is due with one batch. */
  async #about(conductor: Conductor, batch: BatchRow, isClosed: boolean): Promise<void> {
    const api = await this.#api(batch.provider)
    // Its settings may come back.
    if (!api) return isClosed ? this.#rows.drop(batch.name) : this.#later(batch)
    if (batch.state === "sending") return this.#unanswered(conductor, batch, api, isClosed)
    if (batch.state === "read") return this.#removed(batch, api)
    return isClosed ? this.#canceled(batch, api) : this.#looked(conductor, batch, api)
  }

  /** false: the run sends nothing now. */
  async #send(conductor: Conductor, calls: readonly GatheredCall[]): Promise<boolean> {
    const [first] = calls
    if (!first) return false
    const { step, pass, provider, model } = first
    const [name, key] = [clock.id(), nextBatchKey(step, stepState(conductor.run, step))]
    if (!conductor.tell({ type: "batch.begin", key, step, pass }).ok) return false
    const batch = { name, key, step, pass, provider, model, next: Date.now() + SETTLED_MS }
    this.#rows.begin(batch, calls)
    const { sending } = this.#resources
    sending.add(key)
    let sent: Awaited<ReturnType<ModelBatches["send"]>>
    try {
      const api = await this.#api(provider)
      sent = api
        ? await api.send(name, await this.#bodies(calls), signalAfter(PATIENCE_MS))
        : { ok: false, error: { message: `the provider "${provider}" is not set up, or has no batch API`, retryable: false } }
    } catch (e) {
      // Nothing has left yet: a body could not be read.
      fault("batch", e)
      sent = { ok: false, error: { status: 503, message: "the calls of a batch could not be read", retryable: true } }
    } finally {
      sending.delete(key)
    }
    if (sent.ok) this.#sent(conductor, { ...batch, id: sent.value.id }, { calls: calls.length, expires: sent.value.expires })
    else await this.#unsent(conductor, batch, sent.error)
    return true
  }

  /** A batch of a map that has ended meanwhile is canceled in the next round. */
  #sent(
    conductor: Conductor,
    batch: Omit<BatchRow, "state" | "looks" | "next" | "expires">,
    sent: { calls: number; expires: number },
  ): void {
    const { name, key, step, pass, provider, model, id } = batch
    this.#rows.sent(name, id, sent.expires, Date.now() + lookAfter(0))
    conductor.tell({ type: "batch.sent", step, pass, key, batch: id, provider, model, ...sent })
  }

  async #unsent(conductor: Conductor, { name, key }: Pick<BatchRow, "name" | "key">, error: ModelError): Promise<void> {
    conductor.tell({ type: "lost", key })
    const { status, retryable, retryAfter, message } = error
    // Nobody knows whether it has arrived: `#unanswered` finds out.
    if (retryable && status === undefined) return
    if (retryable) return this.#rows.unsent(name, Date.now() + Math.max(SETTLED_MS, retryAfter ?? 0))
    const outcome = { kind: "answer", status: status ?? 400, body: JSON.stringify({ error: { message } }) } as const
    for (const call of this.#rows.callsOf(name)) await this.#end(call, outcome)
    this.#rows.drop(name)
  }

  /** [R37] The answer to its sending was lost. */
  async #unanswered(conductor: Conductor, batch: BatchRow, api: ModelBatches, isClosed: boolean): Promise<void> {
    const rows = this.#rows
    if (!api.find) {
      // It is sent again, by the runs whose calls count as lost.
      for (const call of isClosed ? [] : rows.callsOf(batch.name)) rows.end(call, "lost")
      return rows.drop(batch.name)
    }
    const found = await api.find(batch.name, signalAfter(PATIENCE_MS))
    if (!found.ok) return this.#later(batch)
    if (!found.value) return isClosed ? rows.drop(batch.name) : rows.unsent(batch.name, 0)
    const { id, expires } = found.value
    if (isClosed) return rows.sent(batch.name, id, expires, Date.now())
    const calls = rows.callsOf(batch.name).length
    const { key, step, pass } = batch
    // A paused run hears of it when it goes on.
    if (!conductor.tell({ type: "batch.begin", key, step, pass }).ok) return this.#later(batch)
    this.#sent(conductor, { ...batch, id }, { calls, expires })
  }

  async #looked(conductor: Conductor, batch: BatchRow, api: ModelBatches): Promise<void> {
    const { id, name, expires } = batch
    const seen = await api.look(id, signalAfter(PATIENCE_MS))
    const isLate = Date.now() > expires + LATE_MS
    if (!isLate && !(seen.ok && seen.value.isEnded)) return this.#later(batch)
    const read = isLate ? undefined : await api.read(id, (call, outcome) => this.#ended(name, call, outcome), signalAfter(PATIENCE_MS))
    if (read && !read.ok) return this.#later(batch)
    const rest: BatchedOutcome = seen.ok && seen.value.isEnded ? seen.value.rest : { kind: "lost" }
    for (const call of this.#rows.openOf(name)) await this.#end(call, rest)
    const { answered = 0, failed = 0, expired = 0, canceled = 0, lost = 0 } = this.#rows.counts(name)
    this.#rows.read(batch, Date.now())
    const { step, pass } = batch
    conductor.tell({ type: "batch.ended", step, pass, batch: id, answered, failed: failed + lost, expired, canceled })
    await this.#removed(batch, api)
  }

  /** A result that is told twice, or of a call that is not of this batch, changes nothing. */
  async #ended(name: string, call: string, outcome: BatchedOutcome): Promise<void> {
    if (this.#rows.isOpenIn(name, call)) await this.#end(call, outcome)
  }

  async #end(call: string, outcome: BatchedOutcome): Promise<void> {
    const end: BatchedEnd = outcome.kind !== "answer" ? outcome.kind : outcome.status < 300 ? "answered" : "failed"
    const sealed = outcome.kind === "answer" ? await this.#sealed(call, JSON.stringify(outcome)) : undefined
    this.#rows.end(call, end, sealed)
  }

  /** [R36] */
  async #removed(batch: BatchRow, api: ModelBatches): Promise<void> {
    const removed = await api.remove(batch.id, signalAfter(PATIENCE_MS))
    if (removed.ok || Date.now() > batch.expires + LATE_MS) this.#rows.drop(batch.name)
    else this.#later(batch)
  }

  /** [R37] */
  async #canceled(batch: BatchRow, api: ModelBatches): Promise<void> {
    const canceled = await api.cancel(batch.id, signalAfter(PATIENCE_MS))
    if (!canceled.ok && Date.now() <= batch.expires) return this.#rows.closing(batch.name, Date.now() + RETRY_MS)
    await api.remove(batch.id, signalAfter(PATIENCE_MS))
    this.#rows.drop(batch.name)
  }

  #later({ name, looks }: BatchRow): void {
    this.#rows.later(name, looks + 1, Date.now() + lookAfter(looks + 1))
  }

  /** Tells runs what became of their calls, a part of them at a time, until they have heard. */
  async #tell(): Promise<void> {
    const { tenant } = this.#self
    if (tenant === undefined || this.#tellAt > Date.now()) return
    const rows = this.#rows.answered(AT_ONCE)
    const unheard = await failedOf(rows, async ({ id, run, key, batch, end }) => {
      const outcome = end === "answered" || end === "failed" ? (JSON.parse(await this.#opened(id)) as BatchedOutcome) : { kind: end }
      const heard = await runRooms(this.#resources.env, tenant, run).batches.hear({ id, key, batch, outcome })
      if (!heard) throw new Error("the run is not ready to hear")
      this.#rows.heard(id)
    })
    this.#tellAt = unheard.length > 0 ? Date.now() + RETRY_MS : 0
  }

  async #api(provider: string): Promise<ModelBatches | undefined> {
    const { env } = this.#resources
    const { tenant } = this.#self
    if (tenant === undefined) return undefined
    const settings = await cachedProvider(
      tenant,
      (name) => portOf(env, tenant, "settings").provider(name),
      () => clock.now(),
    )(provider)
    const { redactor } = await openVault(env, tenant, clock.now)()
    return settings && batchesOf(settings, modelDoor(env), redactor)
  }

  #bodies(calls: readonly GatheredCall[]): Promise<BatchedCall[]> {
    return Promise.all(
      calls.map(async ({ id }) => {
        const text = await this.#opened(id)
        const end = text.indexOf("\n")
        return { id, body: text.slice(end + 1), ...(end > 0 ? { beta: text.slice(0, end) } : {}) }
      }),
    )
  }

  async #sealed(call: string, text: string): Promise<Uint8Array> {
    return new Uint8Array(await this.#sealing.seal(text, `batch/${call}`))
  }

  #opened(call: string): Promise<string> {
    return this.#sealing.open(this.#rows.body(call).slice().buffer, `batch/${call}`)
  }

  get #sealing(): ReturnType<typeof tenantSealing> {
    return tenantSealing(this.#resources.env, this.#self.tenant ?? "")
  }
}
