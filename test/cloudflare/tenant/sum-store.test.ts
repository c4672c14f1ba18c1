// The rows of sums [H16]: one for each flow and hour and one for all, written once for a batch; days made of hours; what is old leaves in parts.

import { expect, test } from "vitest"
import type { DeskLeases } from "../../../src/cloudflare/desks/desk-leases.ts"
import { DesksRoom } from "../../../src/cloudflare/desks/desks-room.ts"
import { SumReader } from "../../../src/cloudflare/tenant/insight/sum-reader.ts"
import { SumStore } from "../../../src/cloudflare/tenant/insight/sum-store.ts"
import { TenantSql } from "../../../src/cloudflare/tenant/tenant-sql.ts"
import { noDurations, observe } from "../../../src/core/run/usage/histogram.ts"
import type { RunSum } from "../../../src/core/run/usage/run-sum.ts"
import { sumOfAll, type Sum } from "../../../src/core/run/usage/sum.ts"
import type { DeskAnswer, DeskReport } from "../../../src/ports/desks.ts"
import type { ListedRun, Noted } from "../../../src/ports/tenant/run-list.ts"
import { KEPT_DAYS, KEPT_HOURS } from "../../../src/ports/tenant/sums.ts"
import { sqliteStorage } from "../../support/cloudflare/sqlite-storage.ts"
import { diceOf } from "../../support/kernel/world.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR

function setUp() {
  const storage = sqliteStorage()
  const sql = new TenantSql(storage)
  sql.begin()
  const wanted: number[] = []
  const store = new SumStore(sql, (at) => void wanted.push(at))
  const reader = new SumReader(sql, store)
  const statements: string[] = []
  const exec = storage.sql.exec.bind(storage.sql)
  storage.sql.exec = ((query: string, ...values: never[]) => {
    statements.push(query)
    return exec(query, ...values)
  }) as typeof storage.sql.exec
  const rows = () => sql.read<{ unit: number; at: number; flow: string }>("SELECT unit, at, flow FROM run_sum ORDER BY unit, at, flow")
  const sums = (unit: "hour" | "day", [first, last]: [number, number], flow?: string): Map<number, Sum> =>
    new Map(
      reader
        .read({ unit, rehearsed: false, whole: [first, last], ...(flow === undefined ? {} : { flow }) })
        .whole.map(({ at, text }) => [at, JSON.parse(text)]),
    )
  return { sql, store, reader, wanted, statements, rows, sums, reborn: () => new SumStore(sql, () => undefined) }
}

const ran = (flow: string, ended: number, ms = 1_000): RunSum => {
  const took = noDurations()
  observe(took, ms)
  return {
    flow,
    rehearsed: false,
    began: ended - ms,
    ended,
    sum: { runs: { succeeded: 1 }, ms: took, by: { tool: { t: { calls: 1 } }, step: { a: { reached: 1 } } } },
  }
}

test("[H16] a run is two rows, and a batch of reports writes each of its rows once", () => {
  const { store, statements, rows } = setUp()
  store.together(() => {
    store.began({ flow: "f", created: 5 * HOUR, rehearsed: false })
    store.ended(ran("f", 5 * HOUR))
  })
  expect(rows()).toEqual([
    { unit: 0, at: 5, flow: "" },
    { unit: 0, at: 5, flow: "f" },
  ])
  statements.length = 0
  store.together(() => {
    for (let i = 0; i < 100; i++) store.ended(ran(i % 2 ? "f" : "g", 5 * HOUR + i))
  })
  expect(
    statements.filter((s) => s.startsWith("INSERT")),
    statements.join("\n"),
  ).toHaveLength(1)
  expect(statements).toHaveLength(2)
  expect(rows()).toHaveLength(3)
})

test("[H16] reports that a desk brings together write each row once", async () => {
  const { store, statements, rows } = setUp()
  const granted = { lease: 1 } as unknown as DeskAnswer
  const leases = { heard: () => undefined, granted: () => granted } as unknown as DeskLeases
  const note = ({ id, ended = 0 }: ListedRun) => {
    if (id === "bad") throw new Error("no row")
    return store.together((): Noted => (store.ended(ran("f", ended)), { retention: 1 }))
  }
  const room = new DesksRoom(leases, { note }, (work) => store.together(work))
  const notes = ["a", "b", "bad", "c"].map((id) => ({ id, flow: "f", status: "succeeded", created: 0, ended: 5 * HOUR, view: {} }))
  const { noted } = await room.report({ notes } as unknown as DeskReport)
  expect(noted).toEqual([{ retention: 1 }, { retention: 1 }, null, { retention: 1 }])
  expect(statements.filter((s) => s.startsWith("INSERT"))).toHaveLength(1)
  expect(rows()).toHaveLength(2)
})

