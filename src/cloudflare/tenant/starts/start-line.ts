// Goes through the line of starts [R5] whenever a start comes into it, a run ends, or a time comes. What begins is decided by core/start/line.ts;
// here are its rows, and the words that others must hear. A run begins by this object's word alone, which is repeated until it is heard [R20].

import type { StartWait } from "../../../core/start/start-wait.ts"
import { defined } from "../../../core/defined.ts"
import type { StartTimes } from "../../../core/run/event-parts.ts"
import { look, supersedes, type Line, type Looked, type PriorityRank } from "../../../core/start/line.ts"
import { heldBy, keyName, MINUTE, NEW, PAUSED, ROOM, thingsOf } from "../../../core/start/line-things.ts"
import { joined, opened, windowEnd, windowThing, type Window } from "../../../core/start/window.ts"
import { MAX_GIVEN_BYTES, MAX_GIVEN_FILES } from "../../../core/run/given-file.ts"
import { blockNow, PRIORITIES, type FlowRules, type StartBlock } from "../../../core/start/start-block.ts"
import { failedOf } from "../../../engine/at-once.ts"
import type { Arrived, HeldWord, LineAsk, StartWord, StartsPage, StartsQuery } from "../../../ports/tenant/line.ts"
import type { DueWork } from "../tenant-alarm.ts"
import { blockOf, inLineOf, STATE, type LineRow, type LineStore } from "./line-store.ts"
import { lineList } from "./line-list.ts"
import { askedWait } from "./line-wait.ts"
import type { StartGate } from "./start-gate.ts"

const MAX_OF_KEY = 1_000 // limit: starts of one key in line from API, MCP, doors and children → 429 `quota`, or a child fails softly
const MAX_WAITING = 10_000 // limit: starts of a tenant in line from API, MCP, doors and children → 429 `quota`, or a child fails softly
/** A start whose run's object has not stored it by then is asked for, and forgotten if nobody owes it. */
const UNSTORED_MS = 120_000
/** A word that was not heard is said again after so long. */
const AGAIN_MS = 5_000
/** How soon a full line is asked again. */
const FULL_MS = 30_000
/** How long the last start of a window has to reach the run's object, before the run comes into line. */
const SETTLED_MS = 250
const REMEMBERED_MS = 86_400_000 // limit: milliseconds after a window's end that who joined it is remembered → a start that is sent again starts a run
/** Rows of the line that one alarm works off. */
const BATCH = 50

export interface LineDeps {
  readonly store: LineStore
  readonly tenant: string
  readonly gate: StartGate
  /** Tells a run's object. false: it holds no start, and no run has begun there. */
  readonly tell: (run: string, word: HeldWord) => Promise<boolean>
  /** [R8] false: there is no such run. */
  readonly supersede: (run: string, by: string) => Promise<boolean>
  /** Does a delivery or a fire still owe the run its start? */
  readonly isOwed: (run: string) => boolean
  /** Has the run begun or ended? */
  readonly hasBegun: (run: string) => boolean
  /** [R3] The numbers of the flow's block as the catalog has it; undefined: there is no such flow. */
  readonly rules: (flow: string) => Promise<FlowRules | undefined>
  readonly want: (at: number) => void
  readonly later: (work: Promise<unknown>) => void
  readonly now: () => number
}

/** [F55] All files of a run's starts have the bounds of one start's. */
const GIVEN = { files: MAX_GIVEN_FILES, bytes: MAX_GIVEN_BYTES }

const rankOf = ({ priority }: StartBlock): PriorityRank => PRIORITIES.indexOf(priority) as PriorityRank

export class StartLine implements DueWork {
  readonly name = "line"
  readonly #deps: LineDeps
  /** The line's clock never goes back: what it is ahead of this object's clock, and the time that it last said. */
  #ahead = 0
  /** The numbers of flows were read since this object woke. */
  #isRuled = false
  #last: number | undefined

  constructor(deps: LineDeps) {
    this.#deps = deps
  }

