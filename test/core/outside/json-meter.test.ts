// What a server sends is counted before a library parses it at one go [N4].

import { describe, expect, test } from "vitest"
import { JsonMeter } from "../../../src/core/outside/json-meter.ts"

const MOST = 1_000
/** In chunks of every size: a chunk ends anywhere. */
function said(text: string, events = false, size = 7): string | undefined {
  const meter = new JsonMeter({ most: MOST, left: MOST }, events)
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) {
    const why = meter.take(bytes.subarray(at, at + size))
    if (why !== undefined) return why
  }
  return undefined
}

const many = `[${"1,".repeat(MOST + 1)}1]`
const deep = `${"[".repeat(80)}${"]".repeat(80)}`

describe("a meter of JSON", () => {
  test.each([1, 2, 3, 7, 100_000])("[N4] counts values and levels in chunks of %i bytes", (size) => {
    expect(said(many, false, size)).toBe("has more than 1000 values")
    expect(said(`[${"[],".repeat(MOST)}1]`, false, size)).toBe("has more than 1000 values")
    expect(said(`[${'{"a":1},'.repeat(MOST)}1]`, false, size)).toBe("has more than 1000 values")
    expect(said(deep, false, size)).toBe("is nested deeper than 64 levels")
    expect(said(JSON.stringify({ text: many.repeat(20), deep, quote: '\\" [[[ , "', end: "\\" }), false, size)).toBeUndefined()
    expect(said(`{"a":"\\\\",\n\n"b":${JSON.stringify(deep)}}`, false, size)).toBeUndefined()
  })

  test("[N4] neither line breaks nor comments of a stream of events hide what is in it", () => {
    const pretty = JSON.stringify(JSON.parse(many), null, 1)
    expect(said(pretty)).toBe("has more than 1000 values")
    expect(said("[\n\n".repeat(80))).toBe("is nested deeper than 64 levels")
    expect(said(`: it's "\ndata: ${many}\n\n`, true)).toBe("has more than 1000 values")
    expect(said(`: "\n${`data: [[1]]\n\n`.repeat(MOST)}`, true)).toBe("has more than 1000 values")
    expect(said(`data: ${deep}\n\n`, true)).toBe("is nested deeper than 64 levels")
    expect(said(": [ is open\n\ndata: {}\r\n\r\n".repeat(100), true)).toBeUndefined()
  })

  test("[N4] answers to one list or call share what they may have", () => {
    const values = { most: MOST, left: MOST }
    const bytes = new TextEncoder().encode(`[${"1,".repeat(600)}1]`)
    expect([new JsonMeter(values, false).take(bytes), new JsonMeter(values, false).take(bytes)]).toEqual([
      undefined,
      "has more than 1000 values",
    ])
  })
})
