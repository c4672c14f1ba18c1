// What is selected in the list of runs, what a bulk will do with it, and matches over time.

import { describe, expect, test } from "vitest"
import { barsOf, countedBy, stretchOf } from "../../web/runs/over-time.ts"
import { type BulkAction, doneBy, partsOf, partsUnread } from "../../web/runs/parts.ts"
import { progressOf, type BulkFigures } from "../../web/runs/progress.ts"
import { startOf } from "../../web/runs/start.ts"
import { allOf, bulkOf, everything, isEmpty, NONE, reached, sizeOf, toggled } from "../../web/runs/selection.ts"

const ROWS = ["a", "b", "c", "d", "e"]
const HOUR = 3_600_000

describe("a selection of runs", () => {
  test("[S8] one by one, and with Shift from the last choice to this one in either direction", () => {
    const one = toggled(NONE, "d")
    expect([...reached(one, "b", ROWS).ids].toSorted()).toEqual(["b", "c", "d"])
    expect([...reached(reached(one, "b", ROWS), "e", ROWS).ids].toSorted()).toEqual(["b", "c", "d", "e"])
    expect([...reached(NONE, "c", ROWS).ids]).toEqual(["c"])
    expect(isEmpty(toggled(one, "d"))).toBe(true)
    expect(sizeOf(allOf(ROWS))).toBe(5)
    expect(bulkOf(allOf(["a", "b"]))).toEqual({ runs: ["a", "b"] })
  })

  test("[S8] all that match are fixed at one moment, also by a span back from then", () => {
    const at = Date.parse("2026-11-24T14:20:00.000Z")
    const all = everything({ status: "failed", since: "2h", sort: "cost" }, 1_240, at)
    expect(sizeOf(all)).toBe(1_240)
    expect(bulkOf(all)).toEqual({ filter: { status: "failed", since: "2026-11-24T12:20:00.000Z", until: "2026-11-24T14:20:00.000Z" } })
    expect(bulkOf(everything({ until: "2026-11-20T00:00:00.000Z" }, 3, at))).toEqual({ filter: { until: "2026-11-20T00:00:00.000Z" } })
  })

  test("[S8] the parts of every action add up to the selection, and name what is done", () => {
    const statuses = { queued: 1, running: 2, waiting: 3, paused: 4, succeeded: 5, failed: 6, canceled: 7 }
    const does: Readonly<Record<BulkAction, number>> = { cancel: 10, again: 18, fork: 27, delete: 18 }
    for (const action of ["cancel", "again", "fork", "delete"] as const) {
      const parts = partsOf(action, statuses)
      expect(
        parts.reduce((sum, { count }) => sum + count, 0),
        action,
      ).toBe(28)
      expect(doneBy(parts), action).toBe(does[action])
    }
    expect(partsOf("cancel", { failed: 2 })).toEqual([{ count: 2, does: "are skipped", why: "they have ended", isSkipped: true }])
  })
})

