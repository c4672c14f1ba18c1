// The time axis of a run: gaps, zero, marks; and the parts that its time adds up from.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Fact, RunEvent } from "../../src/core/run/event.ts"
import { outlineOf } from "../../src/core/run/views/read-outline.ts"
import { axisOf, LEAST_GAP, workOf, zeroOf } from "../../web/run/axis.ts"
import { splitOf } from "../../web/run/bars.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const journal = (...facts: readonly (Fact & { at: number })[]): RunEvent[] =>
  facts.map((fact, i) => ({ ...fact, seq: i + 1, v: 1, prev: "" }))
const opened = (step: string, at: number, more: { stepType?: string; until?: number } = {}) => ({
  type: "step.opened" as const,
  step,
  stepType: "agent",
  agent: "a",
  pass: 1,
  tools: [],
  at,
  ...more,
})
const finished = (step: string, at: number) => ({
  type: "step.finished" as const,
  step,
  pass: 1,
  status: "complete" as const,
  summary: "",
  files: [],
  outputs: {},
  at,
})
const began = (step: string, at: number) =>
  ({ type: "action.begun", step, pass: 1, key: `${step}/1/code`, kind: "code", at }) as unknown as Fact & { at: number }

describe("the axis", () => {
  test("an hour in which nothing works is a gap, and work on both sides keeps its proportions", () => {
    const work = [
      { from: 0, to: 2_000 },
      { from: HOUR, to: HOUR + 4_000 },
    ]
    const axis = axisOf({ zero: 0, from: 0, until: HOUR + 4_000, work })
    expect(axis.gaps).toMatchObject([{ from: 2_000, to: HOUR, width: 6 }])
    expect(axis.place(0)).toBe(0)
    expect(axis.place(HOUR + 4_000)).toBeCloseTo(100)
    expect((axis.place(HOUR + 4_000) - axis.place(HOUR)) / axis.place(2_000)).toBeCloseTo(2)
    expect(axis.marks.map(({ at }) => at)).toContain(HOUR)
  })

  test("less than 30 s is no gap; what still waits is one at the end", () => {
    const work = [
      { from: 0, to: 1_000 },
      { from: 1_000 + LEAST_GAP - 1, to: 40_000 },
    ]
    expect(axisOf({ zero: 0, from: 0, until: 40_000, work }).gaps).toEqual([])
    expect(axisOf({ zero: 0, from: 0, until: 40_000 + LEAST_GAP, work }).gaps).toMatchObject([{ from: 40_000 }])
  })

  test("a fork begins at 0:00 when it was made", () => {
    const events = journal(
      opened("a", 1_000),
      finished("a", 2_000),
      { type: "run.forked", at: 90_000 } as unknown as Fact & { at: number },
      opened("b", 90_100),
    )
    expect(zeroOf(outlineOf(events), 7)).toBe(90_000)
    expect(zeroOf(outlineOf(events.slice(0, 2)), 7)).toBe(1_000)
    // A queued run has no event yet.
    expect(zeroOf(outlineOf([]), 7)).toBe(7)
  })

  test("places rise with time, stay on the axis, and lead back to their time; marks never touch", () => {
    const stretch = fc.tuple(fc.integer({ min: 0, max: 200_000 }), fc.integer({ min: 1, max: 100_000 }))
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 12 }), (stretches) => {
        let at = 0
        const work = stretches.map(([wait, length]) => {
          const from = at + wait + 1
          at = from + length
          return { from, to: at }
        })
        const until = Math.max(1, at)
        const axis = axisOf({ zero: 0, from: 0, until, work })
        const times = Array.from({ length: 40 }, (_, i) => (until * i) / 39)
        const places = times.map(axis.place)
        for (const [i, place] of places.entries()) {
          expect(place).toBeGreaterThanOrEqual((places[i - 1] ?? 0) - 1e-9)
          expect(place).toBeLessThanOrEqual(100 + 1e-6)
          expect(Math.abs(axis.timeAt(place) - (times[i] ?? 0))).toBeLessThan(Math.max(1, until / 1e6))
        }
        for (const [i, { left }] of axis.marks.entries())
          if (i > 0) expect(left - (axis.marks[i - 1]?.left ?? 0)).toBeGreaterThanOrEqual(9 - 1e-9)
        expect(axis.gaps.reduce((sum, { width }) => sum + width, 0)).toBeLessThanOrEqual(40 + 1e-6)
      }),
      { seed: 7, numRuns: 300 },
    )
  })
})

describe("where the time went", () => {
  test("a wait, a pause and what nothing explains are said, and all adds up to the whole", () => {
    const outline = outlineOf(
      journal(
        opened("work", 0),
        began("work", 1_000),
        finished("work", 3_000),
        opened("stand", 4_000, { stepType: "wait", until: HOUR }),
        { type: "run.paused", reason: "by a person", at: 10_000 },
        { type: "run.resumed", reason: "by a person", at: 20_000 },
        finished("stand", HOUR),
      ),
    )
    const passes = [...outline.steps.values()].flatMap((step) => step.passes)
    const split = splitOf(passes, HOUR, outline.pauses)
    expect(split).toMatchObject({ tool: 2_000, wait: HOUR - 4_000, idle: 2_000, paused: 0 })
    expect(Object.values(split).reduce((sum, ms) => sum + ms, 0)).toBe(HOUR)
    expect(workOf(outline, HOUR)).toEqual([
      { from: 1_000, to: 3_000 },
      { from: 4_000, to: 4_000 },
      { from: HOUR, to: HOUR },
    ])
    expect(outline.pauses).toEqual([{ from: 10_000, to: 20_000 }])
  })
})
