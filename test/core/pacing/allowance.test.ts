// What an isolate may let go by itself [R28].

import { expect, test } from "vitest"
import { Allowance } from "../../../src/core/pacing/allowance.ts"

const DAY = 86_400_000
const call = { key: "c", family: "f", rank: "normal", cost: { requests: 1 } } as const

test("[R28] a clock that is set back by a day keeps no call from asking, and lets none go for a day", () => {
  const allowance = new Allowance("isolate", "p/m")
  allowance.question(DAY)
  allowance.told({ free: true, turns: {} }, DAY)
  expect(allowance.lets(call, DAY + 1)).toBe(true)
  expect(allowance.lets(call, 0)).toBe(false)
  expect(allowance.isDue(0)).toBe(true)
  allowance.question(0)
  expect([allowance.isDue(999), allowance.isDue(1_000)]).toEqual([false, true])
})
