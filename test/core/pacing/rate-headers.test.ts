// What answers teach of a model's limits [R25], and what refusals do [R31].

import { describe, expect, test } from "vitest"
import { minuteGauge } from "../../../src/core/pacing/gauge.ts"
import { isSlow, learnedFrom, perMinute, slowGauge, taughtAt, taughtBy } from "../../../src/core/pacing/learned.ts"
import { ratesIn, type RateSeen } from "../../../src/core/pacing/rate-headers.ts"
import { RateLine } from "../../../src/core/pacing/rate-line.ts"

const NOW = Date.parse("2026-12-01T09:00:00Z")
const read = (headers: Record<string, string>): RateSeen[] => ratesIn((name) => headers[name], NOW)
const of = (prefix: string, kind: string, [limit, remaining, reset]: readonly [string, string, string]): Record<string, string> => {
  const name = (what: string): string => (prefix === "x-ratelimit" ? `${prefix}-${what}-${kind}` : `${prefix}-${kind}-${what}`)
  return { [name("limit")]: limit, [name("remaining")]: remaining, [name("reset")]: reset }
}

describe("[R25] the headers of an answer", () => {
  test("are read in both forms, of each kind", () => {
    expect(
      read({ ...of("x-ratelimit", "requests", ["60", "54", "6s"]), ...of("x-ratelimit", "tokens", ["150000", "149984", "6m0s"]) }),
    ).toEqual([
      { unit: "requests", limit: 60, remaining: 54, fullIn: 6_000 },
      { unit: "tokens", limit: 150_000, remaining: 149_984, fullIn: 360_000 },
    ])
    const anthropic = {
      ...of("anthropic-ratelimit", "requests", ["50", "49", "2026-12-01T09:00:02Z"]),
      ...of("anthropic-ratelimit", "tokens", ["40000", "39000", "2026-12-01T09:00:01+00:00"]),
      ...of("anthropic-ratelimit", "input-tokens", ["30000", "29000", "2026-12-01T09:00:03Z"]),
      ...of("anthropic-ratelimit", "output-tokens", ["8000", "8000", "2026-12-01T08:59:59Z"]),
    }
    expect(read(anthropic)).toEqual([
      { unit: "requests", limit: 50, remaining: 49, fullIn: 2_000 },
      { unit: "tokens", limit: 40_000, remaining: 39_000, fullIn: 1_000 },
      { unit: "input", limit: 30_000, remaining: 29_000, fullIn: 3_000 },
      { unit: "output", limit: 8_000, remaining: 8_000, fullIn: 0 },
    ])
  })

  test("say how long in every form that providers write", () => {
    for (const [said, ms] of [
      ["20ms", 20],
      ["1s", 1_000],
      ["7.66s", 7_660],
      ["2m59.56s", 179_560],
      ["1h2m3s", 3_723_000],
      ["2d", 172_800_000],
      ["12", 12_000],
      ["0.5", 500],
    ] as const)
      expect([said, read(of("x-ratelimit", "requests", ["10", "5", said]))[0]?.fullIn]).toEqual([said, ms])
  })

  test("teach nothing where they are missing or impossible", () => {
    for (const [limit, remaining, reset] of [
      ["-1", "-1", "1s"],
      ["0", "0", "1s"],
      ["60", "61", "1s"],
      ["60", "-1", "1s"],
      ["60", "5.5", "1s"],
      ["1e3", "5", "1s"],
      ["99999999999", "5", "1s"],
      ["60", "5", "soon"],
      ["60", "5", ""],
      ["60", "5", "-3"],
      ["60", "5", "9999d"],
      ["60", "5", "2026-13-45T99:99:99Z"],
      ["sixty", "5", "1s"],
    ] as const)
      expect([limit, remaining, reset, read(of("x-ratelimit", "requests", [limit, remaining, reset]))]).toEqual([
        limit,
        remaining,
        reset,
        [],
      ])
    expect(read({ "x-ratelimit-limit-requests": "60", "x-ratelimit-reset-requests": "1s" })).toEqual([])
  })
})

