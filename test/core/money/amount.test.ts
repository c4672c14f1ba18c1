import fc from "fast-check"
import { expect, test } from "vitest"
import { Amount, minus, plus } from "../../../src/core/money/amount.ts"
import { tidy } from "../../../src/core/money/tidy.ts"

const tokens = fc.integer({ min: 0, max: 2 ** 51 })
const dollars = fc.double({ min: 0, max: 1e9, noNaN: true })

test("[B4] tokens added and taken back are a whole number again, whatever their size: they are stored as an amount", () => {
  fc.assert(
    fc.property(tokens, tokens, (a, b) => {
      const both = plus({ tokens: a }, { tokens: b })
      expect(Amount.parse(both).tokens).toBe(a + b)
      expect(minus(both, { tokens: b }).tokens).toBe(a)
    }),
  )
  expect(tidy(36_893_501)).toBe(36_893_501)
})

test("[B1] rounding is monotone: a cost within its reservation stays within it", () => {
  fc.assert(
    fc.property(dollars, fc.double({ min: 0, max: 1e-9, noNaN: true }), (a, more) => {
      expect(tidy(a)).toBeLessThanOrEqual(tidy(a + more))
    }),
  )
  expect(tidy(8192 - 1e-12)).toBeLessThanOrEqual(tidy(8192))
  expect(tidy(0.1 + 0.2)).toBe(0.3)
})
