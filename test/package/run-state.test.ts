// What a page is told while its run cannot be read.

import { describe, expect, test } from "vitest"
import { lossOf } from "../../package/run-state.ts"

describe("a lost connection", () => {
  test("[E4] is told from the third loss in a row, with the page's origin, and no longer once it is back", () => {
    const loss = lossOf("https://shop.example.com")
    expect([loss(false), loss(false)]).toEqual([undefined, undefined])
    expect(loss(false)).toBe(
      "no answer: the server cannot be reached, or it does not allow the origin of this page, https://shop.example.com (settings, cors); it is tried again",
    )
    expect([loss(true), loss(false), loss(false)]).toEqual([undefined, undefined, undefined])
    expect(loss(false)).toContain("no answer")
  })
  test("[E4] outside a page there is no origin to allow", () => {
    const loss = lossOf(undefined)
    loss(false)
    loss(false)
    expect(loss(false)).toBe("no answer: the server cannot be reached; it is tried again")
  })
})
