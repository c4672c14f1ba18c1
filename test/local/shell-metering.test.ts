// What the build writes into the shell's library: the meter, and patterns in linear time in place of quadratic ones.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { metered, SLOW_PATTERNS } from "../../local/shell-metering.ts"

const LIBRARY = `import { gzipSync as z } from "node:zlib"
class E extends Error { name = "ExecutionLimitError" }
function zip(x) { return z(x) }
async function all(list) { for (const x of list) await x; return list?.a.split(",") }
const each = (list) => list.map((x) => [...x]).join("/")
function loop(n) { let i = 0; while (i < n) i++; return i }
async function pack(x) { return zip(x) }
export { all, each, loop, pack, E as Limit }
`

interface Library {
  all(list: readonly unknown[] & { a?: string }): Promise<string[] | undefined>
  each(list: readonly string[]): string
  loop(n: number): number
  pack(x: string): Promise<string>
}

async function made(meter: object): Promise<Library> {
  const text = metered(LIBRARY, {})
  const module: { library(meter: object): Library } = await import(`data:text/javascript,${encodeURIComponent(text)}`)
  return module.library(meter)
}

describe("the metered library", () => {
  test("[T20] computes the same, and every turn, call and long value is a step", async () => {
    let steps = 0
    const pay = (left: number): number => ((steps += 1 - left), 1)
    const meter = { due: false, look: pay, rest: async (left: number) => pay(left), gzipSync: async (x: string) => `zipped ${x}` }
    const { all, each, loop, pack } = await made(meter)
    expect(loop(1_000)).toBe(1_000)
    expect(steps).toBeGreaterThan(900)
    expect([each(["ab", "c"]), await all(Object.assign([1, 2], { a: "x,y" })), await pack("p")]).toEqual(["a,b/c", ["x", "y"], "zipped p"])
    steps = 0
    expect(each(["a".repeat(10_000)]).length).toBe(19_999)
    expect(steps).toBeGreaterThan(10_000)
  })

  test("[T6] it ends where its meter throws, and rests where it can wait", async () => {
    let rests = 0
    const spent = new Error("spent")
    const meter = {
      due: true,
      look: () => {
        throw spent
      },
      rest: async () => (rests++, 1),
    }
    const { all, loop } = await made(meter)
    expect(() => loop(Number.POSITIVE_INFINITY)).toThrow(spent)
    await expect(all([1, 2, 3])).rejects.toThrow(spent)
    expect(rests).toBe(0)
    const { all: calm } = await made({ ...meter, look: () => 1 })
    await calm(Object.assign([1, 2, 3], { a: "" }))
    expect(rests).toBeGreaterThan(2)
  })

  test.each(Object.entries(SLOW_PATTERNS))("[T6] %s and %s find the same", (slow, fast) => {
    const alphabet = fc.constantFrom(..." \n\ta0 19.\\/$<>{}()[]`'&%+-#dTtmxbnMkK?P:\u00a0".split(""))
    fc.assert(
      fc.property(fc.array(alphabet, { maxLength: 14 }), fc.constantFrom("", " ", "\n", "0", "/", "]", "x", "t", "d"), (chars, end) => {
        const text = (slow.startsWith("/^%") ? "%" : "") + chars.join("") + end
        const found = (literal: string): unknown => {
          const [, source = "", flags = ""] = /^\/(.*)\/([a-z]*)$/.exec(literal) ?? []
          const pattern = new RegExp(source, flags.replace("g", ""))
          // Only asked whether they match.
          if (slow === "/\\[.*\\]/" || slow === "/\\[.+\\]$/" || slow.startsWith("/^`")) return pattern.test(text.replaceAll("\n", " "))
          return pattern.exec(text)?.slice()
        }
        expect(found(fast)).toEqual(found(slow))
      }),
      { numRuns: 2_000 },
    )
  })

  test.each(Object.entries(SLOW_PATTERNS))("[T6] in place of %s, %s takes linear time", (slow, literal) => {
    const [, source = "", flags = ""] = /^\/(.*)\/([a-z]*)$/.exec(literal) ?? []
    const pattern = new RegExp(source, flags)
    const begun = process.threadCpuUsage().user
    for (const part of ["\n", " ", "0", "1", "/", "b", "[", "[a", "$<", "${a", "(?P<", "%1", "\u00a0 ", "\n at", "a "])
      for (const [before, after] of [
        ["", "x"],
        ["%", "x"],
        [" ", "\n"],
      ] as const)
        pattern.test(before + part.repeat(100_000 / part.length) + after)
    expect([slow, process.threadCpuUsage().user - begun < 2_000_000]).toEqual([slow, true])
  })
})
