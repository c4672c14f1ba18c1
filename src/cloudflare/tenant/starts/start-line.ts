// Keeps the line of starts [R5]: what comes into it, what a time of it means, and what leaves it. A run begins by this object's word alone,
// which is repeated until it is heard [R20]. A run that only waits for room [H6] stands here too.

import { defined } from "../../../core/defined.ts"
import { keyName, NEW, PAUSED, thingsOf } from "../../../core/start/line-things.ts"
import { isLined } from "../../../core/start/start-block.ts"
import type { StartWait } from "../../../core/start/start-wait.ts"
import { windowEnd } from "../../../core/start/window.ts"
import type { Arrived, LineAsk, StartWord, StartsPage, StartsQuery } from "../../../ports/tenant/line.ts"
import type { DueWork } from "../tenant-alarm.ts"
import { Arrivals, columnsOf, type ArrivalDeps } from "./arrivals.ts"
import { AtOnce, type BegunNow } from "./at-once.ts"
import { LineClock, type LineClockDeps } from "./line-clock.ts"
import { LineEntries } from "./line-entries.ts"
import { lineList } from "./line-list.ts"
import { LineLooks, type LookDeps } from "./line-looks.ts"
import { blockOf, isKeyless, STATE, type LineRow } from "./line-store.ts"
import { isHeldChild, LineTimes } from "./line-times.ts"
import { askedWait } from "./line-wait.ts"
import { Rings, type RingDeps } from "./rings.ts"
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
  readonly #entries: LineEntries
  readonly #times: LineTimes
  readonly #atOnce: AtOnce

  constructor(deps: LineDeps) {
    this.#deps = deps
    this.#clock = new LineClock(deps)
    this.#arrivals = new Arrivals(deps, this.#clock)
    this.#words = new StartWords(deps, (run, isThere) => {
      if (!isThere) deps.gate.giveBack(run)
      this.over(run)
    })
    this.#looks = new LineLooks(deps, this.#clock, (runs) => this.#words.say(runs))
    const sayLater = (runs: readonly string[]): void => this.#words.sayLater(runs)
    this.#entries = new LineEntries({ ...deps, sayLater }, this.#clock)
    const remove = (row: LineRow): void => this.#remove(row)
    this.#times = new LineTimes({ ...deps, sayLater, remove }, { clock: this.#clock, entries: this.#entries, rings: new Rings(deps) })
    const insert = (ask: LineAsk): LineRow => this.#arrivals.insert(ask)
    this.#atOnce = new AtOnce({ ...deps, insert, look: () => this.#looks.look(), sayLater }, this.#clock)
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
      for (const row of due) this.#times.come(row, now)
    })
    const said = due.flatMap(({ run }) => store.find(run) ?? []).filter(({ state }) => state > STATE.inLine || state === STATE.given)
    const begun = this.#looks.look()
    await this.#words.say([...new Set([...said.map(({ run }) => run), ...begun])])
  }

  /** A start arrives. Repeated, it changes nothing. */
  arrive(ask: LineAsk): Arrived {
    return this.#arrivals.arrive(ask)
  }

  /** [R15] The start begins now, or not at all. */
  beginNow(ask: LineAsk): BegunNow {
    return this.#atOnce.begin(ask)
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
    if (row.state === STATE.given) store.together(() => this.#entries.delay(row, row.body.arrived, now))
    const begun = this.#looks.look()
    this.#words.sayLater(begun.filter((run) => run !== ask.run))
    const after = store.find(ask.run)
    if (after && isHeldChild(after)) this.#times.ringLater(ask.run)
    return after?.state === STATE.begun ? wordOf(after) : undefined
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

  /** [R11] Has its start joined another run? */
  isElsewhere(run: string): boolean {
    const { store } = this.#deps
    return !store.isEmpty && store.find(run)?.state === STATE.joined
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

  /** [R13] The starts of the key with this id that wait begin no more. Were there any? */
  cancelOf(key: string): boolean {
    const { store } = this.#deps
    const rows = store.isEmpty ? [] : store.waitingOf(key)
    store.together(() => {
      for (const row of rows) this.#times.end(row, { canceled: true }, this.#clock.now())
    })
    this.#words.sayLater(rows.map(({ run }) => run))
    return rows.length > 0
  }

  /** The tenant is deleted. */
  forget(): void {
    this.#clock.forget()
  }
}

/** [R11] */
const rememberedUntil = ({ body: { window } }: LineRow): number => (window && window.number > 1 ? windowEnd(window) + REMEMBERED_MS : 0)
