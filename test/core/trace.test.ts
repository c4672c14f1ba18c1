// W3C Trace Context, read and written [H8].

import { describe, expect, test } from "vitest"
import { readTraceparent, traceparent } from "../../src/core/trace.ts"

const ID = "4bf92f3577b34da6a3ce929d0e0e4736"
const SPAN = "00f067aa0ba902b7"

describe("traceparent", () => {
  test("[H8] the published example, sampled and not", () => {
    expect(readTraceparent(`00-${ID}-${SPAN}-01`)).toEqual({ id: ID, parent: SPAN })
    expect(readTraceparent(`00-${ID}-${SPAN}-00`)).toEqual({ id: ID, parent: SPAN, sampled: false })
    expect(readTraceparent(`00-${ID}-${SPAN}-03`)).toEqual({ id: ID, parent: SPAN })
  })

  test("[H8] a later version is read as far as it is known", () => {
    expect(readTraceparent(`cc-${ID}-${SPAN}-01-what-comes`)).toEqual({ id: ID, parent: SPAN })
    expect(readTraceparent(`cc-${ID}-${SPAN}-01`)).toEqual({ id: ID, parent: SPAN })
  })

  test.each([
    undefined,
    "",
    "nonsense",
    `ff-${ID}-${SPAN}-01`,
    `00-${ID}-${SPAN}-01-more`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${ID}-${"0".repeat(16)}-01`,
    `00-${ID.toUpperCase()}-${SPAN}-01`,
    `00-${ID}-${SPAN}`,
    ` 00-${ID}-${SPAN}-01`,
    `cc-${ID}-${SPAN}-01x`,
  ])("[H8] %j is no trace", (header) => {
    expect(readTraceparent(header)).toBeUndefined()
  })

  test("[H8] is written as it was read", () => {
    for (const flags of ["00", "01"]) {
      const text = `00-${ID}-${SPAN}-${flags}`
      expect(traceparent(readTraceparent(text) ?? { id: "", parent: "" })).toBe(text)
    }
  })
})
