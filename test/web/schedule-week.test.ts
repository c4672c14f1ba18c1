// The calendar of schedules, and the plot of a hook's deliveries.

import { expect, test } from "vitest"
import { deliveriesPlotOf, deliveriesSince } from "../../web/setup/deliveries-plot.ts"
import { DAYS, midnightAfter, weekOf } from "../../web/setup/week-of-fires.ts"

const HOUR = 3_600_000
const NOW = new Date(2026, 10, 24, 10, 30).getTime()
const at = (day: number, hour: number): number => midnightAfter(NOW, day) + hour * HOUR

test("[W5] each of the next days has what runs on it, in order, from now on", () => {
  const daily = { of: "daily", times: [at(1, 9), at(2, 9)], isAll: true }
  const early = { of: "early", times: [at(0, 11), at(1, 7)], isAll: true }
  const week = weekOf([daily, early], NOW)
  expect(week).toHaveLength(DAYS)
  expect(week.map(({ lines }) => lines.map(({ of, at: time, count }) => [of, time, count]))).toEqual([
    [["early", at(0, 11), 1]],
    [
      ["early", at(1, 7), 1],
      ["daily", at(1, 9), 1],
    ],
    [["daily", at(2, 9), 1]],
    [],
    [],
    [],
    [],
  ])
})

test("[W5] what runs often on a day is one line with its count, and none where the count is not known", () => {
  const times = Array.from({ length: 20 }, (_, i) => at(0, 12) + i * HOUR)
  const [today, next, third] = weekOf([{ of: "hourly", times, isAll: false }], NOW)
  expect(today?.lines).toEqual([{ of: "hourly", at: at(0, 12), count: 12 }])
  // 8 of its hours are known, and there are more.
  expect(next?.lines).toEqual([{ of: "hourly", at: at(1, 0), count: null }])
  expect(third?.lines).toEqual([{ of: "hourly", at: at(2, 0), count: null }])
})

const delivered = (hours: number, verdict: "accepted" | "rejected" | "filtered", duplicates = 0) => ({
  at: new Date(deliveriesSince(NOW) + hours * HOUR).toISOString(),
  verdict,
  duplicates,
})

test("[W2] deliveries of 24 hours are by what became of them, and a repeat counts where it came first", () => {
  const rows = [delivered(23, "accepted", 2), delivered(23, "rejected"), delivered(20, "filtered"), delivered(20, "accepted")]
  const { series, slices } = deliveriesPlotOf(rows, true, NOW)
  expect(slices).toHaveLength(24)
  expect(slices.at(-1)).toMatchObject({ isPartial: true })
  const last = (label: string, hour: number) => series.find((one) => one.label === label)?.values[hour]
  expect(["Refused or failed", "Filtered or skipped", "Accepted", "Repeated"].map((label) => last(label, 23))).toEqual([1, 0, 1, 2])
  expect(["Refused or failed", "Filtered or skipped", "Accepted", "Repeated"].map((label) => last(label, 20))).toEqual([0, 1, 1, 0])
  expect(last("Accepted", 0)).toBe(0)
})

test("[W2] hours of which deliveries may be forgotten are gaps", () => {
  const { series } = deliveriesPlotOf([delivered(23, "accepted"), delivered(20, "accepted")], false, NOW)
  expect(series[2]?.values.slice(18)).toEqual([null, null, null, 0, 0, 1])
})
