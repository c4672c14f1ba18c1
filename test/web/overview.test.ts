// What the overview says of a day.

import { describe, expect, test } from "vitest"
import type { Overview } from "../../src/api/doc/overview.doc.ts"
import { countByAge } from "../../web/overview/ages.ts"
import { effectOf, together } from "../../web/overview/changes.ts"
import { endOf, lineOf, type NumberSlice } from "../../web/overview/lines.ts"
import { touchedBy } from "../../web/overview/touched.ts"
import { verdictOf } from "../../web/overview/verdict.ts"

const judged = (unusual: boolean | null) => ({ value: 1, usual: unusual === null ? null : ([0, 2] as [number, number]), unusual })
const numbers = (odd: Partial<Record<"runs" | "success" | "usd" | "p95" | "open", boolean | null>>): Pick<Overview, "numbers"> => ({
  numbers: {
    runs: judged(odd.runs ?? false),
    ended: judged(false),
    success: judged(odd.success ?? false),
    usd: judged(odd.usd ?? false),
    p95: judged(odd.p95 ?? false),
    open: judged(odd.open ?? false),
  },
})

test("a day whose numbers are all in their range is normal", () => {
  expect(verdictOf(numbers({}), "Tuesday")).toEqual({
    kind: "normal",
    title: "A normal Tuesday",
    reason: "Runs, success, cost, time and open asks are as on the last Tuesdays.",
  })
})

test("one that is not is named, and what is as usual too", () => {
  expect(verdictOf(numbers({ success: true, open: true }), "Tuesday")).toMatchObject({
    kind: "unusual",
    reason: "Success and open asks are outside the usual range. Runs, cost and time are as usual.",
  })
  expect(verdictOf(numbers({ success: true }), "Friday").reason).toMatch(/^Success is outside/)
})

test("without enough days there is no verdict", () => {
  const none = { numbers: Object.fromEntries(["runs", "ended", "success", "usd", "p95", "open"].map((name) => [name, judged(null)])) }
  expect(verdictOf(none as Pick<Overview, "numbers">, "Sunday").kind).toBe("unknown")
  expect(verdictOf({}, "Sunday").kind).toBe("unknown")
})

test("open questions by their age", () => {
  const ago = (ms: number) => ({ created: new Date(1e12 - ms).toISOString() })
  expect(countByAge([ago(0), ago(900_000), ago(900_001), ago(7_200_000), ago(86_400_000), ago(86_400_001)], 1e12)).toEqual([2, 1, 1, 1, 1])
})

const ran = (revision: number | string, succeeded: number, failed = 0, p95 = 60_000) => ({
  revision,
  runs: { succeeded, failed, canceled: 0 },
  usd: succeeded / 10,
  ms: { n: succeeded + failed, p50: p95 / 2, p95 },
})
const effect = (rows: ReturnType<typeof ran>[], revision = 18) => effectOf(rows, revision, (ms) => `${ms / 1_000} s`)

describe("what a change did", () => {
  test("more failures than chance makes are worse, and fewer are better", () => {
    expect(effect([ran(18, 33, 31), ran(17, 286, 5)])).toMatchObject({
      kind: "worse",
      words: "failed 1.7 to 48%",
      since: { ended: 64, failed: 31 },
    })
    expect(effect([ran(18, 64), ran(17, 50, 50)])).toMatchObject({ kind: "better", words: "failed 50 to 0%" })
    // One more of a hundred is no reason.
    expect(effect([ran(18, 98, 2), ran(17, 99, 1)]).kind).toBe("same")
  })

  test("a p95 that moved by more than a quarter is said where failures did not change", () => {
    expect(effect([ran(18, 50, 0, 52_000), ran(17, 50, 0, 70_000)])).toMatchObject({ kind: "better", words: "p95 70 s to 52 s" })
    expect(effect([ran(18, 50, 0, 60_000), ran(17, 50, 0, 70_000)]).words).toBe("no change seen")
  })

  test("a few runs say nothing, and runs whose revision is not known count on neither side", () => {
    expect(effect([ran(18, 1, 3), ran(17, 90)])).toMatchObject({ kind: "few", words: "too few runs to say" })
    expect(effect([ran(18, 90)]).kind).toBe("few")
    expect(effect([ran(18, 90), ran("(other)", 90)]).kind).toBe("few")
  })

  test("revisions between two changes of a flow count with the one before", () => {
    expect(together([ran(20, 5, 5), ran(18, 10)])).toMatchObject({ ended: 20, failed: 5, share: 0.25, usd: 0.075, p95: 60_000 })
    expect(together([])).toEqual({ ended: 0, failed: 0, share: null, usd: null, p50: null, p95: null })
  })
})

