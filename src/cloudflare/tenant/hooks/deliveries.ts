// Starts the runs of deliveries [W3]. A delivery is accepted together with the id of its run, in one commit, and the sender waits only for that
// commit. The run is started right after it; if a crash comes in between, the tenant's alarm starts the run, so nothing is lost [S1]. A caller
// that asks for a promised run that has not started waits for its start. Starting a run that already exists does nothing, so repeating a
// start is harmless.

import type { JsonObject } from "../../../core/json.ts"
import type { Delivered, HookRow, DeliveryResult } from "../../../ports/tenant/hooks.ts"
import { heldBack } from "../../../core/webhook/filter.ts"
import { given as mapped, hookStart } from "../../../core/webhook/mapping.ts"
import type { Payload } from "../../../core/webhook/payload.ts"
import { isForm, seenBy } from "../../../core/webhook/seen.ts"
import { clock } from "../../platform/clock.ts"
import type { DeliveryStore, DeliveryInput, Waiting } from "./delivery-store.ts"
import type { Launch, Launched } from "../starts/launch.ts"
import { Places } from "../starts/places.ts"
import type { DueWork } from "../tenant-alarm.ts"
import { backoff } from "../../../core/backoff.ts"
import { defined } from "../../../core/defined.ts"
import { messageOf } from "../../../core/text/fault-text.ts"
import { inTurn } from "../../../engine/in-turn.ts"
import { inTime, pause } from "../../../ports/timers.ts"
import { Breath } from "../../../ports/breath.ts"
import { logError } from "../../platform/log.ts"

/** A start takes milliseconds. A start that is not recorded after this time is tried again. */
const RETRY_START_MS = 10_000
const PATIENCE_MS = 3_000 // limit: milliseconds that a delivery's sender waits → 202; the start continues
const SLOWEST_TRY_MS = 300_000
/** A run that could not be started for this long never will be. */
const GIVE_UP_MS = 24 * 3_600_000 // limit: milliseconds that a delivery's start is tried → the delivery has failed
const AT_ONCE = 20
/** Deliveries whose runs are begun at the same time [W3]. The others wait here, and beyond MOST_WAITING in their rows, for the alarm. */
export const BEGUN_AT_ONCE = 20 // limit: deliveries of a tenant whose runs are begun at once → the next begins when one has begun
// Limit: deliveries that wait in memory for their runs to begin → the next ring of the tenant's alarm begins them.
const MOST_WAITING = 1_000
/** Starts with more than this wait for each other. */
const LARGE_CHARS = 64 * 1024

/** What became of a delivery; undefined: its run has begun, or waits. */
type Outcome = Exclude<Launched, undefined>["as"] | undefined

export interface DeliveriesDeps {
  readonly store: DeliveryStore
  /** The id of a run with these letters. */
  readonly runId: (letters: string) => string
  /** Throws if another try may help. */
  readonly launch: (wish: Launch) => Promise<Launched>
  /** The payload of an earlier run, from its journal; undefined: the run was deleted. */
  readonly payloadOf: (run: string) => Promise<JsonObject | undefined>
  /** Sets an alarm for `at`. Call it in the turn that writes the row. */
  readonly want: (at: number) => void
}

