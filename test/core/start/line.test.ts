// The line is a pure function of rows and time [R5, R6, R12]: what it begins is what an oracle begins that judges the whole list each time.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { concurrencyThing, keyName, MINUTE, NEW, ROOM, thingsOf } from "../../../src/core/start/line-things.ts"
import { look, MOST_READ, type InLine, type Line, type PriorityRank } from "../../../src/core/start/line.ts"
import { mayBegin, naiveLook, type Whole } from "./line-oracle.ts"

/** The rows as the tenant's object keeps them. A reset changes nothing: all of it is stored. */
class Rows {
  rows: InLine[] = []
  begun: { start: InLine; began: number; over: boolean }[] = []
  things = new Map<string, number | undefined>()
  places = 0
  room = { places: 1_000, minute: 1_000 }
  most = MOST_READ
  wasCut = false

  line(now: number): Line {
    return {
      woken: [...this.things].flatMap(([thing, due]) => (due !== undefined && due <= now ? [thing] : [])),
      first: (thing, rank, after) =>
        this.rows
          .filter((row) => row.filed === thing && row.rank === rank)
          .toSorted((a, b) => a.ready - b.ready || a.n - b.n)
          .find((row) => after === undefined || row.ready > after.ready || (row.ready === after.ready && row.n > after.n)),
      holders: (key) => {
        const limits = this.begun.flatMap(({ start, over }) =>
          !over && start.concurrency && keyName(start.concurrency) === key ? [start.concurrency.limit] : [],
        )
        return { count: limits.length, least: Math.min(Number.POSITIVE_INFINITY, ...limits) }
      },
      began: (key, count) =>
        this.begun
          .flatMap(({ start, began }) => (start.throttle && keyName(start.throttle) === key ? [began] : []))
          .toSorted((a, b) => b - a)[count - 1],
      places: this.places,
      room: this.room,
    }
  }

  look(now: number): InLine[] {
    const out: InLine[] = []
    for (;;) {
      const looked = look(this.line(now), now, this.most)
      expect(looked.read).toBeLessThanOrEqual(this.most)
      for (const { start } of looked.begin) {
        this.rows = this.rows.filter(({ run }) => run !== start.run)
        this.begun.push({ start, began: now, over: false })
        if (start.takes !== "nothing") this.room.places--
        if (start.takes === "place and minute") this.room.minute--
        out.push(start)
      }
      for (const { start, under, until } of looked.file) {
        this.rows = this.rows.map((row) => (row.run === start.run ? { ...row, filed: under } : row))
        this.things.set(under, until)
      }
      for (const { thing, until } of looked.asleep) this.things.set(thing, until)
      for (const thing of looked.empty) this.things.delete(thing)
      this.places = looked.places
      if (!looked.more) return out
      this.wasCut = true
    }
  }

  wake(prefix: string): void {
    for (const thing of this.things.keys()) if (thing.startsWith(prefix)) this.things.set(thing, 0)
  }

  add(start: InLine): void {
    this.rows.push(start)
  }

  end(run: string): void {
    const one = this.begun.find(({ start }) => start.run === run)
    if (!one || one.over) return
    one.over = true
    if (one.start.takes !== "nothing") this.room.places++
    this.wake(ROOM)
    if (one.start.concurrency) this.wake(thingsOf("c", keyName(one.start.concurrency)))
  }
}

type Act =
  | {
      readonly do: "start"
      readonly key: number
      readonly limit: number
      readonly throttle?: { key: number; limit: number }
      readonly rank: number
      readonly takes: number
    }
  | { readonly do: "end"; readonly which: number }
  | { readonly do: "pass"; readonly ms: number }
  | { readonly do: "minute" }

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("start" as const),
      key: fc.integer({ min: 0, max: 4 }),
      limit: fc.integer({ min: 1, max: 3 }),
      throttle: fc.option(fc.record({ key: fc.integer({ min: 0, max: 1 }), limit: fc.integer({ min: 1, max: 3 }) }), { nil: undefined }),
      rank: fc.integer({ min: 0, max: 2 }),
      takes: fc.integer({ min: 0, max: 2 }),
    }) as fc.Arbitrary<Act>,
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("end" as const), which: fc.nat(20) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 1_500 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: "minute" as const }) },
)

const TAKES = ["nothing", "place", "place and minute"] as const

function startOf({ key, limit, throttle, rank, takes }: Extract<Act, { do: "start" }>, n: number, now: number): InLine {
  return {
    run: `r${n}`,
    n,
    ready: now,
    rank: rank as PriorityRank,
    filed: NEW,
    // Key 4 stands for none.
    ...(key === 4 ? {} : { concurrency: { pool: "p", key: `k${key}`, limit } }),
    ...(throttle ? { throttle: { pool: "p", key: `t${throttle.key}`, limit: throttle.limit, period: 1_000 } } : {}),
    takes: TAKES[takes] ?? "nothing",
  }
}

