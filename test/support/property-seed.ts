// The parameters of property tests: the same cases in every run of the tests, so that none fails at random. `SEED=N npm test` tries
// others. A fault that another seed finds gets its own test, together with the fix.

import fc from "fast-check"

const seed = Number(process.env["SEED"] ?? 20_261_122)
if (!Number.isSafeInteger(seed)) throw new Error("SEED is not a whole number")
fc.configureGlobal({ seed })
