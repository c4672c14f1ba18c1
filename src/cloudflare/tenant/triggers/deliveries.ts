// Deliveries on their way to their runs [W3]. A delivery is taken with the id of its run, in one commit, and that is all its sender waits
// for. The run is started right after, and the tenant's alarm does it when a kill came in between: nothing is lost [S1]. Who asks for a
// run that is promised and has not begun waits for its start. A start under an id that runs already starts nothing, so asking twice is
// harmless.

import type { JsonObject } from "../../../core/json.ts"
import type { Delivered, HookRow, Taken } from "../../../ports/hooks.ts"
import { clock } from "../../platform/clock.ts"
import type { DeliveryStore, Given, Waiting } from "./delivery-store.ts"
import type { Launch } from "../starts/launch.ts"
import type { DueWork } from "../tenant-alarm.ts"
import { backoff } from "../../../core/backoff.ts"
import { inTime } from "../../../engine/time/deadline.ts"
import { logError, messageOf } from "../../platform/log.ts"

/** A start takes milliseconds; one that is not written down by then is looked after. */
const LOOK_AFTER_MS = 10_000
/** Whoever waits for a start waits no longer; it goes on all the same. */
const PATIENCE_MS = 3_000
const SLOWEST_TRY_MS = 300_000
/** What cannot be started for so long never will be. */
const GIVE_UP_MS = 24 * 3_600_000
const AT_ONCE = 20

export interface DeliveriesDeps {
  readonly store: DeliveryStore
  /** Why there will be no run; throws when trying again may help. */
  readonly launch: (wish: Launch) => Promise<string | undefined>
  /** What an earlier run was given, from its own journal; undefined: it is gone. */
  readonly payloadOf: (run: string) => Promise<JsonObject | undefined>
  /** An alarm at that time, in the turn that the row was written in. */
  readonly want: (at: number) => void
}

export class Deliveries implements DueWork {
  readonly name = "deliveries"
  readonly #deps: DeliveriesDeps
  /** Starts that are under way, by their deliveries. */
  readonly #starting = new Map<string, Promise<"failed" | undefined>>()

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps
  }

  readonly due = (): number | undefined => this.#deps.store.earliest()

  readonly work = async (now: number): Promise<void> => {
    await Promise.all(this.#deps.store.due(now, AT_ONCE).map((id) => this.#start(id)))
  }

  /** Durable when it is answered; its run begins meanwhile. */
  take(hook: HookRow, delivered: Delivered): Taken {
    const fresh = { ...newIds(), due: Date.now() + LOOK_AFTER_MS, given: wishOf(hook) }
    const taken = this.#deps.store.take(hook.id, delivered, fresh)
    if (taken.verdict !== "accepted") return taken
    this.#deps.want(fresh.due)
    void this.#start(taken.delivery)
    return taken
  }

  /** A run that a delivery promises has begun then, or could not, or its start takes long. */
  async begin(run: string): Promise<void> {
    const id = this.#deps.store.waitingFor(run)
    if (id !== undefined) await this.#begun(id)
  }

  refuse(hook: string, verdict: "rejected" | "malformed", reason: string): void {
    this.#deps.store.refuse(hook, newIds().id, verdict, reason)
  }

  async redeliver(hook: HookRow, id: string, act?: string): Promise<Taken | "not_found" | "refused"> {
    const row = this.#deps.store.find(hook.id, id)
    if (!row) return "not_found"
    // [H4] The first try got so far: its run is begun by it, or by the alarm.
    const before = act === undefined ? undefined : this.#deps.store.find(hook.id, idsOf(act).id)
    if (before) return { delivery: before.id, run: before.run, verdict: "accepted" }
    const given = this.#deps.store.given(id)
    if (!given) return "refused"
    const payload = this.#deps.store.payload(id) ?? (row.run === null ? undefined : await this.#deps.payloadOf(row.run))
    const fresh = {
      ...(act === undefined ? newIds() : idsOf(act)),
      due: Date.now() + LOOK_AFTER_MS,
      given: { ...given, ...wishOf(hook) },
      payload,
    }
    this.#deps.store.again(row, fresh)
    this.#deps.want(fresh.due)
    const failed = await this.#begun(fresh.id)
    return { delivery: fresh.id, run: failed ? null : fresh.run, verdict: failed ?? "accepted" }
  }

  /** Starts its run; what is told is what is known when one has waited long enough. */
  #begun(id: string): Promise<"failed" | undefined> {
    return inTime(this.#start(id), PATIENCE_MS, () => undefined)
  }

  /** One start of a delivery at a time. Must not reject. */
  #start(id: string): Promise<"failed" | undefined> {
    const before = this.#starting.get(id)
    if (before) return before
    const start = this.#launch(id).finally(() => this.#starting.delete(id))
    this.#starting.set(id, start)
    return start
  }

  async #launch(id: string): Promise<"failed" | undefined> {
    const { store } = this.#deps
    const waiting = store.waiting(id)
    const given = waiting && store.given(id)
    if (!given) return undefined
    const { run, hook, at } = waiting
    const { flow, autonomous, budget, task, inputs, depth, trace } = given
    try {
      const reason = await this.#deps.launch({
        run,
        flow,
        autonomous,
        task,
        inputs,
        trigger: { kind: "webhook", hook, delivery: id, ...(depth === undefined ? {} : { depth }) },
        tainted: true,
        budget,
        payload: store.payload(id),
        trace,
      })
      if (reason === undefined) store.started(id)
      else store.failed(waiting, reason)
      return reason === undefined ? undefined : "failed"
    } catch (e) {
      const message = messageOf(e)
      logError("delivery.start", { delivery: id, run, message })
      return this.#later(waiting, Date.now() - at, message)
    }
  }

  #later(waiting: Waiting, age: number, message: string): "failed" | undefined {
    if (age > GIVE_UP_MS) {
      this.#deps.store.failed(waiting, `it could not be started for a day: ${message}`)
      return "failed"
    }
    const due = Date.now() + backoff(1_000, waiting.tries, SLOWEST_TRY_MS)
    this.#deps.store.putOff(waiting.id, due)
    this.#deps.want(due)
    return undefined
  }
}

/** They follow from the Idempotency-Key of who asked. */
const idsOf = (act: string): { id: string; run: string } => ({ id: `dl_${act}`, run: `run_${act}` })
const newIds = (): { id: string; run: string } => ({ id: `dl_${clock.id()}`, run: `run_${clock.id()}` })

/** As the hook says it now. */
const wishOf = ({ flow, autonomous, budget }: HookRow): Pick<Given, "flow" | "autonomous" | "budget"> => ({
  flow,
  autonomous,
  ...(budget === undefined ? {} : { budget }),
})
