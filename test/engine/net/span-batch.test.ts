// Spans in requests of a bounded size [N9]: by number and by characters, in their order, none lost.

import { describe, expect, test } from "vitest"
import type { Span } from "../../../src/core/run/views/spans.ts"
import { SpanBatch } from "../../../src/engine/net/span-batch.ts"

const span = (name: string, chars = 0): Span => ({
  trace: "t",
  id: name,
  name,
  kind: "internal",
  start: 0,
  end: 0,
  attributes: chars === 0 ? {} : { text: "x".repeat(chars) },
  failed: false,
})

describe("requests of spans", () => {
  test("[N9] hold so many spans", () => {
    const batch = new SpanBatch(3)
    batch.add(Array.from({ length: 8 }, (_, n) => span(`s${n}`)))
    expect(batch.take(false).map((some) => some.length)).toEqual([3, 3])
    batch.add([span("s8")])
    expect(batch.take(false).map((some) => some.length)).toEqual([3])
    expect(batch.take(true)).toEqual([])
  })

  test("[N9] hold so many characters, but at least one span", () => {
    const batch = new SpanBatch(500)
    batch.add([span("a", 700_000), span("b", 700_000), span("c", 2_000_000), span("d", 10), span("e", 10)])
    expect(batch.take(true).map((some) => some.map(({ name }) => name).join(""))).toEqual(["a", "b", "c", "de"])
  })
})