describe("what an unusual day is about", () => {
  const change = { revision: 18, clock: "11:40", effect: effect([ran(18, 33, 31), ran(17, 286, 5)]) }

  test("the flow that fails and asks, since its change, with the runs that say so", () => {
    const suspects = { failing: { flow: "refund", count: 31, change }, asking: { flow: "refund", count: 24 } }
    expect(verdictOf(numbers({ success: true, open: true }), "Tuesday", suspects)).toMatchObject({
      title: "Not a normal Tuesday: refund fails and asks more since r18",
      reason: "31 of its 64 runs since 11:40 failed, 1.7% before. 24 of its asks are open. Runs, cost and time are as usual.",
    })
  })

  test("no flow is blamed for a number that is as usual, and what has no suspect is named", () => {
    const suspects = { failing: { flow: "refund", count: 3 }, asking: { flow: "sales", count: 2 } }
    expect(verdictOf(numbers({ usd: true }), "Friday", suspects)).toMatchObject({
      title: "Not a normal Friday",
      reason: "Cost is outside the usual range. Runs, success, time and open asks are as usual.",
    })
    expect(verdictOf(numbers({ success: true, usd: true }), "Friday", suspects)).toMatchObject({
      title: "Not a normal Friday: refund fails more",
      reason: "3 runs of refund failed today. Cost is outside the usual range. Runs, time and open asks are as usual.",
    })
    expect(verdictOf(numbers({ open: true }), "Friday", suspects).title).toBe("Not a normal Friday: sales asks more")
    expect(verdictOf(numbers({}), "Friday", suspects).title).toBe("A normal Friday")
  })
})

describe("the line of a number", () => {
  const of = <T>(value: T) => ({ runs: value, success: value, usd: value, p95: value, open: value })
  const data = [0, 1, 2, 3].map((i): NumberSlice => ({
    at: new Date(i * 3_600_000).toISOString(),
    open: i,
    so_far: of(i + 1),
    usual: of([0, 2] as [number, number]),
    usual_so_far: of([2 * i, 2 * i + 2] as [number, number]),
  }))
  const now = 1.5 * 3_600_000

  test("ends now; what is usual goes on to midnight", () => {
    const line = lineOf("success", data, undefined, now)
    expect(line.values).toEqual([1, 2, null, null])
    expect(line.usual).toHaveLength(4)
    expect(endOf(line)).toBeNull()
    expect(lineOf("open", data, undefined, now)).toMatchObject({
      values: [0, 1, null, null],
      usual: [
        [0, 2],
        [0, 2],
        [0, 2],
        [0, 2],
      ],
    })
  })

  test("what grows goes on as the usual day does, from what it is now", () => {
    const line = lineOf("runs", data, { value: 4, usual: [1, 3] }, now)
    expect(line.forecast).toEqual([null, 4, 10, 14])
    expect(endOf(line)).toBe(14)
    expect(endOf(lineOf("runs", data, { value: 4, usual: null }, now))).toBeNull()
    expect(endOf(lineOf("runs", data, { value: 4, usual: [0, 0] }, now))).toBeNull()
  })
})

test("files of a revision are named as people know them, each once", () => {
  const paths = [
    "flows/support/refund.yaml",
    "flows/support/refund.test.yaml",
    "code/support/refund/sum.ts",
    "agents/writer.md",
    "skills/x/SKILL.md",
    "packages/demo",
    "a.txt",
  ]
  expect(touchedBy(paths.map((path) => ({ path })))).toEqual([
    { kind: "flow", name: "support:refund" },
    { kind: "agent", name: "writer" },
    { kind: "skill", name: "x" },
    { kind: "package", name: "demo" },
    { kind: "file", name: "a.txt" },
  ])
})
