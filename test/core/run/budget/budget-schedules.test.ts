// [B1] under schedules of 200 parallel branches against a model that always bills the most (test/budget): a death at every await of the
// shell's loop, and deaths by chance. After each event spent + reserved <= limit, and at each moment what the provider has billed, or
// may bill yet, is within the limit too. `npm run budget` runs 10,000 of them; SCHEDULES=N here asks for N by chance.
//
// The same harness with the bill looked at after each call overshoots: the test can fail.

import { describe, expect, test } from "vitest"
import { AWAITS } from "../../../budget/life.ts"
import { atEveryAwait, byChance, newTally } from "../../../budget/schedules.ts"

const SCHEDULES = Number(process.env["SCHEDULES"] ?? "25")
/** Small limits: their runs are short, and every await of theirs is a schedule. One of them has a tenant's day beside its own limit. */
const WORLDS = [3, 6, 8, 10]

describe("no schedule overshoots", () => {
  test.each(WORLDS)("[B1] world %i: a death at each of its awaits", (seed) => {
    const tally = newTally()
    atEveryAwait(seed, tally)
    expect(tally.breaches, `seed ${seed}`).toEqual([])
    expect(tally.overshot).toBe(0)
    expect(tally.schedules).toBeGreaterThan(50)
    for (const at of AWAITS) expect(tally.deaths[at], at).toBeGreaterThan(0)
  })

  test(`[B1] ${SCHEDULES} schedules by chance, seeds 1 to ${SCHEDULES}`, { timeout: 1_200_000 }, () => {
    const tally = newTally()
    for (let seed = 1; seed <= SCHEDULES; seed++) byChance(seed, tally)
    expect(tally.breaches).toEqual([])
    expect([tally.schedules, tally.overshot, tally.most]).toEqual([SCHEDULES, 0, 0])
    // They are no empty schedules: limits were reached, calls were made, processes died.
    expect(tally.asked).toBeGreaterThan(SCHEDULES / 4)
    expect(tally.calls).toBeGreaterThan(SCHEDULES * 10)
    expect(Object.values(tally.deaths).reduce((a, b) => a + b, 0)).toBeGreaterThan(SCHEDULES / 2)
  })

  test("[B1] the same harness with the bill looked at after the call overshoots: it can fail", () => {
    const tally = newTally()
    for (let seed = 1; seed <= 10; seed++) {
      const life = byChance(seed, tally, "after")
      expect(life.overshoot, `seed ${seed}`).toBeGreaterThan(0)
    }
    expect(tally.overshot).toBe(10)
  })
})
