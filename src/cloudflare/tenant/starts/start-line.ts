// Keeps the line of starts [R5]: what comes into it, what a time of it means, and what leaves it. A run begins by this object's word alone,
// which is repeated until it is heard [R20]. A run that only waits for room [H6] stands here too.

import { defined } from "../../../core/defined.ts"
import { supersedes } from "../../../core/start/line.ts"
import { keyName, NEW, PAUSED, thingsOf } from "../../../core/start/line-things.ts"
import { isLined } from "../../../core/start/start-block.ts"
import { waitWords, type StartWait } from "../../../core/start/start-wait.ts"
import { windowEnd, type Window } from "../../../core/start/window.ts"
import type { Arrived, LineAsk, StartWord, StartsPage, StartsQuery, UnbegunEnd } from "../../../ports/tenant/line.ts"
import type { DueWork } from "../tenant-alarm.ts"
import { Arrivals, beginsAfter, columnsOf, FULL_MS, UNSTORED_MS, type ArrivalDeps } from "./arrivals.ts"
import { LineClock, type LineClockDeps } from "./line-clock.ts"
import { lineList } from "./line-list.ts"
import { AGAIN_MS, LineLooks, type LookDeps } from "./line-looks.ts"
import { blockOf, expiryOf, isKeyless, STATE, type LineRow } from "./line-store.ts"
import { askedWait } from "./line-wait.ts"
import { lookAgain, Rings, type RingDeps } from "./rings.ts"
import { StartWords, wordOf, type WordDeps } from "./start-words.ts"

const REMEMBERED_MS = 86_400_000 // limit: milliseconds after a window's end that who joined it is remembered → a start that is sent again starts a run
/** Rows of the line that one alarm works off. */
const BATCH = 50

export interface LineDeps extends ArrivalDeps, LookDeps, WordDeps, RingDeps, Omit<LineClockDeps, "store"> {
  readonly store: ArrivalDeps["store"]
  readonly tenant: string
}

export class StartLine implements DueWork {
  readonly name = "line"
  readonly #deps: LineDeps
  readonly #clock: LineClock
  readonly #arrivals: Arrivals
  readonly #looks: LineLooks
  readonly #words: StartWords
  readonly #rings: Rings