export class Deliveries implements DueWork {
  readonly name = "deliveries"
  readonly #deps: DeliveriesDeps
  /** For large starts. */
  readonly #inTurn = inTurn()
  /** The starts in progress, by delivery. */
  readonly #starting = new Map<string, Promise<Outcome>>()
  readonly #places = new Places(BEGUN_AT_ONCE)

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps
  }

  readonly due = (): number | undefined => this.#deps.store.earliest()

  readonly work = async (now: number): Promise<void> => {
    await Promise.all(this.#deps.store.due(now, AT_ONCE).map((id) => this.#start(id)))
  }

  readonly mend = (now: number): void => this.#deps.store.mend(now, now + SLOWEST_TRY_MS)

  /** The delivery is durable when this returns; its run starts in the background. */
  take(hook: HookRow, delivered: Delivered): DeliveryResult {
    const fresh = { ...this.#ids(), due: Date.now() + RETRY_START_MS, given: wishOf(hook) }
    const result = this.#deps.store.take(hook.id, delivered, fresh)
    if (result.verdict !== "accepted" && result.verdict !== "failed") return result
    this.#deps.want(fresh.due)
    if (this.#starting.size < MOST_WAITING) void this.#start(result.delivery)
    return result
  }

  /** [R11, R17] What a delivery has become, if the line says so soon: its start may have joined a run, or been skipped. One that is sent again
   *  after a reset is started for its answer. Undecided, it is answered without a run: the one that it promises may never be there. */
  async settled(hook: string, taken: DeliveryResult): Promise<DeliveryResult> {
    const { store } = this.#deps
    if (store.waiting(taken.delivery) && (this.#starting.has(taken.delivery) || this.#starting.size < MOST_WAITING))
      await this.#begun(taken.delivery)
    const row = store.find(hook, taken.delivery)
    if (!row) return taken
    return {
      ...taken,
      run: store.waiting(taken.delivery) ? null : row.run,
      ...(taken.verdict === "duplicate"
        ? {}
        : { verdict: row.verdict, ...defined({ reason: row.verdict === "skipped" ? (row.reason ?? undefined) : undefined }) }),
    }
  }

  /** Starts a run that a delivery promises. Resolves when the run has started, cannot start, or the start takes too long (true). */
  async begin(run: string): Promise<boolean> {
    const { store } = this.#deps
    const id = store.waitingFor(run)
    if (id === undefined) return false
    await this.#begun(id)
    return store.waitingFor(run) !== undefined
  }

  /** The run was deleted: no try of its start that is still to come brings it back. */
  deleted(run: string): void {
    const { store } = this.#deps
    const id = store.waitingFor(run)
    if (id !== undefined) store.started(id)
  }

  refuse(hook: string, verdict: "rejected" | "malformed", reason: string): void {
    this.#deps.store.refuse(hook, this.#ids().id, verdict, reason)
  }

  async redeliver(hook: HookRow, id: string, act?: string): Promise<DeliveryResult | "not_found" | "refused"> {
    const row = this.#deps.store.find(hook.id, id)
    if (!row) return "not_found"
    // [H4] An earlier try got this far: that try, or the alarm, starts the run.
    const before = act === undefined ? undefined : this.#deps.store.find(hook.id, this.#ids(act).id)
    if (before) return this.#redelivered(hook, before.id, before.run)
    const stored = this.#deps.store.payload(id)
    const kept = row.verdict === "filtered" ? stored && judged(hook, stored) : { given: this.#deps.store.given(id), payload: stored }
    if (kept === "filtered") return { delivery: id, run: null, verdict: "filtered" }
    const given = kept?.given
    if (!given || given.cannot !== undefined) return "refused"
    const payload = kept.payload ?? (row.run === null ? undefined : await this.#deps.payloadOf(row.run))
    const fresh = {
      ...this.#ids(act),
      due: Date.now() + RETRY_START_MS,
      given: { ...given, ...wishOf(hook) },
      payload,
    }
    this.#deps.store.again(row, fresh)
    this.#deps.want(fresh.due)
    await this.#begun(fresh.id)
    return this.#redelivered(hook, fresh.id, fresh.run)
  }

  /** [R17] What a redelivery has become. Undecided, it promises its run. */
  async #redelivered(hook: HookRow, delivery: string, run: string | null): Promise<DeliveryResult> {
    const settled = await this.settled(hook.id, { delivery, run, verdict: "accepted" })
    return this.#deps.store.waiting(delivery) ? { ...settled, run } : settled
  }

  /** `act`: derived from the caller's Idempotency-Key. */
  #ids(act?: string): { id: string; run: string } {
    return { id: `dl_${act ?? clock.id()}`, run: this.#deps.runId(act ?? clock.id()) }
  }

  /** Starts the run and waits a limited time for the result. */
  #begun(id: string): Promise<Outcome> {
    return inTime(this.#start(id), PATIENCE_MS, () => undefined)
  }

  /** One start of a delivery at a time. Must not reject. */
  #start(id: string): Promise<Outcome> {
    const before = this.#starting.get(id)
    if (before) return before
    // The sender is answered first: to begin a run computes, and what computes delays every answer.
    const begins = async (): Promise<Outcome> => {
      await pause(0)
      return this.#begins(id)
    }
    const start = this.#places.within(begins).finally(() => this.#starting.delete(id))
    this.#starting.set(id, start)
    return start
  }

  #begins(id: string): Promise<Outcome> {
    // [N4] To begin a run with a large payload takes some 50 ms of computing, in the run's object too: one after another.
    const chars = this.#deps.store.chars(id)
    return chars > LARGE_CHARS ? this.#inTurn(() => this.#largeLaunch(id, chars)) : this.#launch(id)
  }

  async #largeLaunch(id: string, chars: number): Promise<Outcome> {
    const breath = new Breath()
    try {
      return await this.#launch(id)
    } finally {
      await breath.take(chars)
    }
  }

  async #launch(id: string): Promise<Outcome> {
    const { store } = this.#deps
    const waiting = store.waiting(id)
    const given = waiting && store.given(id)
    if (!given) return undefined
    const { run, hook, at } = waiting
    const { flow, autonomous, effects, budget, task, inputs, files, thread, missing, address, depth, trace, cannot, start } = given
    const payload = store.payload(id)
    try {
      const launched = await this.#deps.launch({
        run,
        flow,
        autonomous,
        effects,
        task,
        inputs,
        files,
        thread,
        address,
        trigger: { kind: "webhook", hook, delivery: id, ...defined({ depth, missing: missing && [...missing] }) },
        tainted: true,
        budget,
        payload,
        order: waiting.at * 1_000 + (waiting.n % 1_000),
        start: start && hookStart(start, payload as unknown as Payload | undefined),
        trace,
        cannot,
      })
      if (launched === undefined) store.started(id)
      else if (launched.as === "failed") store.failed(waiting, launched.why, true)
      else if (launched.as === "merged") store.merged(id, launched.run)
      else store.skipped(id, launched.why)
      return launched?.as
    } catch (e) {
      const message = messageOf(e)
      logError("delivery.start", { delivery: id, run, message })
      return this.#later(waiting, Date.now() - at, message)
    }
  }

  #later(waiting: Waiting, age: number, message: string): Outcome {
    if (age > GIVE_UP_MS) {
      this.#deps.store.failed(waiting, `it could not be started within a day: ${message}`, false)
      return "failed"
    }
    const due = Date.now() + backoff(1_000, waiting.tries, SLOWEST_TRY_MS)
    this.#deps.store.putOff(waiting.id, due)
    this.#deps.want(due)
    return undefined
  }
}

/** What a delivery that an earlier filter held back is given by the hook of now; undefined: its mapping finds no input. */
function judged(
  hook: HookRow,
  stored: JsonObject,
): { readonly given: DeliveryInput; readonly payload: JsonObject } | "filtered" | undefined {
  const payload = stored as unknown as Payload
  const seen = seenBy(hook, payload)
  if (heldBack(hook.filter, seen.body, isForm(payload)) !== undefined) return "filtered"
  const said = mapped(hook.mapping, seen)
  return said.ok ? { given: { ...wishOf(hook), ...said.value, keys: [] }, payload: { ...seen } } : undefined
}

/** The current settings of the hook. */
const wishOf = ({
  flow,
  autonomous,
  effects,
  budget,
  start,
}: HookRow): Pick<DeliveryInput, "flow" | "autonomous" | "effects" | "budget" | "start"> => ({
  flow,
  autonomous,
  ...defined({ effects, budget, start }),
})
