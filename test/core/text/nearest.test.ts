import fc from "fast-check"
import { expect, test } from "vitest"
import { nearest } from "../../../src/core/text/nearest.ts"
import { nearestOf } from "../../../src/core/text/name-index.ts"
import { cpuClock } from "../../support/cpu-clock.ts"

/** Edits and swaps of neighbors, by the definition. */
function edits(a: string, b: string, i = a.length, j = b.length, known = new Map<number, number>()): number {
  if (i === 0 || j === 0) return i + j
  const before = known.get(i * 100 + j)
  if (before !== undefined) return before
  const step = (di: number, dj: number): number => edits(a, b, i - di, j - dj, known)
  let d = Math.min(step(1, 0) + 1, step(0, 1) + 1, step(1, 1) + (a[i - 1] === b[j - 1] ? 0 : 1))
  if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) d = Math.min(d, step(2, 2) + 1)
  known.set(i * 100 + j, d)
  return d
}

const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "_", "1"), minLength: 1, maxLength: 14 })

test("[F3] the nearest name is the first of the least distance within a third of the length", () => {
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 12 }), (wrong, names) => {
      let best: string | undefined
      let least = Infinity
      for (const name of names) {
        const d = edits(wrong, name)
        if (d <= Math.max(1, Math.floor(Math.max(wrong.length, name.length) / 3)) && d < least) [best, least] = [name, d]
      }
      expect(nearest(wrong, names)).toBe(best)
    }),
    { numRuns: 500 },
  )
})

const NAMES = Array.from({ length: 2_000 }, (_, i) => `agent_${(i * 7_919) % 100_003}_of_the_house`)

test("[F3] among many names, one that a single edit tells apart is found", () => {
  fc.assert(
    fc.property(fc.nat(NAMES.length - 1), fc.nat(20), fc.integer({ min: 0, max: 3 }), (which, at, edit) => {
      const name = NAMES[which] ?? ""
      const [head, char, next, tail] = [name.slice(0, at), name.slice(at, at + 1), name.slice(at + 1, at + 2), name.slice(at + 2)]
      const wrong =
        [`${head}${next}${tail}`, `${head}x${char}${next}${tail}`, `${head}X${next}${tail}`, `${head}${next}${char}${tail}`][edit] ?? ""
      const found = nearestOf(wrong, NAMES)
      expect(found).toBeDefined()
      expect(edits(wrong.toLowerCase(), found ?? "")).toBeLessThanOrEqual(2)
    }),
  )
  expect(nearestOf("nothing like it", NAMES)).toBeUndefined()
})

test("[H3] suggestions for 2,000 wrong names among 2,000 take time linear in their number", () => {
  const alike = Array.from({ length: 2_000 }, (_, i) => `${"a".repeat(40)}${i}`)
  const spent = cpuClock()
  for (const names of [NAMES, alike, new Set(NAMES)]) for (const name of names) nearestOf(`${name.slice(0, 5)}x${name.slice(6)}yy`, names)
  expect(spent()).toBeLessThan(6_000)
})