  constructor(deps: LineDeps) {
    this.#deps = deps
    this.#clock = new LineClock(deps)
    this.#arrivals = new Arrivals(deps, this.#clock)
    this.#words = new StartWords(deps, (run, isThere) => {
      if (!isThere) deps.gate.giveBack(run)
      this.over(run)
    })
    this.#rings = new Rings(deps)
    this.#looks = new LineLooks(deps, this.#clock, (runs) => this.#words.say(runs))
  }

  readonly due = (): number | undefined => {
    if (!this.#deps.store.isThere) return undefined
    const due = this.#deps.store.nextDue()
    return due === undefined ? undefined : this.#clock.real(due)
  }

  readonly work = async (): Promise<void> => {
    const { store } = this.#deps
    const now = this.#clock.now()
    const due = store.due(now, BATCH)
    store.together(() => {
      for (const row of due) this.#time(row, now)
    })
    const said = due.flatMap(({ run }) => store.find(run) ?? []).filter(({ state }) => state > STATE.inLine || state === STATE.given)
    const begun = this.#looks.look()
    await this.#words.say([...new Set([...said.map(({ run }) => run), ...begun])])
  }

  /** A start arrives. Repeated, it changes nothing. */
  arrive(ask: LineAsk): Arrived {
    return this.#arrivals.arrive(ask)
  }

  /** [R15] The start begins now, or not at all: its run's object stores it afterwards. */
  beginNow(ask: LineAsk): { readonly ok: true } | Exclude<Extract<Arrived, { ok: false }>, { code: "thread_busy" }> {
    const { store, gate } = this.#deps
    const { run } = ask
    if (store.find(run)?.state === STATE.begun) return { ok: true }
    const place = gate.arrive(run)
    if (!place.ok && place.full === true) return { ok: false, code: "storage_full", message: place.why }
    if (!place.ok) return { ok: false, code: "quota", message: place.why, retry: place.retry, limits: place.limits }
    const now = this.#clock.now()
    const row = store.update(this.#arrivals.insert(ask), { state: STATE.inLine, ready: now, filed: NEW, due: now + UNSTORED_MS })
    this.#words.sayLater(this.#looks.look().filter((other) => other !== run))
    const after = store.find(run) ?? row
    if (after.state === STATE.begun) {
      // Its object has no start yet that it could tell of.
      store.update(after, { due: now + UNSTORED_MS })
      return { ok: true }
    }
    const wait = askedWait(store, after)
    store.remove(run)
    gate.giveBack(run)
    const { pool, key } = wait
    if (wait.reason === "concurrency" && pool !== undefined && key !== undefined)
      return { ok: false, code: "key_busy", pool, key, ...defined({ run: wait.run }) }
    const retry = wait.until === undefined ? FULL_MS : Math.max(1, wait.until - now)
    const message =
      wait.reason === "throttle"
        ? `no more runs of the key "${key}" of "${pool}" may begin now`
        : "this tenant has no room for another run now"
    return { ok: false, code: "quota", message, retry, limits: gate.room() }
  }

  /** [H6] Do starts wait for room, so that whoever needs nothing else goes behind them? */
  get waitsForRoom(): boolean {
    return this.#deps.store.waitsForRoom()
  }

  /** The run's object has stored the start. Its word alone keeps the place. The answer is the word by which it begins; undefined: it waits. */
  stored(ask: LineAsk, isPaused: boolean): StartWord | undefined {
    const { store } = this.#deps
    let row = store.find(ask.run) ?? this.#arrivals.insert(ask)
    const now = this.#clock.now()
    // A place that was kept before anyone had read the block.
    if (row.state === STATE.given && !isLined(row.body.block))
      row = store.update(row, { ...columnsOf(ask.block), body: { ...row.body, ...defined({ by: ask.by }), block: ask.block } })
    const { paused: _paused, ...rest } = row.body
    const body = isPaused ? { ...rest, paused: true as const } : rest
    if ((row.body.paused === true) !== isPaused) {
      const filed = row.state !== STATE.inLine ? row.filed : isPaused ? PAUSED : NEW
      row = store.update(row, { body, filed })
    }
    if (row.state === STATE.given) {
      const { delay } = blockOf(row)
      const until = delay === undefined ? now : "at" in delay ? delay.at : row.body.arrived + delay.ms
      if (until > now) {
        store.update(row, { state: STATE.delayed, filed: null, due: until })
        this.#clock.want(until)
      } else store.together(() => this.#enter(row, now))
    }
    const begun = this.#looks.look()
    this.#words.sayLater(begun.filter((run) => run !== ask.run))
    const after = store.find(ask.run)
    if (after && isHeldChild(after)) this.#deps.later(this.#ring(ask.run).catch(() => undefined))
    return after?.state === STATE.begun ? wordOf(after) : undefined
  }

  /** [R9] A window is over: its start waits for its delay, or comes into line. */
  #windowOver(row: LineRow, window: Window, now: number): void {
    const { delay } = blockOf(row)
    const until = delay === undefined ? now : "at" in delay ? delay.at : windowEnd(window) + delay.ms
    if (until <= now) return this.#enter(row, now)
    this.#deps.store.update(row, { state: STATE.delayed, filed: null, due: until })
    this.#clock.want(until)
  }

  /** The start comes into line. */
  #enter(row: LineRow, now: number): void {
    const entered = this.#deps.store.update(row, {
      state: STATE.inLine,
      ready: now,
      filed: row.body.paused ? PAUSED : NEW,
      due: this.#lookAt({ ...row, ready: now }, now),
    })
    if (entered.due !== null) this.#clock.want(entered.due)
    this.#supersede(entered, now)
  }

  /** [R7, R8] */
  #supersede(row: LineRow, now: number): void {
    const { concurrency } = blockOf(row)
    if (concurrency?.overlap !== "supersede") return
    const { store } = this.#deps
    const key = keyName(concurrency)
    const mayCancel = (other: LineRow): boolean =>
      other.flow === row.flow || (concurrency.named === true && blockOf(other).concurrency?.named === true)
    const found = supersedes(concurrency.limit, {
      waiting: store.waiting(key).filter(({ run }) => run !== row.run),
      holding: store.holding(key).filter(({ body }) => body.superseded === undefined),
      mayCancel,
    })
    if (found.length === 0) return
    for (const older of found) {
      if (older.state === STATE.begun) store.update(older, { due: now, body: { ...older.body, superseded: row.run } })
      else store.update(older, { state: STATE.ending, filed: null, due: now, body: { ...older.body, end: { superseded: row.run } } })
    }
    this.#clock.want(now)
    this.#words.sayLater(found.map(({ run }) => run))
  }

  /** A run that has begun says how it stands. `below`: it has ended, and runs below it have not [R6]. */
  heard(run: string, how: "on" | "below" | "over"): void {
    const { store } = this.#deps
    if (store.isEmpty) return
    if (how === "over") return this.over(run)
    const row = store.find(run)
    if (!row || row.state === STATE.joined) return
    // Nothing is asked of it any more, whoever began it.
    if (isKeyless(blockOf(row)) && row.body.window === undefined) store.remove(run)
    else if (row.state === STATE.begun && row.due !== null && row.body.superseded === undefined) store.update(row, { due: null })
  }

  /** The run and all below it have ended, it ended without having begun, or it is deleted. */
  over(run: string): void {
    const { store } = this.#deps
    const row = store.isEmpty ? undefined : store.find(run)
    if (!row || row.state === STATE.over || row.state === STATE.joined) return
    const { concurrency, throttle } = blockOf(row)
    const paced = row.began !== null && throttle ? row.began + throttle.period : 0
    const until = Math.max(paced, rememberedUntil(row))
    store.together(() => {
      if (until > this.#clock.now()) store.update(row, { state: STATE.over, filed: null, due: until })
      else this.#remove(row)
      if (concurrency && row.state === STATE.begun) store.wake(thingsOf("c", keyName(concurrency)))
    })
    if (until > 0) this.#clock.want(until)
    this.#words.sayLater(this.#looks.look())
  }

  #remove(row: LineRow): void {
    const { store } = this.#deps
    store.remove(row.run)
    if ((row.body.window?.number ?? 1) > 1)
      store.forgetJoined(row.run, row.n, row.n + 1_000 * ((row.body.window?.timeout ?? 0) + REMEMBERED_MS))
  }

  /** A place or the minute may have become free. */
  room(): void {
    this.#words.sayLater(this.#looks.room())
  }

  /** Is it still to begin? */
  waits(run: string): boolean {
    const state = this.#deps.store.find(run)?.state
    return state !== undefined && state <= STATE.inLine
  }

  /** [R18] */
  waiting(run: string): StartWait | undefined {
    const { store } = this.#deps
    const row = store.find(run)
    return row && askedWait(store, row)
  }

  /** [R18] */
  list(query: StartsQuery): StartsPage {
    return lineList(this.#deps.store, this.#deps.tenant, query)
  }

  /** [R3] The catalog has changed. */
  revised(): void {
    this.#looks.revised()
  }

  /** A time of the row has come. */
  #time(row: LineRow, now: number): void {
    const { store, isOwed } = this.#deps
    switch (row.state) {
      case STATE.delayed:
        return this.#enter(row, now)
      case STATE.inLine:
        if (now >= (expiryOf(row) ?? Number.POSITIVE_INFINITY)) return this.#expire(row, now)
        store.update(row, { due: this.#lookAt(row, now) })
        if (isHeldChild(row)) this.#deps.later(this.#ring(row.run).catch(() => undefined))
        return
      case STATE.window: {
        const { window } = row.body
        const ends = window === undefined ? now : beginsAfter(window)
        if (window === undefined || ends <= now) return window ? this.#windowOver(row, window, now) : this.#enter(row, now)
        store.update(row, { due: ends })
        return this.#clock.want(ends)
      }
      case STATE.over:
        return this.#remove(row)
      case STATE.given:
        if (row.body.arrived < now - 10 * UNSTORED_MS && !isOwed(row.run)) return store.remove(row.run)
        store.update(row, { due: now + UNSTORED_MS })
        return
      default:
        store.update(row, { due: now + AGAIN_MS })
    }
  }

  /** [R13] */
  #expire(row: LineRow, now: number): void {
    const { store } = this.#deps
    const what = waitWords(askedWait(store, row))
    const waited = Math.round((now - (row.ready ?? now)) / 1_000)
    this.#end(row, { expired: `the start waited in line for ${waited} s, the longest that its block allows: for ${what}` }, now)
  }

  #end(row: LineRow, end: UnbegunEnd, now: number): void {
    this.#deps.store.update(row, { state: STATE.ending, filed: null, due: now + AGAIN_MS, body: { ...row.body, end } })
  }

  /** [R13] The key's starts that wait begin no more. */
  cancelOf(key: string): void {
    const { store } = this.#deps
    const rows = store.isEmpty ? [] : store.waitingOf(key)
    store.together(() => {
      for (const row of rows) this.#end(row, { canceled: true }, this.#clock.now())
    })
    this.#words.sayLater(rows.map(({ run }) => run))
  }

  /** When a start in line is looked at: a child that may be in a ring before it expires; null: never. */
  #lookAt(row: LineRow, now: number): number | null {
    const expires = expiryOf(row)
    if (row.body.kind !== "child" || !blockOf(row).concurrency) return expires
    return Math.min(lookAgain(row.ready ?? now, now), expires ?? Number.POSITIVE_INFINITY)
  }

  /** [R14] A child that can never begin ends. */
  async #ring(run: string): Promise<void> {
    const ring = await this.#rings.find(run)
    const row = this.#deps.store.find(run)
    if (ring === undefined || !row) return
    this.#end(row, { ring }, this.#clock.now())
    this.#words.sayLater([run])
  }

  /** The tenant is deleted. */
  forget(): void {
    this.#clock.forget()
  }
}

const isHeldChild = ({ state, body, filed }: LineRow): boolean =>
  state === STATE.inLine && body.kind === "child" && filed?.startsWith("c") === true

/** [R11] */
const rememberedUntil = ({ body: { window } }: LineRow): number => (window && window.number > 1 ? windowEnd(window) + REMEMBERED_MS : 0)
