// [B1] under schedules of 200 parallel branches against a model that always bills the maximum (test/budget): a crash at every await of
// the shell's loop, and random crashes. After each event spent + reserved <= limit, and at any moment what the provider has billed, or
// may still bill, is within the limit too. `npm run budget` runs 10,000 schedules; SCHEDULES=N runs N random schedules here.
//
// The same harness overshoots when it checks the bill only after each call: the test can fail.

import { describe, expect, test } from "vitest"
import { AWAITS } from "../../../budget/life.ts"
import { atEveryAwait, byChance, newTally } from "../../../budget/schedules.ts"
import { amount } from "../../../support/amount.ts"

const SCHEDULES = Number(process.env["SCHEDULES"] ?? amount(25, 5))
/** Worlds with small limits: their runs are short, and each await is one schedule. One world also has a tenant's day. */
const WORLDS = [3, 8, 6, 10].slice(0, amount(4, 2))

describe("no schedule overshoots", () => {
  test.each(WORLDS)("[B1] world %i: a crash at each await", (seed) => {
    const tally = newTally()
    atEveryAwait(seed, tally)
    expect(tally.breaches, `seed ${seed}`).toEqual([])
    expect(tally.overshot).toBe(0)
    expect(tally.schedules).toBeGreaterThan(50)
    for (const at of AWAITS) expect(tally.deaths[at], at).toBeGreaterThan(0)
  })

  test(`[B1] ${SCHEDULES} random schedules, seeds 1 to ${SCHEDULES}`, { timeout: 1_200_000 }, () => {
    const tally = newTally()
    for (let seed = 1; seed <= SCHEDULES; seed++) byChance(seed, tally)
    expect(tally.breaches).toEqual([])
    expect([tally.schedules, tally.overshot, tally.most]).toEqual([SCHEDULES, 0, 0])
    // The schedules are not empty: limits were reached, calls were made, processes crashed.
    expect(tally.asked).toBeGreaterThan(SCHEDULES / 4)
    expect(tally.calls).toBeGreaterThan(SCHEDULES * 10)
    expect(Object.values(tally.deaths).reduce((a, b) => a + b, 0)).toBeGreaterThan(SCHEDULES / 2)
  })

  test("[B1] the same harness overshoots when it checks the bill after the call: the test can fail", () => {
    const tally = newTally()
    for (let seed = 1; seed <= 10; seed++) {
      const life = byChance(seed, tally, "after")
      expect(life.overshoot, `seed ${seed}`).toBeGreaterThan(0)
    }
    expect(tally.overshot).toBe(10)
  })
})
