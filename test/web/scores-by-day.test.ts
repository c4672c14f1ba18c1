import { expect, test } from "vitest"
import { firstDay, scoredDays } from "../../web/quality/scores-by-day.ts"

const NOW = Date.parse("2026-11-30T10:00:00.000Z")
const row = (day: string, key: string, mean: number | null, scored = 2) => ({ day, key, mean, scored })

test("[V44] a scorer's means by day are a line for each flow, with gaps, the most scored first", () => {
  expect(firstDay(NOW)).toBe("2026-11-17")
  const found = scoredDays(
    [
      row("2026-11-17", "a/helpful", 0.5),
      row("2026-11-30", "a/helpful", null),
      row("2026-11-30", "b:c/helpful", 1, 9),
      row("2026-11-30", "a/other", 1),
    ],
    "helpful",
    NOW,
  )
  expect(found?.plot.series.map(({ label, values }) => [label, values[0], values.at(-1), values.length])).toEqual([
    ["b:c", null, 1, 14],
    ["a", 0.5, null, 14],
  ])
  expect([found?.scored, found?.more]).toEqual([13, 0])
  expect(found?.plot.slices.at(-1)).toEqual({ from: Date.parse("2026-11-30"), to: Date.parse("2026-12-01"), isPartial: true })
  expect(scoredDays([], "helpful", NOW)).toBeUndefined()
})

test("[V44] of more than five flows the rest is counted", () => {
  const rows = Array.from({ length: 7 }, (_, i) => row("2026-11-30", `f${i}/helpful`, 1, 10 - i))
  expect(scoredDays(rows, "helpful", NOW)).toMatchObject({ more: 2, scored: 49 })
})
