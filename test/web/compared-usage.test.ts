// Compare: what a second run has used more or less is said only of runs that can be set side by side.

import { describe, expect, test } from "vitest"
import { comparedUsage, unlikeUsage, type UsedSide } from "../../web/run/compared-usage.ts"

const side = (tokens: number, more: Partial<UsedSide> = {}): UsedSide => ({
  usage: { tokens, usd: tokens / 1_000, tool_calls: 2 },
  rehearsed: false,
  isOver: true,
  ...more,
})
const words = { usd: (amount: number) => amount.toFixed(2), count: String }
const rows = (a: UsedSide, b: UsedSide): (readonly string[])[] => comparedUsage(a, b, words).map((row) => [row.a, row.b, row.change])

describe("what B has used against A", () => {
  test("of two runs that asked models and have ended, the difference", () => {
    expect(rows(side(7_680), side(8_000))).toEqual([
      ["7.68", "8.00", "+0.32"],
      ["7680", "8000", "+320"],
      ["2", "2", "="],
    ])
    expect(unlikeUsage(side(1), side(2))).toBeUndefined()
  })

  test("a run without tokens has none, and saves nothing", () => {
    expect(rows(side(7_680), side(0)).map(([, b, change]) => [b, change])).toEqual([
      ["0.00", "–"],
      ["no tokens", "–"],
      ["2", "="],
    ])
    expect(unlikeUsage(side(7_680), side(0))).toBe("B asked no model.")
    expect(unlikeUsage(side(0), side(0))).toBe("Neither asked a model.")
  })

  test("a rehearsal saves nothing, nor does a run that has not ended", () => {
    const rehearsed = side(5, { rehearsed: true })
    expect(rows(side(7_680), rehearsed).map(([, , change]) => change)).toEqual(["–", "–", "="])
    expect(unlikeUsage(rehearsed, rehearsed)).toBe("Both are rehearsals, which cost nothing.")
    const on = side(5, { isOver: false })
    expect(rows(side(7_680), on)[1]).toEqual(["7680", "5 so far", "–"])
    expect(rows(side(7_680), on)[2]).toEqual(["2", "2 so far", "–"])
    expect(unlikeUsage(side(7_680), on)).toBe("B is still running.")
  })

  test("what a fork keeps is counted with it", () => {
    const fork = side(900, { kept: { tokens: 6_780, usd: null, tool_calls: 1 } })
    expect(rows(side(7_680), fork)).toEqual([
      ["7.68", "0.90", "–"],
      ["7680", "900, 6780 kept", "="],
      ["2", "2, 1 kept", "+1"],
    ])
  })
})
