// What a property is tried with: the same cases in every run of the tests, so that none of them fails by chance. `SEED=N npm test` tries
// others. What another seed finds becomes a test of its own, and the mending goes with it.

import fc from "fast-check"

const seed = Number(process.env["SEED"] ?? 20_261_122)
if (!Number.isSafeInteger(seed)) throw new Error("SEED is no whole number")
fc.configureGlobal({ seed })