function played(acts: readonly Act[], most: number, room: { places: number; minute: number }) {
  const rows = new Rows()
  rows.most = most
  rows.room = { ...room }
  const whole: Whole = { waiting: [], begun: [], places: 0, room: { ...room } }
  let now = 1_000_000
  const begun: [string[], string[]] = [[], []]
  for (const [n, one] of acts.entries()) {
    if (one.do === "start") {
      const start = startOf(one, n, now)
      rows.add(start)
      whole.waiting.push({ start, waited: false })
    } else if (one.do === "end") {
      const ending = whole.begun.filter(({ over }) => !over)[one.which]
      if (ending) {
        ending.over = true
        if (ending.start.takes !== "nothing") (whole.room as { places: number }).places++
        rows.end(ending.start.run)
      }
    } else if (one.do === "pass") now += one.ms
    else {
      ;(whole.room as { minute: number }).minute = rows.room.minute = room.minute
      rows.wake(MINUTE)
    }
    begun[0].push(...rows.look(now).map(({ run }) => `${run}@${now}`))
    begun[1].push(...naiveLook(whole, now).map(({ run }) => `${run}@${now}`))
    // Once more at the same rows.
    const again = look(rows.line(now), now)
    expect(again.begin).toEqual([])
    if (rows.wasCut) return { rows, whole, begun, now }
  }
  return { rows, whole, begun, now }
}

const history = fc.array(act, { maxLength: 60 })
const rooms = fc.record({ places: fc.integer({ min: 1, max: 8 }), minute: fc.integer({ min: 1, max: 8 }) })

describe("[R5] the line", () => {
  test("[R5] begins the same starts in the same order and at the same times as an oracle of the whole list, and nothing when it looks again", () => {
    fc.assert(
      fc.property(history, rooms, (acts, room) => {
        const { begun } = played(acts, 10_000, room)
        expect(begun[0]).toEqual(begun[1])
      }),
      { numRuns: 10_000 },
    )
  })

  test("[R5] a look that is cut goes on until nothing is left that may begin", () => {
    fc.assert(
      fc.property(history, rooms, (acts, room) => {
        const { rows, now } = played(acts, 26, room)
        const whole: Whole = { waiting: [], begun: rows.begun, places: 0, room: rows.room }
        expect(rows.rows.filter((start) => mayBegin(whole, now, start))).toEqual([])
      }),
      { numRuns: 1_000 },
    )
  })

  test("[R6] a key is held by no more runs than the least limit of those that hold it, and no period has more beginnings than its limit", () => {
    fc.assert(
      fc.property(history, rooms, (acts, room) => {
        const { rows } = played(acts, 10_000, room)
        const held = Map.groupBy(
          rows.begun.filter(({ start, over }) => !over && start.concurrency),
          ({ start }) => start.concurrency?.key,
        )
        for (const holders of held.values())
          expect(holders.length).toBeLessThanOrEqual(Math.min(...holders.map(({ start }) => start.concurrency?.limit ?? 0)))
        for (const { start, began } of rows.begun) {
          const { throttle } = start
          if (!throttle) continue
          const within = rows.begun.filter(
            (other) => other.start.throttle?.key === throttle.key && other.began > began - throttle.period && other.began <= began,
          )
          // Others of the key may have allowed themselves more: those that began before this one, and this one, are at most its limit.
          const before = within.filter(
            (other) => other.began < began || rows.begun.indexOf(other) <= rows.begun.findIndex((o) => o.start === start),
          )
          expect(before.length).toBeLessThanOrEqual(throttle.limit)
        }
      }),
      { numRuns: 1_000 },
    )
  })
})

const plain = (n: number, rank: PriorityRank, key = "k"): InLine => ({
  run: `r${n}`,
  n,
  ready: n,
  rank,
  filed: NEW,
  concurrency: { pool: "p", key, limit: 1 },
  takes: "nothing",
})

test("[R12] with endless high starts a low one is among the next five, and with 100 low ones a high one is the next but the fifth", () => {
  const rows = new Rows()
  rows.add(plain(0, 1))
  expect(rows.look(0)).toHaveLength(1)
  rows.add(plain(1, 2))
  const order: string[] = []
  let running = "r0"
  for (let n = 2; n < 12; n++) {
    rows.add(plain(n, 0))
    rows.look(n)
    rows.end(running)
    const [next] = rows.look(n)
    running = next?.run ?? ""
    order.push(running)
  }
  expect(order.indexOf("r1")).toBeLessThan(5)
  const many = new Rows()
  for (let n = 0; n < 101; n++) many.add(plain(n, 2))
  many.look(200)
  many.add({ ...plain(300, 0), ready: 300 })
  many.look(300)
  many.end("r0")
  expect(many.look(301).map(({ run }) => run)).toEqual(["r300"])
})

test("[R5] with 10,000 starts of one key in line, a beginning reads few of them", () => {
  const rows = new Rows()
  rows.rows = Array.from({ length: 10_000 }, (_, n) => ({ ...plain(n + 1, 1), filed: concurrencyThing({ pool: "p", key: "k", limit: 1 }) }))
  rows.things.set(concurrencyThing({ pool: "p", key: "k", limit: 1 }), 0)
  const looked = look(rows.line(0), 0)
  expect(looked.begin.map(({ start }) => start.run)).toEqual(["r1"])
  expect(looked.read).toBeLessThanOrEqual(2)
})

test("[R5] a start that may not begin holds up no start with another key", () => {
  const rows = new Rows()
  for (let n = 0; n < 5; n++) rows.add(plain(n, 0))
  rows.add(plain(9, 2, "other"))
  expect(rows.look(10).map(({ run }) => run)).toEqual(["r0", "r9"])
})
