// Windows of debounce and batch [R9, R10]: who joins which, and when one ends.

import { describe, expect, test } from "vitest"
import { joined, opened, windowEnd, windowThing, type Brought, type Window } from "../../../src/core/start/window.ts"
import { diceOf } from "../../support/kernel/world.ts"

const debounce = (period: number, timeout = 10 * period) => ({ debounce: { pool: "f", key: "k", period, timeout } })
const batch = (size: number, timeout = 60_000) => ({ batch: { pool: "f", key: "k", size, timeout, into: "items" } })
const bounds = { files: 3, bytes: 100 }
const open = (block: Parameters<typeof opened>[0], now: number, brought?: Brought): Window => {
  const window = opened(block, brought, now)
  if (!window) throw new Error("no window")
  return window
}
const kind = { name: "f", autonomous: true, rehearse: false }
const brings = (items: number, chars = 10, files: Brought["files"] = []): Brought => ({ items, chars, files })

test("[R9] of one kind are starts of one name, member, pool, key, thread, autonomous, rehearse and effects", () => {
  const thing = windowThing(debounce(1_000), kind)
  expect(windowThing(debounce(9_000), { ...kind, effects: "live" })).toBe(thing)
  const others = [
    windowThing(batch(2), kind),
    windowThing({ debounce: { ...debounce(1_000).debounce, key: "other" } }, kind),
    windowThing({ debounce: { ...debounce(1_000).debounce, pool: "other" } }, kind),
    ...[{ name: "f@3" }, { thread: "t" }, { thread: "" }, { autonomous: false }, { rehearse: true }, { effects: "dry" }].map((more) =>
      windowThing(debounce(1_000), { ...kind, ...more }),
    ),
  ]
  expect(new Set([thing, ...others]).size).toBe(others.length + 1)
  expect(windowThing({}, kind)).toBeUndefined()
})

test("[R9] a window ends `period` after the last start that joined, at the latest `timeout` after the first, by the last one's numbers", () => {
  let window = open(debounce(1_000, 2_500), 0)
  expect(windowEnd(window)).toBe(1_000)
  for (const now of [900, 1_800]) {
    const next = joined(window, debounce(1_000, 2_500), undefined, { now, bounds })
    if (typeof next === "string") throw new Error(next)
    window = next
  }
  expect([window.number, windowEnd(window)]).toEqual([3, 2_500])
  const later = joined(window, debounce(5_000, 20_000), undefined, { now: 2_000, bounds })
  expect(typeof later === "string" ? later : windowEnd(later)).toBe(7_000)
  expect(joined(window, debounce(1_000), undefined, { now: 2_500, bounds })).toBe("over")
})

test("[R10] a batch ends with start number `size`, or `timeout` after the first", () => {
  const window = open(batch(2), 0, brings(1))
  expect(windowEnd(window)).toBe(60_000)
  const full = joined(window, batch(2), brings(1), { now: 500, bounds })
  if (typeof full === "string") throw new Error(full)
  expect([full.number, full.brought?.items, windowEnd(full)]).toEqual([2, 2, 500])
  expect(joined(full, batch(2), brings(1), { now: 500, bounds })).toBe("over")
})

describe("[R10] a start that does not fit ends the window", () => {
  const file = (path: string, hash: string, size = 1) => ({ path, hash, size })
  test.each([
    ["10,000 items", brings(9_999), brings(1), brings(2)],
    ["1,000,000 characters", brings(1, 999_990), brings(1, 10), brings(1, 11)],
    ["other bytes for a known path", brings(1, 1, [file("a", "x")]), brings(1, 1, [file("a", "x")]), brings(1, 1, [file("a", "y")])],
    ["the bytes of all files", brings(1, 1, [file("a", "x", 60)]), brings(1, 1, [file("b", "y", 40)]), brings(1, 1, [file("b", "y", 41)])],
    [
      "how many files",
      brings(1, 1, [file("a", "x"), file("b", "x")]),
      brings(1, 1, [file("c", "x")]),
      brings(1, 1, [file("c", "x"), file("d", "x")]),
    ],
  ])("by %s", (_, first, fits, beyond) => {
    const window = open(batch(9), 0, first)
    expect(joined(window, batch(9), fits, { now: 1, bounds })).toMatchObject({ number: 2 })
    expect(joined(window, batch(9), beyond, { now: 1, bounds })).toBe("full")
  })
})

test("[R9] [R10] an oracle: every start is in exactly one window, in order, and no window is open beyond its end", () => {
  for (let seed = 0; seed < 500; seed++) {
    const roll = diceOf(`windows ${seed}`)
    const isBatch = roll() < 0.5
    const block = isBatch ? batch(2 + Math.floor(roll() * 4), 5_000) : debounce(1_000, 3_000)
    let now = 0
    const arrivals = Array.from({ length: 30 }, () => (now += Math.floor(roll() * 1_500)))
    const groups: number[][] = []
    let window: Window | undefined
    for (const [at, time] of arrivals.entries()) {
      const next = window && joined(window, block, isBatch ? brings(1) : undefined, { now: time, bounds })
      if (window === undefined || next === undefined || typeof next === "string") {
        window = open(block, time, isBatch ? brings(1) : undefined)
        groups.push([at])
      } else {
        window = next
        groups.at(-1)?.push(at)
      }
    }
    expect(groups).toEqual(oracle(arrivals, block))
  }
})

/** The same, told from the end of each group. */
function oracle(arrivals: readonly number[], block: ReturnType<typeof debounce> | ReturnType<typeof batch>): number[][] {
  const groups: number[][] = []
  for (let i = 0; i < arrivals.length;) {
    const group = [i]
    const first = arrivals[i] ?? 0
    for (let j = i + 1; j < arrivals.length; j++) {
      const [at, before] = [arrivals[j] ?? 0, arrivals[j - 1] ?? 0]
      const ends =
        "batch" in block
          ? group.length >= block.batch.size || at >= first + block.batch.timeout
          : at >= Math.min(first + 3_000, before + 1_000)
      if (ends) break
      group.push(j)
    }
    groups.push(group)
    i += group.length
  }
  return groups
}
