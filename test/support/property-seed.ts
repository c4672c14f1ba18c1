// What every file of tests in Node has. The parameters of property tests: the same cases in every run of the tests, so that none fails at random. `SEED=N npm test` tries
// others. A fault that another seed finds gets its own test, together with the fix.

import fc from "fast-check"
import { afterAll, vi } from "vitest"

const seed = Number(process.env["SEED"] ?? 20_261_122)
if (!Number.isSafeInteger(seed)) throw new Error("SEED is not a whole number")
fc.configureGlobal({ seed })

// The files that come after this one share its globals: a clock that stands still would stop one of them without a word.
afterAll(() => {
  if (!vi.isFakeTimers()) return
  vi.useRealTimers()
  throw new Error("this file leaves fake timers behind: put them back in an afterEach")
})
