// The linear matcher agrees with the language's own regular expressions, and never explodes [T20].

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { compilePattern, effort } from "../../../src/core/schema/linear-pattern.ts"
import { amount } from "../../support/amount.ts"
import { cpuClock } from "../../support/cpu-clock.ts"

const ATOMS = [
  "a",
  "b",
  "c",
  ".",
  "\\w",
  "\\W",
  "\\d",
  "\\s",
  "[ab]",
  "[^a]",
  "[a-c1]",
  "[^\\d\\s]",
  "1",
  "_",
  "-",
  "\\.",
  "\\b",
  "^",
  "$",
  "\\p{L}",
  "\\u0061",
  "\\x62",
  "(?<n>a)",
  "x{y",
]
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(...ATOMS),
    fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => a + b),
    fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `(?:${a}|${b})`),
    fc.tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,2}", "{0,2}", "{2,}", "*?", "+?")).map(([a, q]) => `(?:${a})${q}`),
  ),
}))
const sample = fc.array(fc.constantFrom("a", "b", "c", "A", "1", "_", " ", "\n", "é", ".", "-"), { maxLength: 8 }).map((c) => c.join(""))

describe("compilePattern", () => {
  test("[T20] agrees with RegExp on random patterns and texts", () => {
    let compared = 0
    fc.assert(
      fc.property(pattern, fc.array(sample, { minLength: 5, maxLength: 5 }), fc.boolean(), (source, texts, ignoreCase) => {
        let native: RegExp
        try {
          native = new RegExp(source.replaceAll("x{y", "x\\{y"), ignoreCase ? "iu" : "u")
        } catch {
          return
        }
        const own = compilePattern(source, { ignoreCase })
        if (!own.ok) throw new Error(`${source}: ${own.error}`)
        for (const text of texts) {
          compared++
          expect([source, text, own.value.test(text)]).toEqual([source, text, native.test(text)])
        }
      }),
      { numRuns: amount(4_000, 1_500) },
    )
    expect(compared).toBeGreaterThan(amount(5_000, 1_800))
  })

  test.each(["(a+)+$", "^(a|a)*$", "(a*)*b", "(.*a){12}$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a?){40}a{40}$"])(
    "[T20] %s on 100,000 characters takes almost no time",
    (source) => {
      const compiled = compilePattern(source)
      const spent = cpuClock()
      expect(compiled.ok && compiled.value.test(`${"a".repeat(100_000)}!`)).toBe(false)
      expect(spent()).toBeLessThan(8_000)
    },
  )

  test.each([
    "(?=a)",
    "(?!a)",
    "(?<=a)b",
    "(?<!a)b",
    "(a)\\1",
    "\\k<n>",
    "(",
    ")",
    "[",
    "a**",
    "*",
    "a{2,1}",
    "a{9999}",
    "\\",
    "\\q",
    "[b-a]",
    "[\\d-x]",
    "(?i)a",
    "\\p{Nope}",
    "(?<n",
    "x".repeat(1_001),
    "(".repeat(60) + ")".repeat(60),
    "((a{100}){100}){100}",
    "((((){1000}){1000}){1000}){1000}",
  ])("[T20] %j is refused with a sentence", (source) => {
    const compiled = compilePattern(source)
    expect(!compiled.ok && compiled.error.length).toBeGreaterThan(10)
  })

  test("[T20] one budget shared by many texts runs out", () => {
    const compiled = compilePattern("(x?){500}y")
    const spend = effort(100)
    expect(() => compiled.ok && compiled.value.test("xxxxxxxxxx", spend)).toThrow(/too costly/)
  })
})
