// Carries out bulks when the tenant's alarm rings [R44]: ten runs at a time, in the background, so that the alarm does not wait for them. A run is
// taken first, and what is done with it has an id that follows from bulk and run: an alarm repeated after a crash does nothing twice.

import { backoff } from "../../../core/backoff.ts"
import { bulkVerdict, DELETED, spareOf, type BulkSource } from "../../../core/run/bulk-act.ts"
import type { From } from "../../../core/run/fork/cut.ts"
import { messageOf } from "../../../core/text/fault-text.ts"
import { refusalText } from "../../../engine/run/begin/fork-refusal.ts"
import { atOnce } from "../../../engine/at-once.ts"
import type { ForkRequest, ForkResult } from "../../../ports/fork.ts"
import type { RunPort } from "../../../ports/run.ts"
import type { Limits } from "../../../ports/tenant/catalog.ts"
import type { BulkOrder, BulkRow } from "../../../ports/tenant/bulks.ts"
import { defined } from "../../../core/defined.ts"
import { derivedId } from "../../platform/clock.ts"
import { logError } from "../../platform/log.ts"
import type { DueWork } from "../tenant-alarm.ts"
import type { BulkEnd, BulkItem, BulkStore } from "./bulk-store.ts"

const AT_ONCE = 10 // limit: runs of bulks under way at once → the next are taken when these are through
/** [R44] Callers who start runs go first: while one has come this recently, a bulk acts on one run and rests several times as long as that took. */
const CALLED_MS = 1_000
const REST = 6
const LONGEST_REST_MS = 2_000
/** An act that is not recorded after this time is done again. */
const RETRY_MS = 30_000
const SLOWEST_TRY_MS = 300_000
/** What is put off for room looks again after this time. */
const FULL_MS = 2_000
/** A run that could not be acted on for this long never will be. */
const GIVE_UP_MS = 24 * 3_600_000 // limit: milliseconds that a bulk tries an act on a run → it has failed

export interface BulksDeps {
  readonly store: BulkStore
  readonly tenant: string
  /** The id of a run with these letters. */
  readonly runId: (letters: string) => string
  readonly run: (id: string) => Pick<RunPort, "cancel" | "remove" | "fork">
  /** The run as the list has it. `step`: the one that failed it. */
  readonly source: (run: string) => (BulkSource & { readonly step?: string }) | undefined
  readonly room: () => Limits & { readonly places: number }
  /** When somebody last asked for a start and waited for the answer. */
  readonly called: () => number
  /** A bulk has changed [H15]. */
  readonly tell: (bulk: BulkRow) => void
  readonly want: (at: number) => void
  readonly later: (work: Promise<unknown>) => void
}

const starts = (action: BulkRow["action"]): boolean => action === "again" || action === "fork"

export class Bulks implements DueWork {
  readonly name = "bulks"
  readonly #deps: BulksDeps
  /** Until when what is under way may take; undefined: nothing is. */
  #until: number | undefined
  #restsUntil = 0

  constructor(deps: BulksDeps) {
    this.#deps = deps
  }