test("[H16] what one report adds stays if another of its batch fails", () => {
  const { store, sums } = setUp()
  expect(() =>
    store.together(() => {
      store.ended(ran("f", 0))
      throw new Error("no")
    }),
  ).toThrow("no")
  expect(sums("hour", [0, 0]).get(0)?.runs).toEqual({ succeeded: 1 })
})

test("[H16] a day is the sum of its hours, before it is summed up and after, also of what comes late", () => {
  const { store, sums, reborn, rows } = setUp()
  const roll = diceOf("days")
  const all: RunSum[] = []
  const add = (to: SumStore, day: number): void => {
    const one = ran(`f${Math.floor(roll() * 40)}`, Math.floor((day + roll()) * DAY), roll() * 1e6)
    all.push(one)
    to.ended(one)
  }
  const expected = (day: number, flow?: string) =>
    sumOfAll(all.filter((it) => Math.floor(it.ended / DAY) === day && (flow === undefined || it.flow === flow)).map(({ sum }) => sum))
  const isRight = (): void => {
    const days = sums("day", [0, 5])
    const ofFlow = sums("day", [0, 5], "f7")
    for (let day = 0; day < 4; day++) {
      expect(days.get(day)?.ms, `day ${day}`).toEqual(expected(day).ms)
      expect(days.get(day)?.runs).toEqual(expected(day).runs)
      expect(ofFlow.get(day)?.by ?? {}).toEqual(expected(day, "f7").by ?? {})
    }
  }
  for (let i = 0; i < 400; i++) add(store, Math.floor(roll() * 4))
  isRight()
  // Two days are over. Each round is a part: 40 flows are two.
  let later = store
  for (let round = 0; round < 5; round++) {
    later.sweep(2 * DAY + HOUR)
    isRight()
    // It dies, and late reports come.
    later = reborn()
    for (let i = 0; i < 20; i++) add(later, Math.floor(roll() * 4))
    isRight()
  }
  expect([
    ...new Set(
      rows()
        .filter(({ unit }) => unit === 1)
        .map(({ at }) => at),
    ),
  ]).toEqual([0, 1])
})

test("[H16] the alarm is owed for the first row of a day, and rings until what is over is summed up and what is old is gone", () => {
  const { store, wanted, rows } = setUp()
  for (let flow = 0; flow < 50; flow++) store.ended(ran(`f${flow}`, 3 * HOUR))
  expect(wanted).toEqual([DAY + 600_000])
  store.ended(ran("f", DAY + HOUR))
  expect(wanted.at(-1)).toBe(DAY + 600_000)
  const ring = (): number => {
    let rounds = 0
    for (let due = store.due(); due !== undefined; due = store.due()) {
      store.sweep(due)
      if (++rounds > 50) throw new Error("it rings forever")
      if (rows().length === 0) break
    }
    return rounds
  }
  const now = store.due() ?? 0
  store.sweep(now)
  store.sweep(now)
  store.sweep(now)
  expect(store.due()).toBe(2 * DAY + 600_000)
  expect(rows().filter(({ unit, at }) => unit === 1 && at === 0)).toHaveLength(51)
  store.sweep(2 * DAY + 600_000)
  expect(store.due()).toBe((3 + KEPT_HOURS) * HOUR)
  store.sweep((3 + KEPT_HOURS) * HOUR)
  expect(rows().filter(({ unit, at }) => unit === 0 && at === 3)).toEqual([])
  expect(rows().filter(({ unit }) => unit === 1).length).toBe(53)
  expect(ring()).toBeLessThan(10)
  expect(rows()).toEqual([])
  expect(store.due()).toBeUndefined()
})

test("[H16] a day has 200 flows by name, in its hours and in itself, and the others together", () => {
  const { store, sums, rows, reborn } = setUp()
  store.together(() => {
    for (let n = 0; n < 230; n++) store.ended(ran(`f${n}`, n * 60_000))
  })
  reborn().ended(ran("f229", HOUR))
  const flows = new Set(rows().map(({ flow }) => flow))
  expect(flows.size).toBe(202)
  expect(sumOfAll(sums("hour", [0, 23], "(other)").values()).runs).toEqual({ succeeded: 31 })
  for (let round = 0; round < 20; round++) store.sweep(2 * DAY)
  expect(
    new Set(
      rows()
        .filter(({ unit }) => unit === 1)
        .map(({ flow }) => flow),
    ),
  ).toEqual(flows)
  expect(sums("day", [0, 0]).get(0)?.runs).toEqual({ succeeded: 231 })
})

