import { describe, expect, test } from "vitest"
import { glimpse } from "../../../src/core/text/glimpse.ts"

describe("glimpse", () => {
  test("[T2] an object is copied", () => {
    const given = { name: "x", at: new Date(0), price: { toFixed: () => "1.10", toString: () => "1.10" }, n: 12n, none: undefined }
    expect(glimpse(given)).toEqual({ name: "x", at: "1970-01-01T00:00:00.000Z", price: "1.10", n: "12", none: null })
  })

  test("[T2] a list becomes its count and the first three items", () => {
    expect(glimpse([1, 2, 3, 4, 5])).toEqual({ count: 5, sample: [1, 2, 3] })
    expect(glimpse([1, 2], { maxItems: 0 })).toEqual({ count: 2, sample: [] })
    expect(() => glimpse([1], { maxItems: -1 })).toThrow("maxItems")
  })

  test("[T2] anything else becomes {value}", () => {
    expect([glimpse("a"), glimpse(2), glimpse(null), glimpse(Number.NaN), glimpse(new Date(0))]).toEqual([
      { value: "a" },
      { value: 2 },
      { value: null },
      { value: null },
      { value: "1970-01-01T00:00:00.000Z" },
    ])
  })
})
