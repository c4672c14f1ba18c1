// Takes starts into the line as they arrive [R5]: one joins an open window, is skipped, is refused, or has a row from now on.

import { defined } from "../../../core/defined.ts"
import type { PriorityRank } from "../../../core/start/line.ts"
import { keyName, ROOM } from "../../../core/start/line-things.ts"
import { joined, opened, windowEnd, windowThing, type Window } from "../../../core/start/window.ts"
import { MAX_GIVEN_BYTES, MAX_GIVEN_FILES } from "../../../core/run/given-file.ts"
import { PRIORITIES, type StartBlock } from "../../../core/start/start-block.ts"
import { MOST_STARTERS } from "../../../engine/run/begin/gathered-start.ts"
import type { Arrived, LineAsk } from "../../../ports/tenant/line.ts"
import type { LineClock } from "./line-clock.ts"
import { isKeyless, STATE, type LineRow, type LineStore } from "./line-store.ts"
import type { StartGate } from "./start-gate.ts"

const MAX_OF_KEY = 1_000 // limit: starts of one key in line from API, MCP, doors and children → 429 `quota`, or a child fails softly
const MAX_WAITING = 10_000 // limit: starts of a tenant in line from API, MCP, doors and children → 429 `quota`, or a child fails softly
/** A start whose run's object has not stored it by then is asked for, and forgotten if nobody owes it. */
export const UNSTORED_MS = 120_000
/** How soon a full line is asked again. */
export const FULL_MS = 30_000
/** How long the last start of a window has to reach the run's object, before the run comes into line. */
const SETTLED_MS = 250
/** [F55] All files of a run's starts have the bounds of one start's. */
const GIVEN = { files: MAX_GIVEN_FILES, bytes: MAX_GIVEN_BYTES }

export interface ArrivalDeps {
  readonly store: LineStore
  readonly gate: StartGate
  /** Has the run begun or ended? */
  readonly hasBegun: (run: string) => boolean
}

/** [R18] Who else started a run: the others as they were, and one more. */
function startedAlso({ also = [] }: LineRow["body"], by: LineAsk["by"]): Pick<LineRow["body"], "also"> {
  if (by === undefined) return {}
  const { key_id: _id, ...other } = by
  const isKnown = also.some((one) => one.hook === other.hook && one.schedule === other.schedule && one.api_key === other.api_key)
  return isKnown ? {} : { also: [...also, other].slice(-MOST_STARTERS) }
}

const rankOf = ({ priority }: StartBlock): PriorityRank => PRIORITIES.indexOf(priority) as PriorityRank

/** What of a row follows from its block. */
export const columnsOf = (block: StartBlock): Pick<LineRow, "rank" | "held_key" | "held_limit" | "paced_key"> => {
  const { concurrency, throttle } = block
  return {
    rank: rankOf(block),
    held_key: concurrency ? keyName(concurrency) : null,
    held_limit: concurrency?.limit ?? null,
    paced_key: throttle ? keyName(throttle) : null,
  }
}

/** When a window's run comes into line: a start that has just been told its number is still on its way to the run's object. */
export const beginsAfter = (window: Window): number => Math.max(windowEnd(window), window.last + SETTLED_MS)

export class Arrivals {
  readonly #deps: ArrivalDeps
  readonly #clock: LineClock

  constructor(deps: ArrivalDeps, clock: LineClock) {
    this.#deps = deps
    this.#clock = clock
  }

  /** Repeated, it changes nothing. */
  arrive(ask: LineAsk): Arrived {
    const { store, gate, hasBegun } = this.#deps
    const { run, kind, block } = ask
    const there = store.find(run)
    const into = there?.body.into
    if (into && into.run !== ask.refused) return { ok: true, do: "joined", ...into }
    if (into) store.remove(run)
    else if (there || hasBegun(run)) return { ok: true, do: "stands", again: true, ...defined({ number: there?.body.number }) }
    const join = this.#join(ask)
    if (join) return join
    const { concurrency } = block
    const key = concurrency && keyName(concurrency)
    if (ask.beside !== undefined && !this.#mayStandBeside(ask.beside, block))
      return { ok: false, code: "thread_busy", message: `the run ${ask.beside} of this thread is still at work` }
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
      return { ok: true, do: "stands", ...defined({ number: this.insert(ask).body.number }) }
    }
    const place = gate.arrive(run)
    if (!place.ok && place.full === true) return { ok: false, code: "storage_full", message: place.why }
    if (!place.ok) return { ok: false, code: "quota", message: place.why, retry: place.retry, limits: place.limits }
    return { ok: true, do: "stands", limits: place.limits, ...defined({ number: this.insert(ask).body.number }) }
  }

  insert(ask: LineAsk): LineRow {
    const { store } = this.#deps
    const now = this.#clock.now()
    const given = this.#rowOf(ask, now)
    const window = ask.window && opened(ask.block, ask.window.brought, now)
    const filed = (ask.window && windowThing(ask.block, ask.window.kind)) ?? given.filed
    const row = window
      ? { ...given, state: STATE.window, filed, due: beginsAfter(window), body: { ...given.body, window, number: ask.order ?? given.n } }
      : given
    store.insert(row)
    this.#clock.want(row.due ?? now)
    return row
  }

  /** [R9] The start joins the open window of its kind; undefined: there is none that it fits into. */
  #join(ask: LineAsk): Arrived | undefined {
    const { store, gate } = this.#deps
    const clock = this.#clock
    const { run, kind, block, window, refused } = ask
    const thing = window && windowThing(block, window.kind)
    const open = thing === undefined ? undefined : store.window(thing)
    if (!window || !open?.body.window || open.run === refused) return undefined
    if (ask.beside !== undefined && ask.beside !== open.run) return undefined
    const now = clock.now()
    const next = joined(open.body.window, block, window.brought, { now, bounds: GIVEN })
    if (next === "over") return undefined
    if (next === "full") {
      store.update(open, { body: { ...open.body, window: { ...open.body.window, full: true } }, due: now })
      clock.want(now)
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
      const also = startedAlso(open.body, isLast ? open.body.by : ask.by)
      const said = isLast ? { ...body, ...defined({ by: ask.by }), block, latest: number } : open.body
      store.update(open, { ...(isLast ? columnsOf(block) : {}), body: { ...said, ...also, window: next }, due })
    })
    clock.want(ends)
    return { ok: true, do: "joined", ...into, ...defined({ limits: place?.limits }) }
  }

  /** [R16] Has the run of its thread the start's key, and does the start wait for it or take its place? */
  #mayStandBeside(run: string, { concurrency }: StartBlock): boolean {
    const row = this.#deps.store.find(run)
    const isThere = row !== undefined && row.state <= STATE.begun
    return isThere && concurrency !== undefined && concurrency.overlap !== "skip" && row.held_key === keyName(concurrency)
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
      // Whoever comes later and needs room alone goes behind it, also before its object has stored it.
      filed: isKeyless(block) ? ROOM : null,
      ready: null,
      began: null,
      due: now + UNSTORED_MS,
      ...columnsOf(block),
      body: { kind, block, arrived: now, ...defined({ by, above }) },
    }
  }
}