test("[H16] a reader reads rows of its ranges alone, however many flows and days there are", () => {
  const { store, reader, statements, sql } = setUp()
  store.together(() => {
    for (let hour = 0; hour < 100; hour++) for (let flow = 0; flow < 100; flow++) store.ended(ran(`f${flow}`, hour * HOUR))
  })
  expect(sql.read<{ n: number }>("SELECT count(*) AS n FROM run_sum")[0]?.n).toBe(10_100)
  statements.length = 0
  const heads = [
    [10, 19],
    [30, 39],
  ] as const
  const read = reader.read({ unit: "hour", rehearsed: false, flow: "f7", whole: [50, 59], heads, open: [0, 99] })
  expect([read.whole.length, read.heads.length]).toEqual([10, 20])
  expect(read.heads.every(({ text }) => !text.includes('"by"'))).toBe(true)
  const asked = statements.filter((statement) => statement.includes("FROM json_each"))
  expect(asked).toHaveLength(3)
  for (const statement of asked) {
    const plan = sql.read<{ detail: string }>(`EXPLAIN QUERY PLAN ${statement}`, "[1]", 0, 0, "")
    expect(plan.map(({ detail }) => detail).join()).toContain(
      "SEARCH run_sum USING PRIMARY KEY (unit=? AND rehearsed=? AND at=? AND flow=?)",
    )
  }
})

test("[H16] rehearsed runs are apart, and questions are open until they are not", () => {
  const { store, reader } = setUp()
  store.ended({ ...ran("f", 0), rehearsed: true })
  store.asked(HOUR, { flow: "f", rehearsed: false, more: 3 })
  store.asked(2 * HOUR, { flow: "f", rehearsed: false, more: -2 })
  store.asked(2 * HOUR, { flow: "f", rehearsed: false, more: 0 })
  const whole = [0, 9] as const
  expect(reader.read({ unit: "hour", rehearsed: true, whole }).whole).toHaveLength(1)
  expect(reader.read({ unit: "hour", rehearsed: false, whole, open: [0, 9] }).changes).toEqual([
    [1, 3],
    [2, -2],
  ])
  expect(KEPT_DAYS).toBeGreaterThan(365)
})

test("[H16] open questions are those of 10,000 runs at most, without runs of tests, and of a flow its own", () => {
  const { reader, sql } = setUp()
  const add = (from: number, n: number, flow: string, more = {}) =>
    sql.write((rows) =>
      rows.exec(
        `INSERT INTO run (id, flow, status, created, seq, view) SELECT 'run_' || value, ?, 'waiting', value, 1, ? FROM json_each(?)`,
        flow,
        JSON.stringify({ pending: 1, ...more }),
        JSON.stringify(Array.from({ length: n }, (_, i) => from + i)),
      ),
    )
  add(0, 3, "f")
  add(10, 4, "g")
  add(20, 5, "g", { trigger: { kind: "test" } })
  add(30, 6, "g", { rehearsed: true })
  const open = (flow?: string, rehearsed = false): number =>
    reader.read({ unit: "hour", rehearsed, whole: [0, 0], open: [0, 0], ...(flow === undefined ? {} : { flow }) }).open
  expect([open(), open("f"), open("g"), open(undefined, true)]).toEqual([7, 3, 4, 6])
  add(100, 10_000, "h")
  expect(open()).toBe(10_000)
})

test("[H16] runs under way are 10,000 at most, without those in line, child runs and runs of tests, and of a flow its own", () => {
  const { reader, sql, store } = setUp()
  const add = (from: number, n: number, flow: string, { status = "running", ...view }: Record<string, unknown> = {}) =>
    sql.write((rows) =>
      rows.exec(
        `INSERT INTO run (id, flow, status, created, seq, view, ended)
         SELECT 'run_' || value, ?, ?, value, 1, ?, ? FROM json_each(?)`,
        flow,
        String(status),
        JSON.stringify(view),
        status === "succeeded" ? 1 : null,
        JSON.stringify(Array.from({ length: n }, (_, i) => from + i)),
      ),
    )
  add(0, 3, "f")
  add(10, 2, "g", { status: "waiting" })
  add(20, 4, "g", { status: "queued" })
  add(30, 5, "g", { status: "succeeded" })
  add(40, 6, "g", { parent: { run: "run_0", step: "s" } })
  add(50, 7, "g", { trigger: { kind: "test" } })
  add(60, 8, "g", { rehearsed: true })
  store.together(() => {
    store.began({ flow: "f", created: 5 * HOUR, rehearsed: false })
    store.began({ flow: "f", created: 5 * HOUR, rehearsed: false })
    store.ended(ran("f", 6 * HOUR))
  })
  const read = (flow?: string, rehearsed = false) =>
    reader.read({ unit: "hour", rehearsed, whole: [0, 0], open: [4, 7], ...(flow === undefined ? {} : { flow }) })
  expect([read().active, read("f").active, read("g").active, read(undefined, true).active]).toEqual([5, 3, 2, 8])
  expect(read().begun).toEqual([
    [5, 2],
    [6, -1],
  ])
  add(100, 10_000, "h")
  expect(read().active).toBe(10_000)
})
