// Looks at the line [R5]: core/start/line.ts decides what begins, and this writes it. Reads the flows' numbers anew when the catalog changes [R3].

import { look, type Line, type Looked } from "../../../core/start/line.ts"
import { keyName, MINUTE, NEW, PAUSED, ROOM, thingsOf } from "../../../core/start/line-things.ts"
import { blockNow, type FlowRules } from "../../../core/start/start-block.ts"
import { columnsOf, FULL_MS } from "./arrivals.ts"
import type { LineClock } from "./line-clock.ts"
import { blockOf, expiryOf, inLineOf, STATE, type LineRow, type LineStore } from "./line-store.ts"
import type { StartGate } from "./start-gate.ts"

/** A word that was not heard is said again after so long. */
export const AGAIN_MS = 5_000
/** Things that one look may open. */
const THINGS = 50

export interface LookDeps {
  readonly store: LineStore
  readonly gate: StartGate
  /** [R3] The numbers of the flow's block as the catalog has it; undefined: there is no such flow. */
  readonly rules: (flow: string) => Promise<FlowRules | undefined>
  readonly later: (work: Promise<unknown>) => void
  readonly now: () => number
}

export class LineLooks {
  readonly #deps: LookDeps
  readonly #clock: LineClock
  /** Tells the objects of runs that begin. */
  readonly #say: (runs: readonly string[]) => Promise<void>
  /** Something may be filed under room; true until it is known better. */
  #waitsForRoom = true
  /** The numbers of flows were read since this object woke. */
  #isRuled = false

  constructor(deps: LookDeps, clock: LineClock, say: (runs: readonly string[]) => Promise<void>) {
    this.#deps = deps
    this.#clock = clock
    this.#say = say
  }

  /** Begins what may begin. The answer: the runs whose objects do not know it yet. */
  look(): readonly string[] {
    const { store, gate, later } = this.#deps
    if (!store.isThere) return []
    if (!this.#isRuled) this.revised()
    const now = this.#clock.now()
    const own = store.own()
    const limits = gate.room()
    const isFull = limits.places === 0 && limits.concurrent.left > 0 && limits.starts.left > 0
    const line: Line = {
      woken: store.woken(now, THINGS),
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
    if (next !== undefined) this.#clock.want(next)
    // What it leaves is looked at next, in a turn of its own.
    if (looked.more) later(Promise.resolve().then(() => this.#say(this.look())))
    return looked.begin.map(({ start }) => start.run)
  }

  /** A place or the minute may have become free. The answer is that of a look. */
  room(): readonly string[] {
    const { store } = this.#deps
    // Every report of an end asks.
    if (!this.#waitsForRoom || !store.isThere) return []
    this.#waitsForRoom = [store.wake(ROOM), store.wake(MINUTE)].includes(true)
    return this.#waitsForRoom ? this.look() : []
  }

  /** [R3] The catalog has changed, or may have changed while this object was away. */
  revised(): void {
    const { store, later } = this.#deps
    this.#isRuled = true
    if (store.isThere) later(Promise.resolve().then(() => this.#changed()))
  }

  /** The numbers of flows with starts here are read anew, and the line is gone through at once. */
  async #changed(): Promise<void> {
    const { store, rules } = this.#deps
    for (const flow of store.flows()) {
      const now = await rules(flow)
      store.together(() => {
        for (const row of store.ofFlow(flow)) this.#ruled(row, now)
      })
    }
    await this.#say(this.look()).catch(() => undefined)
  }

  #ruled(row: LineRow, rules: FlowRules | undefined): void {
    const { store } = this.#deps
    const block = blockNow(row.body.block, rules)
    const before = blockOf(row)
    if (JSON.stringify(block) === JSON.stringify(before)) return
    const isInLine = row.state === STATE.inLine && row.ready !== null
    const due = isInLine ? expiryOf({ ...row, body: { ...row.body, now: block } }) : row.due
    store.update(row, {
      body: { ...row.body, now: block },
      ...columnsOf(block),
      filed: isInLine && row.filed !== PAUSED ? NEW : row.filed,
      due,
    })
    if (due !== null) this.#clock.want(due)
    if (before.concurrency) store.wake(thingsOf("c", keyName(before.concurrency)))
    if (before.throttle) store.wake(thingsOf("t", keyName(before.throttle)))
  }

  #write({ begin, file, asleep, empty, places, more }: Looked, own: ReturnType<LineStore["own"]>, now: number): void {
    const { store, gate } = this.#deps
    const full = this.#clock.lines(gate.fullUntil() ?? this.#deps.now() + FULL_MS)
    const untilOf = (thing: string, until: number | undefined): number | undefined => (thing === ROOM || thing === MINUTE ? full : until)
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
      if (under === ROOM || under === MINUTE) this.#waitsForRoom = true
      store.sleep(under, untilOf(under, until))
    }
    for (const { thing, until } of asleep) store.sleep(thing, untilOf(thing, until))
    for (const thing of empty) store.empty(thing)
    const upTo = more ? (own.upTo ?? now) : undefined
    if (places !== own.places || upTo !== own.upTo) store.keepOwn(places, upTo)
  }
}