describe("[R25] a rate is", () => {
  const seen = (remaining: number, fullIn: number, limit = 60): RateSeen => ({ unit: "requests", limit, remaining, fullIn })

  test("what the bucket refills, once a tenth of it is used, by the observation with the most used", () => {
    expect(learnedFrom(undefined, seen(55, 5_000))).toBeUndefined()
    const first = learnedFrom(undefined, seen(54, 7_000))
    expect(first && perMinute(first)).toBeCloseTo(51.4, 1)
    const best = learnedFrom(first, seen(30, 30_000))
    expect(best && perMinute(best)).toBe(60)
    expect(learnedFrom(best, seen(54, 1_000))).toEqual(best)
    // Another limit is another bucket.
    expect(learnedFrom(best, seen(90, 6_000, 100))).toEqual({ limit: 100, used: 10, ms: 6_000 })
    expect(learnedFrom(best, seen(99, 600, 100))).toBeUndefined()
  })

  test("of a bucket that takes over ten minutes to fill none: only what is left of it bounds", () => {
    const daily = seen(4_000, 86_400_000 / 2, 8_000)
    const known = learnedFrom(undefined, daily)
    expect(known && isSlow(known)).toBe(true)
    expect(slowGauge("requests", daily, NOW)).toMatchObject({ holds: 8_000, level: 4_000 })
    const line = new RateLine()
    line.see([daily], NOW)
    expect(line.limits(NOW)).toEqual({})
    expect(line.gauges(NOW)).toMatchObject([{ unit: "requests", level: 4_000 }])
    line.see([seen(0, 86_400_000, 8_000)], NOW)
    expect(line.gauges(NOW)).toMatchObject([{ level: 0 }])
    expect(line.gauges(NOW + 3_600_000)[0]?.level).toBeCloseTo(8_000 / 24, 1)
  })

  test("the stricter of what is set and what was learned; with neither, nothing bounds", () => {
    const line = new RateLine()
    expect([line.limits(NOW), line.gauges(NOW)]).toEqual([{}, []])
    line.limit({ rpm: 50, otpm: 8_000 })
    line.see([seen(30, 30_000)], NOW)
    expect(line.limits(NOW)).toEqual({ requests: 50, output: 8_000 })
    line.limit({ rpm: 100 })
    expect(line.limits(NOW)).toEqual({ requests: 60 })
    line.limit({})
    expect(line.limits(NOW)).toEqual({ requests: 60 })
  })

  test("no more than is left there: others may use the same key", () => {
    const line = new RateLine({ rpm: 600 })
    expect(line.gauges(NOW)[0]?.level).toBe(100)
    line.see([seen(7, 55_300, 600)], NOW)
    expect(line.gauges(NOW)[0]?.level).toBeLessThanOrEqual(7)
  })
})

describe("[R31] a refusal without a number", () => {
  test("teaches four fifths of what was answered in the minute before, at least one", () => {
    expect([taughtBy(100, NOW).rpm, taughtBy(3, NOW).rpm, taughtBy(1, NOW).rpm, taughtBy(0, NOW).rpm]).toEqual([80, 2, 1, 1])
  })

  test("each minute without one adds a tenth, and ten in which nothing waited end it", () => {
    const taught = taughtBy(100, NOW)
    expect([0, 1, 59, 60, 119, 300].map((s) => taughtAt(taught, NOW + s * 1_000))).toEqual([80, 80, 80, 88, 88, 120])
    expect(taughtAt(taught, NOW + 600_000)).toBeUndefined()
    const line = new RateLine()
    line.refused(100, NOW)
    expect(line.limits(NOW + 300_000)).toEqual({ requests: 120 })
    line.waits(NOW + 300_000)
    expect(line.limits(NOW + 600_000)).toEqual({ requests: 160 })
    expect(line.limits(NOW + 900_000)).toEqual({})
  })

  test("a stop lasts as long as the provider says, at most ten minutes", () => {
    const line = new RateLine()
    line.stop(NOW + 20_000, NOW)
    line.stop(NOW + 10_000, NOW)
    expect([line.stoppedAt(NOW), line.stoppedAt(NOW + 20_000)]).toEqual([NOW + 20_000, undefined])
    line.stop(NOW + 3_600_000, NOW)
    expect(line.stoppedAt(NOW)).toBe(NOW + 600_000)
    expect(line.stoppedAt(NOW - 86_400_000)).toBeUndefined()
    line.stop(NOW - 86_400_000 + 5_000, NOW - 86_400_000)
    expect(line.stoppedAt(NOW - 86_400_000)).toBe(NOW - 86_400_000 + 5_000)
  })
})

test("[R26] a minute's gauge lets a sixth leave at once, and one call at least", () => {
  expect(minuteGauge("requests", 60, NOW).level).toBe(10)
  expect(minuteGauge("requests", 3, NOW).level).toBe(1)
  expect(minuteGauge("tokens", 60_000, NOW).level).toBe(10_000)
})
