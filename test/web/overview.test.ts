// What the overview says of a day.

import { expect, test } from "vitest"
import type { Overview } from "../../src/api/doc/overview.doc.ts"
import { countByAge } from "../../web/overview/ages.ts"
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
    reason: "Runs, success, cost, time and open asks are within the usual range.",
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
