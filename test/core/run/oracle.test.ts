// [S8, S9] The set and the order of the calls that run, with their arguments, are what an independently written oracle allows: for any
// calls, arguments, policies, scopes, answers, crashes. A failure prints its seed and path: `{ seed, path }` beside `numRuns` runs it alone.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { drive, newTally } from "./oracle-drive.ts"
import { scenarios } from "./oracle-world.ts"

// scripts/mutants.ts plants faults by the dozen: each needs one counterexample soon, not the smallest.
const quick = process.env["SLUICE_MUTANT"] !== undefined

describe("the guard against its oracle", () => {
  test("[G1] [G3] [Q3] [G11] what ran is what the oracle allows, in its order, with its arguments", { timeout: 60_000 }, () => {
    const tally = newTally()
    fc.assert(
      fc.property(scenarios, (scenario) => drive(scenario, tally)),
      { numRuns: quick ? 1_500 : 2_500, endOnFailure: quick },
    )
    console.log(tally)
  })
})
