import { describe, expect, test } from "vitest"
import { isoTime, parseIsoTime } from "../../../src/core/text/iso-time.ts"

describe("times", () => {
  test("[F23i] an offset is within a day", () => {
    expect(parseIsoTime("2026-11-22T09:00:00+05:30")).toBe(Date.UTC(2026, 10, 22, 3, 30))
    expect(parseIsoTime("2026-11-22T09:00:00-2359")).toBe(Date.UTC(2026, 10, 23, 8, 59))
    for (const zone of ["+25:00", "-24:00", "+05:60", "+99:99"]) expect(parseIsoTime(`2026-11-22T09:00:00${zone}`)).toBeUndefined()
  })

  test("[F23i] a written time is read back", () => {
    for (const ms of [0, -1, 951_782_399_999, 4_102_444_800_000]) expect(parseIsoTime(isoTime(ms))).toBe(ms)
  })
})
