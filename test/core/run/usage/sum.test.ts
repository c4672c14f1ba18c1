// Sums of runs [H16]: any two add up, names are bounded, and whatever is bounded away is counted among the others.

import { expect, test } from "vitest"
import { addSum, sumOfAll, type Sum } from "../../../../src/core/run/usage/sum.ts"
import { OTHER } from "../../../../src/core/run/usage/tally.ts"
import { diceOf } from "../../../support/kernel/world.ts"

const took = (ms: number[]) => ({ n: ms.length, sum: 10 * ms.length, buckets: ms.flatMap((b) => [b, 1]) })
const calls = (sum: Sum, kind: "model" | "tool"): number =>
  Object.values(sum.by?.[kind] ?? {}).reduce((n, part: { calls?: number }) => n + (part.calls ?? 0), 0)

test("[H16] numbers and histograms add up, and neither of the two sums is changed by a third", () => {
  const a: Sum = { began: 1, usd: 0, by: { tool: { t: { calls: 1, refused: { policy: 1 }, ms: took([3, 5]) } } } }
  const b: Sum = { began: 2, by: { tool: { t: { calls: 2, refused: { policy: 1, denylist: 2 }, ms: took([4]) } } } }
  const [first, second] = [structuredClone(a), structuredClone(b)]
  const whole = sumOfAll([a, b, a])
  expect(whole).toEqual({
    began: 4,
    usd: 0,
    by: { tool: { t: { calls: 4, refused: { policy: 3, denylist: 2 }, ms: { n: 5, sum: 50, buckets: [3, 2, 4, 1, 5, 2] } } } },
  })
  expect([a, b]).toEqual([first, second])
})

test("[H16] a stored sum has 20 models by name, the newest 10 revisions, and its text at most 16,000 characters", () => {
  const roll = diceOf("bounds")
  const into: Sum = {}
  let text = ""
  let most = 0
  for (let n = 0; n < 1_200; n++) {
    const name = (most_: number): string => `a-name-of-some-length-${Math.floor(roll() ** 2 * most_)}`
    const ms = took([Math.floor(roll() * 200)])
    text = addSum(into, {
      by: {
        model: { [name(60)]: { calls: 1, ms } },
        tool: { [name(200)]: { calls: 1, ms } },
        step: { [name(300)]: { reached: 1, ms } },
        revision: { [Math.floor(n / 40)]: { succeeded: 1, ms } },
      },
    })
    most = Math.max(most, text.length)
  }
  expect(JSON.parse(text)).toEqual(into)
  expect(most).toBeLessThanOrEqual(16_000)
  expect(most).toBeGreaterThan(15_000)
  expect(Object.keys(into.by?.model ?? {}).length).toBeLessThanOrEqual(21)
  expect([calls(into, "model"), calls(into, "tool")]).toEqual([1_200, 1_200])
  const revisions = Object.keys(into.by?.revision ?? {})
  expect(revisions).toContain("29")
  expect(revisions).toContain(OTHER)
  expect(revisions.length).toBeLessThanOrEqual(11)
})

test("[H16] a name may be any text", () => {
  const into: Sum = {}
  for (const name of ["__proto__", "constructor", "hasOwnProperty", ""]) {
    const sum: Sum = JSON.parse(`{"by":{"tool":{${JSON.stringify(name)}:{"calls":1}}}}`)
    addSum(into, sum)
    addSum(into, sum)
  }
  expect(JSON.stringify(into)).toBe(
    '{"by":{"tool":{"__proto__":{"calls":2},"constructor":{"calls":2},"hasOwnProperty":{"calls":2},"":{"calls":2}}}}',
  )
})

test.each([
  ["step", 100],
  ["model", 20],
  ["tool", 50],
  ["person", 20],
  ["key", 20],
  ["tag", 20],
] as const)("[H16] of each %s beyond %i, the first have their names", (kind, most) => {
  const into: Sum = {}
  for (let n = 0; n < most + 5; n++) addSum(into, { by: { [kind]: { [`n${n}`]: { calls: 1 } } } })
  const names = Object.keys(into.by?.[kind] ?? {})
  expect(names).toEqual([...Array.from({ length: most }, (_, n) => `n${n}`), OTHER])
  expect(into.by?.[kind]?.[OTHER]).toEqual({ calls: 5 })
})