describe("matches over time", () => {
  test("[S7] every counted run is in one bar, and bars without runs are there", () => {
    const since = new Date(2026, 10, 23, 9, 30).getTime()
    const until = since + 30 * HOUR
    const key = (at: number): string => new Date(Math.floor(at / HOUR) * HOUR).toISOString()
    const bars = barsOf(
      [
        { key: key(since), count: 3 },
        { key: key(since + 29 * HOUR), count: 4 },
      ],
      "hour",
      { since, until },
    )
    expect(bars.length).toBeGreaterThan(29)
    expect(bars[0]?.count).toBe(3)
    expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(7)
    for (const [place, bar] of bars.entries())
      expect(bar.from).toBe(place === 0 ? new Date(2026, 10, 23, 9).getTime() : bars[place - 1]?.until)
    expect(bars.at(-1)?.until).toBeGreaterThanOrEqual(until)
  })

  test("[S7] days are whole days of the reader, and there are never too many bars", () => {
    const [since, until] = [new Date(2026, 9, 20).getTime(), new Date(2026, 10, 24, 14).getTime()]
    for (const bar of barsOf([], "hour", { since, until })) expect(new Date(bar.from).getMinutes()).toBe(0)
    for (const days of [1, 7, 36, 400, 1_500])
      for (const by of ["hour", "day"] as const) expect(barsOf([], by, { since: until - days * 24 * HOUR, until }).length).toBeLessThan(100)
    expect(barsOf([], "day", { until })).toEqual([])
    expect([countedBy(undefined, until), countedBy(until - 7 * 24 * HOUR, until), countedBy(since - 100 * 24 * HOUR, until)]).toEqual([
      "day",
      "hour",
      "day",
    ])
  })

  test("[S7] a stretch is from the beginning of one bar to the end of the other, whichever was first", () => {
    const until = new Date(2026, 10, 24, 14).getTime()
    const bars = barsOf([], "hour", { since: until - 10 * HOUR, until })
    const stretch = stretchOf(bars, 4, 2)
    expect(stretch).toEqual(stretchOf(bars, 2, 4))
    expect(stretch).toEqual({ since: new Date(until - 8 * HOUR).toISOString(), until: new Date(until - 5 * HOUR).toISOString() })
    expect(stretchOf(bars, 0, 99)).toBeUndefined()
  })
})

describe("what few starts need", () => {
  test("[S8] empty fields say nothing, and what is written wrong says so", () => {
    expect(startOf({})).toEqual({ start: {}, faults: {} })
    expect(startOf({ tags: " a, b ,a,", budget: "$0.50", effects: "dry", thread: " t ", autonomous: "false", revision: "r18" })).toEqual({
      start: { tags: ["a", "b"], budget: { usd: 0.5 }, effects: "dry", thread: "t", autonomous: false },
      revision: 18,
      faults: {},
    })
    expect(Object.keys(startOf({ budget: "much", revision: "latest" }).faults)).toEqual(["budget", "revision"])
    expect(startOf({ budget: "-1" }).start).toEqual({})
  })
})

describe("the progress of a bulk", () => {
  const count = (figures: Partial<BulkFigures>, statuses: Readonly<Record<string, number>> = {}) => {
    const bulk = { count: 1_213, done: 0, skipped: 0, failed: 0, status: "running", ...figures }
    const parts = progressOf(bulk, statuses)
    expect(parts.reduce((sum, part) => sum + part.count, 0)).toBe(1_213)
    expect(parts.every((part) => part.count >= 0)).toBe(true)
    return Object.fromEntries(parts.map((part) => [part.words, part.count]))
  }

  test("[S8] its parts add up, and runs that it has started count by what became of them", () => {
    expect(count({ done: 430, skipped: 15, failed: 3 })).toEqual({ Done: 430, Failed: 3, Skipped: 15, "To come": 765 })
    expect(count({ done: 430, skipped: 15, failed: 3 }, { succeeded: 400, failed: 20, running: 8, waiting: 2 })).toEqual({
      Succeeded: 400,
      Failed: 23,
      Skipped: 15,
      "Under way": 10,
      "To come": 765,
    })
    expect(count({ status: "stopped", done: 3 })["Not begun"]).toBe(1_210)
  })

  test("[S8] the list may be a moment before or behind", () => {
    expect(count({ done: 2 }, { running: 5 })).toMatchObject({ Succeeded: 0, "Under way": 2 })
    expect(count({ done: 5 }, { running: 2 })).toMatchObject({ Succeeded: 3, "Under way": 2 })
    expect(count({ done: 2 }, { failed: 3, succeeded: 3 })).toMatchObject({ Failed: 2, Succeeded: 0, "Under way": 0 })
  })
})

test("[R44] runs whose statuses are not known are one part, which says what is skipped", () => {
  expect(partsUnread("cancel", 3)).toEqual([{ count: 3, does: "are canceled", why: "those that have ended by then are skipped" }])
  expect(partsUnread("delete", 0)).toEqual([])
})