  readonly due = (): number | undefined => {
    const { store } = this.#deps
    const bulks = store.due()
    const times = bulks.map(({ action, due }) => (starts(action) ? Math.max(due, this.#roomAt(due)) : due))
    const first = times.length === 0 ? undefined : Math.max(Math.min(...times), this.#until ?? 0, this.#restsUntil)
    const ends = [first, store.expires()].filter((at) => at !== undefined)
    return ends.length === 0 ? undefined : Math.min(...ends)
  }

  readonly work = async (now: number): Promise<void> => {
    const { store, later } = this.#deps
    store.prune(now)
    if ((this.#until !== undefined && now < this.#until) || now < this.#restsUntil) return
    const items = this.#taken(now)
    if (items.length === 0) return
    const until = now + RETRY_MS
    this.#until = until
    const end = (): void => {
      if (this.#until === until) this.#until = undefined
      const ended = Date.now()
      if (this.#isCalled(ended)) this.#restsUntil = ended + Math.min(LONGEST_REST_MS, REST * Math.max(0, ended - now))
      const due = this.due()
      if (due !== undefined) this.#deps.want(due)
    }
    later(atOnce(items, (item) => this.#act(item), AT_ONCE).finally(end))
  }

  readonly mend = (now: number): void => {
    this.#until = undefined
    this.#deps.store.mend(now, now + SLOWEST_TRY_MS)
  }

  #isCalled(now: number): boolean {
    return now - this.#deps.called() < CALLED_MS
  }

  /** Each bulk under way gets its share, and no start the last tenth of what the tenant may start. */
  #taken(now: number): readonly BulkItem[] {
    const { store } = this.#deps
    const bulks = store.due().filter(({ due }) => due <= now)
    const most = this.#isCalled(now) ? 1 : AT_ONCE
    const share = Math.ceil(most / Math.max(1, bulks.length))
    let spare = this.#spare()
    const items: BulkItem[] = []
    for (const { id, action } of bulks) {
      const limit = Math.min(share, most - items.length, starts(action) ? spare : share)
      if (limit <= 0) continue
      const taken = store.take(id, limit, now, now + RETRY_MS)
      if (starts(action)) spare -= taken.length
      items.push(...taken)
    }
    return items
  }

  #spare(): number {
    const { concurrent, starts: minute, places } = this.#deps.room()
    return places === 0 ? 0 : spareOf([concurrent, minute])
  }

  #roomAt(due: number): number {
    return this.#spare() > 0 ? due : Date.now() + FULL_MS
  }

  /** Must not reject. */
  async #act(item: BulkItem): Promise<void> {
    const { store, tell } = this.#deps
    try {
      const order = store.order(item.bulk)
      if (!order) return
      const end = await this.#done(order, item)
      if (typeof end === "string") this.#again(item, end, false)
      else store.end(item, end)
    } catch (e) {
      const message = messageOf(e)
      logError("bulk.act", { bulk: item.bulk, run: item.run, message })
      try {
        this.#again(item, message, true)
      } catch (lost) {
        // The tenant was deleted meanwhile, or the disk takes nothing: the row says what is owed.
        logError("bulk.store", { bulk: item.bulk, run: item.run, message: messageOf(lost) })
      }
    }
    const bulk = store.find(item.bulk)
    if (bulk) tell(bulk)
  }

  /** Returns what became of the run; a text: why it must be tried again. */
  async #done(order: BulkOrder, { bulk, run, tries }: BulkItem): Promise<BulkEnd | string> {
    const source = this.#deps.source(run)
    const isRepeated = tries > 0
    const verdict = bulkVerdict(order.action, source, isRepeated)
    if (verdict !== "act") return verdict
    switch (order.action) {
      case "cancel":
        return (await this.#deps.run(run).cancel(order.by)) ? { outcome: "done" } : { outcome: "skipped", reason: DELETED }
      case "delete":
        return (await this.#deps.run(run).remove()) || isRepeated ? { outcome: "done" } : { outcome: "skipped", reason: DELETED }
      case "again":
      case "fork": {
        const letters = await derivedId(`${this.#deps.tenant}/bulk`, `${bulk}/${run}`)
        return this.#started(order, { bulk, source: run, made: this.#deps.runId(letters), ...source })
      }
    }
  }

  async #started(order: BulkOrder, { bulk, source, made, step }: Made): Promise<BulkEnd | string> {
    const { tenant, run } = this.#deps
    const fork = (from: From): Promise<ForkResult> =>
      run(made).fork({
        ...wishOf(order, from),
        tags: [...(order[order.action === "again" ? "again" : "fork"]?.tags ?? []), bulk],
        tenant,
        run: made,
        source,
        by: order.by,
        ...defined({ keyId: order.keyId }),
      })
    const from = order.action === "again" ? undefined : order.fork?.from
    const first: From = from === "failed" ? (step === undefined ? {} : { step }) : (from ?? {})
    let result = await fork(first)
    // The step that failed the run may never have opened.
    if (from === "failed" && !result.ok && result.code === "not_forkable" && result.why !== undefined) result = await fork({})
    if (result.ok) return { outcome: "done", made }
    if (result.code === "not_found") return { outcome: "skipped", reason: DELETED }
    const text = refusalText(result)
    // [R44]
    if (result.code === "key_busy" && order.action === "again") return { outcome: "skipped", reason: text }
    const isBusy = result.code === "key_busy"
    const waits = isBusy || (result.code === "refused" && (result.why.code === "quota" || result.why.code === "storage_full"))
    return waits ? text : { outcome: "failed", reason: text }
  }

  #again(item: BulkItem, reason: string, mayBeDone: boolean): void {
    const { store } = this.#deps
    const now = Date.now()
    if (now - item.since > GIVE_UP_MS) store.end(item, { outcome: "failed", reason: `it could not be done within a day: ${reason}` })
    else store.putOff(item, { due: now + backoff(FULL_MS, item.tries, SLOWEST_TRY_MS), reason, mayBeDone })
  }
}

/** The data of its event of the feed [H15]. */
export const bulkTold = ({ id, action, status, count, done, skipped, failed }: BulkRow) => ({
  bulk: id,
  action,
  status,
  count,
  done,
  skipped,
  failed,
})

interface Made {
  readonly bulk: string
  readonly source: string
  readonly made: string
  readonly step?: string
}

function wishOf({ action, again, fork }: BulkOrder, from: From): Omit<ForkRequest, "tenant" | "run" | "source" | "by"> {
  if (action === "again") return { effects: "source", ...again, from: {}, patch: { revision: "latest" }, again: true, lined: true }
  return { ...fork, from }
}
