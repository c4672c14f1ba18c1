import { expect, test } from "vitest"
import { backoff } from "../../src/core/backoff.ts"

test("each wait is twice the one before, up to the limit", () => {
  expect([0, 1, 2, 3, 2_000].map((tries) => backoff(500, tries, 3_000))).toEqual([500, 1_000, 2_000, 3_000, 3_000])
  expect(backoff(1, 10)).toBe(1_024)
})
