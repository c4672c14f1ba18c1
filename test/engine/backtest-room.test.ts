// How long an answer of a backtest that goes on live may be [K23, B2].

import fc from "fast-check"
import { expect, test } from "vitest"
import { worstCost } from "../../src/core/run/budget/worst-case.ts"
import { outputWithin } from "../../src/engine/backtest/live-ask.ts"

const amount = fc.integer({ min: 0, max: 200_000 })
const rate = fc.double({ min: 0, max: 100, noNaN: true })

test("[B1] [B2] an answer fits into what is left, is the longest that does, and is never under the floor", () => {
  fc.assert(
    fc.property(
      amount,
      fc.integer({ min: 1, max: 20_000 }),
      fc.record({ input: rate, output: rate }),
      fc.record({ tokens: amount, usd: fc.double({ min: 0, max: 5, noNaN: true }) }, { requiredKeys: [] }),
      (input, most, price, left) => {
        const floor = Math.min(512, most)
        const fits = (output: number): boolean =>
          input + output <= (left.tokens ?? Infinity) && worstCost(price, input, output) <= (left.usd ?? Infinity)
        const output = outputWithin({ input, most, left }, price)
        if (output === undefined) {
          expect(fits(floor)).toBe(false)
          return
        }
        expect(fits(output)).toBe(true)
        expect(output).toBeGreaterThanOrEqual(floor)
        expect(output).toBeLessThanOrEqual(most)
        expect(output === most || !fits(output + 1)).toBe(true)
      },
    ),
  )
})