  readonly due = (): number | undefined => {
    if (!this.#deps.store.isThere) return undefined
    this.#now()
    const due = this.#deps.store.nextDue()
    return due === undefined ? undefined : due - this.#ahead
  }

  readonly work = async (): Promise<void> => {
    const { store } = this.#deps
    const now = this.#now()
    const due = store.due(now, BATCH)
    store.together(() => {
      for (const row of due) this.#time(row, now)
    })
    const said = due.flatMap(({ run }) => store.find(run) ?? []).filter(({ state }) => state > STATE.inLine || state === STATE.given)
    const begun = this.look()
    await this.#say([...new Set([...said.map(({ run }) => run), ...begun])])
  }

  /** A start arrives [R5]. Repeated, it changes nothing. */
  arrive(ask: LineAsk): Arrived {
    const { store, gate, hasBegun } = this.#deps
    const { run, kind, block } = ask
    const there = store.find(run)
    const into = there?.body.into
    if (into && into.run !== ask.refused) return { ok: true, do: "joined", ...into }
    if (into) store.remove(run)
    else if (there || hasBegun(run)) return { ok: true, do: "stands", ...defined({ number: there?.body.number }) }
    const join = this.#join(ask)
    if (join) return join
    const { concurrency } = block
    const key = concurrency && keyName(concurrency)
    if (key !== undefined && this.#isAbove(ask, key)) return { ok: true, do: "free" }
    if (concurrency?.overlap === "skip" && store.ofKey(keyName(concurrency), concurrency.limit) >= concurrency.limit)
      return {
        ok: false,
        code: "key_busy",
        ...defined({ run: store.holding(keyName(concurrency), 1)[0]?.run }),
        pool: concurrency.pool,
        key: concurrency.key,
      }
    const isBounded = kind !== "webhook" && kind !== "schedule"
    const full = isBounded ? this.#full(key) : undefined
    if (full !== undefined) return { ok: false, code: "quota", message: full, retry: FULL_MS, limits: gate.room() }
    if (!isBounded || kind === "child") {
      return { ok: true, do: "stands", ...defined({ number: this.#insert(ask).body.number }) }
    }
    const place = gate.arrive(run)
    if (!place.ok && place.full === true) return { ok: false, code: "storage_full", message: place.why }
    if (!place.ok) return { ok: false, code: "quota", message: place.why, retry: place.retry, limits: place.limits }
    return { ok: true, do: "stands", limits: place.limits, ...defined({ number: this.#insert(ask).body.number }) }
  }

  /** [R9] The start joins the open window of its kind; undefined: there is none that it fits into. */
  #join(ask: LineAsk): Arrived | undefined {
    const { store, gate, want } = this.#deps
    const { run, kind, block, window, refused } = ask
    const thing = window && windowThing(block, window.kind)
    const open = thing === undefined ? undefined : store.window(thing)
    if (!window || !open?.body.window || open.run === refused) return undefined
    const now = this.#now()
    const next = joined(open.body.window, block, window.brought, { now, bounds: GIVEN })
    if (next === "over") return undefined
    if (next === "full") {
      store.update(open, { body: { ...open.body, window: { ...open.body.window, full: true } }, due: now })
      want(now - this.#ahead)
      return undefined
    }
    const place = kind === "api" || kind === "mcp" ? gate.arrive(run) : undefined
    if (place?.ok === false && place.full === true) return { ok: false, code: "storage_full", message: place.why }
    if (place?.ok === false) return { ok: false, code: "quota", message: place.why, retry: place.retry, limits: place.limits }
    const row = this.#rowOf(ask, now)
    const number = ask.order ?? row.n
    const into = { run: open.run, number }
    // [R11] The highest number counts: an older start changes nothing but the window's end.
    const isLast = number > (open.body.latest ?? open.body.number ?? 0)
    const { now: _ruled, ...body } = open.body
    const ends = beginsAfter(next)
    store.together(() => {
      store.insert({
        ...row,
        state: STATE.joined,
        due: null,
        held_key: null,
        held_limit: null,
        paced_key: null,
        body: { kind, block, arrived: now, into },
      })
      // A time that has become later is found when the earlier one comes.
      const due = open.due !== null && ends > open.due ? open.due : ends
      const last = isLast ? { ...keysOf(block), rank: rankOf(block) } : {}
      const said = isLast ? { ...body, block, latest: number } : open.body
      store.update(open, { ...last, body: { ...said, window: next }, due })
    })
    want(ends - this.#ahead)
    return { ok: true, do: "joined", ...into, ...defined({ limits: place?.limits }) }
  }

  /** [R14] Does a run above the child hold its key? */
  #isAbove({ above = [] }: LineAsk, key: string): boolean {
    const { store } = this.#deps
    return above.some((run) => {
      const row = store.find(run)
      return row?.state === STATE.begun && row.held_key === key
    })
  }

  /** [R17] */
  #full(key: string | undefined): string | undefined {
    const { store } = this.#deps
    // A key has no more than all have.
    if (store.waitingCount(undefined, MAX_OF_KEY) < MAX_OF_KEY) return undefined
    if (key !== undefined && store.waitingCount(key, MAX_OF_KEY) >= MAX_OF_KEY)
      return `${MAX_OF_KEY} starts of this key wait, and no more may`
    if (store.waitingCount(undefined, MAX_WAITING) >= MAX_WAITING) return `${MAX_WAITING} starts of this tenant wait, and no more may`
    return undefined
  }

  #rowOf({ run, flow, kind, block, by, above }: LineAsk, now: number): LineRow {
    return {
      n: Math.max(this.#deps.store.last() + 1, now * 1_000),
      run,
      flow,
      state: STATE.given,
      rank: rankOf(block),
      filed: null,
      ready: null,
      began: null,
      due: now + UNSTORED_MS,
      ...keysOf(block),
      body: { kind, block, arrived: now, ...defined({ by, above }) },
    }
  }

  #insert(ask: LineAsk): LineRow {
    const { store, want } = this.#deps
    const now = this.#now()
    const given = this.#rowOf(ask, now)
    const window = ask.window && opened(ask.block, ask.window.brought, now)
    const filed = (ask.window && windowThing(ask.block, ask.window.kind)) ?? null
    const row = window
      ? { ...given, state: STATE.window, filed, due: beginsAfter(window), body: { ...given.body, window, number: ask.order ?? given.n } }
      : given
    store.insert(row)
    want((row.due ?? now) - this.#ahead)
    return row
  }

  /** [R9] A window is over: its start waits for its delay, or comes into line. */
  #windowOver(row: LineRow, window: Window, now: number): void {
    const { store, want } = this.#deps
    const { delay } = blockOf(row)
    const until = delay === undefined ? now : "at" in delay ? delay.at : windowEnd(window) + delay.ms
    if (until <= now) return this.#enter(row, now)
    store.update(row, { state: STATE.delayed, filed: null, due: until })
    want(until - this.#ahead)
  }

  /** The run's object has stored the start. Its word alone keeps the place. The answer is the word by which it begins; undefined: it waits. */
  stored(ask: LineAsk, isPaused: boolean): StartWord | undefined {
    const { store } = this.#deps
    let row = store.find(ask.run) ?? this.#insert(ask)
    const now = this.#now()
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
        store.update(row, { state: STATE.delayed, due: until })
        this.#deps.want(until - this.#ahead)
      } else store.together(() => this.#enter(row, now))
    }
    const begun = this.look()
    this.#sayLater(begun.filter((run) => run !== ask.run))
    const after = store.find(ask.run)
    return after?.state === STATE.begun ? wordOf(after) : undefined
  }

  /** The start comes into line. */
  #enter(row: LineRow, now: number): void {
    const { store, want } = this.#deps
    const due = now + blockOf(row).expires
    const entered = store.update(row, { state: STATE.inLine, ready: now, filed: row.body.paused ? PAUSED : NEW, due })
    want(due - this.#ahead)
    this.#supersede(entered, now)
  }

  /** [R7, R8] */
  #supersede(row: LineRow, now: number): void {
    const { concurrency } = blockOf(row)
    if (concurrency?.overlap !== "supersede") return
    const { store, want } = this.#deps
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
    want(now - this.#ahead)
    this.#sayLater(found.map(({ run }) => run))
  }

  /** A run that stands in the line has reported that it goes on. */
  heard(run: string): void {
    const row = this.#deps.store.find(run)
    if (row?.state === STATE.begun && row.due !== null && row.body.superseded === undefined) this.#deps.store.update(row, { due: null })
  }

  /** The run and all below it have ended, it ended without having begun, or it is deleted. */
  over(run: string): void {
    const { store, want } = this.#deps
    const row = store.find(run)
    if (!row || row.state === STATE.over || row.state === STATE.joined) return
    const { concurrency, throttle } = blockOf(row)
    const paced = row.began !== null && throttle ? row.began + throttle.period : 0
    const until = Math.max(paced, rememberedUntil(row))
    store.together(() => {
      if (until > this.#now()) store.update(row, { state: STATE.over, filed: null, due: until })
      else this.#remove(row)
      if (concurrency && row.state === STATE.begun) store.wake(thingsOf("c", keyName(concurrency)))
    })
    if (until > 0) want(until - this.#ahead)
    this.#sayLater(this.look())
  }

  #remove(row: LineRow): void {
    const { store } = this.#deps
    store.remove(row.run)
    if ((row.body.window?.number ?? 1) > 1)
      store.forgetJoined(row.run, row.n, row.n + 1_000 * ((row.body.window?.timeout ?? 0) + REMEMBERED_MS))
  }

  /** A place or the minute may have become free. */
  room(): void {
    const { store } = this.#deps
    if (!store.isThere) return
    const isWoken = [store.wake(ROOM), store.wake(MINUTE)].includes(true)
    if (isWoken) this.#sayLater(this.look())
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

  /** [R3] The catalog has changed, or may have changed while this object was away. */
  revised(): void {
    this.#isRuled = true
    if (this.#deps.store.isThere) this.#deps.later(Promise.resolve().then(() => this.changed()))
  }

  /** [R3] The catalog has changed: the numbers of flows with starts here are read anew, and the line is gone through at once. */
  async changed(): Promise<void> {
    const { store, rules } = this.#deps
    for (const flow of store.flows()) {
      const now = await rules(flow)
      store.together(() => {
        for (const row of store.ofFlow(flow)) this.#ruled(row, now)
      })
    }
    this.#sayLater(this.look())
  }

  #ruled(row: LineRow, rules: FlowRules | undefined): void {
    const { store, want } = this.#deps
    const block = blockNow(row.body.block, rules)
    const before = blockOf(row)
    if (JSON.stringify(block) === JSON.stringify(before)) return
    const { concurrency, throttle } = block
    const isInLine = row.state === STATE.inLine && row.ready !== null
    const due = isInLine ? (row.ready ?? 0) + block.expires : row.due
    store.update(row, {
      body: { ...row.body, now: block },
      held_key: concurrency ? keyName(concurrency) : null,
      held_limit: concurrency?.limit ?? null,
      paced_key: throttle ? keyName(throttle) : null,
      filed: isInLine && row.filed !== PAUSED ? NEW : row.filed,
      due,
    })
    if (due !== null) want(due - this.#ahead)
    if (before.concurrency) store.wake(thingsOf("c", keyName(before.concurrency)))
    if (before.throttle) store.wake(thingsOf("t", keyName(before.throttle)))
  }

  /** Begins what may begin. The answer: the runs whose objects do not know it yet. */
  look(): readonly string[] {
    const { store, want, gate, later } = this.#deps
    if (!store.isThere) return []
    if (!this.#isRuled) this.revised()
    const now = this.#now()
    const own = store.own()
    const limits = gate.room()
    const isFull = limits.places === 0 && limits.concurrent.left > 0 && limits.starts.left > 0
    const line: Line = {
      woken: store.woken(now, BATCH),
      first(thing, rank, after) {
        const row = store.first(thing, rank, after, own.upTo)
        return row && inLineOf(row)
      },
      holders: (key) => store.holders(key),
      began: (key, count) => store.began(key, count),
      places: own.places,
      room: { places: isFull ? 0 : limits.concurrent.left, minute: isFull ? 0 : limits.starts.left },
    }
    const looked = look(line, now)
    store.together(() => this.#write(looked, own, now))
    const next = store.nextDue()
    if (next !== undefined) want(next - this.#ahead)
    // What it leaves is looked at next, in a turn of its own.
    if (looked.more) later(Promise.resolve().then(() => this.#say(this.look())))
    return looked.begin.map(({ start }) => start.run)
  }

  #write({ begin, file, asleep, empty, places, more }: Looked, own: ReturnType<LineStore["own"]>, now: number): void {
    const { store, gate } = this.#deps
    const full = gate.fullUntil() ?? this.#deps.now() + FULL_MS
    const untilOf = (thing: string, until: number | undefined): number | undefined =>
      thing === ROOM || thing === MINUTE ? full + this.#ahead : until
    for (const { start, held } of begin) {
      const row = store.find(start.run)
      if (!row) continue
      const body = held === undefined ? row.body : { ...row.body, held }
      store.update(row, { state: STATE.begun, began: now, filed: null, due: now + AGAIN_MS, body })
      if (start.takes !== "nothing") gate.begin(start.run, start.takes === "place and minute")
    }
    for (const { start, under, until } of file) {
      const row = store.find(start.run)
      if (row) store.update(row, { filed: under })
      store.sleep(under, untilOf(under, until))
    }
    for (const { thing, until } of asleep) store.sleep(thing, untilOf(thing, until))
    for (const thing of empty) store.empty(thing)
    const upTo = more ? (own.upTo ?? now) : undefined
    if (places !== own.places || upTo !== own.upTo) store.keepOwn(places, upTo)
  }

  /** A time of the row has come. */
  #time(row: LineRow, now: number): void {
    const { store, isOwed } = this.#deps
    switch (row.state) {
      case STATE.delayed:
        return this.#enter(row, now)
      case STATE.inLine: {
        const wait = askedWait(store, row)
        const what = wait.key === undefined ? wait.reason : `${wait.reason} (key "${wait.key}" of "${wait.pool}")`
        const end = {
          expired: `the start waited in line for ${blockOf(row).expires / 1_000} s, the longest that its block allows: for ${what}`,
        }
        store.update(row, { state: STATE.ending, filed: null, due: now + AGAIN_MS, body: { ...row.body, end } })
        return
      }
      case STATE.window: {
        const { window } = row.body
        const ends = window === undefined ? now : beginsAfter(window)
        if (window === undefined || ends <= now) return window ? this.#windowOver(row, window, now) : this.#enter(row, now)
        store.update(row, { due: ends })
        return this.#deps.want(ends - this.#ahead)
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

  #sayLater(runs: readonly string[]): void {
    if (runs.length > 0) this.#deps.later(this.#say(runs).catch(() => undefined))
  }

  /** Tells the objects of these runs what they must hear. What does not arrive is said again by the alarm. */
  async #say(runs: readonly string[]): Promise<void> {
    const [failed] = await failedOf(runs, (run) => this.#sayTo(run))
    if (failed) throw failed.error
  }

  async #sayTo(run: string): Promise<void> {
    const { store, tell, supersede, isOwed } = this.#deps
    const row = store.find(run)
    if (!row) return
    if (row.state === STATE.begun) {
      const by = row.body.superseded
      // The word first: the run may not have heard that it began.
      const isThere = (await tell(run, { word: wordOf(row) })) && (by === undefined || (await supersede(run, by)))
      const after = store.find(run)
      if (!isThere) this.over(run)
      else if (after?.due !== null && after?.state === STATE.begun && after.body.superseded === by) store.update(after, { due: null })
    } else if (row.state === STATE.ending && row.body.end) {
      await tell(run, { end: row.body.end, times: timesOf(row) })
      this.over(run)
    } else if (row.state === STATE.given && !(await tell(run, "report")) && !isOwed(run)) this.over(run)
  }

  /** The tenant is deleted. */
  forget(): void {
    this.#last = undefined
    this.#ahead = 0
  }

  #now(): number {
    const real = this.#deps.now()
    this.#last ??= Math.floor(this.#deps.store.last() / 1_000)
    if (real + this.#ahead < this.#last) this.#ahead = this.#last - real
    return (this.#last = real + this.#ahead)
  }
}

function wordOf(row: LineRow): StartWord {
  const { arrived, held } = row.body
  return {
    arrived,
    ...defined({ ready: row.ready ?? undefined, began: row.began ?? undefined, held: held === undefined ? undefined : heldBy(held) }),
    ...mergedOf(row),
  }
}

/** Of a start that ends without having begun. */
const timesOf = (row: LineRow): StartTimes => ({
  arrived: row.body.arrived,
  ...defined({ ready: row.ready ?? undefined }),
  ...mergedOf(row),
})

const mergedOf = ({ body: { window } }: LineRow) => (window && window.number > 1 ? { merged: window.number } : {})

const keysOf = ({ concurrency, throttle }: StartBlock): Pick<LineRow, "held_key" | "held_limit" | "paced_key"> => ({
  held_key: concurrency ? keyName(concurrency) : null,
  held_limit: concurrency?.limit ?? null,
  paced_key: throttle ? keyName(throttle) : null,
})

/** When a window's run comes into line: a start that has just been told its number is still on its way to the run's object. */
const beginsAfter = (window: Window): number => Math.max(windowEnd(window), window.last + SETTLED_MS)

/** [R11] */
const rememberedUntil = ({ body: { window } }: LineRow): number => (window && window.number > 1 ? windowEnd(window) + REMEMBERED_MS : 0)
