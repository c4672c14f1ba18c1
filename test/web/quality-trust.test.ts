import { expect, test } from "vitest"
import { agreementWords, flagWords, probeWords } from "../../web/quality/trust-words.ts"

const trust = { version: "3f9a02c41b7d", pairs: 64, agreement: 0.88, kappa: 0.712, interval: [0.58, 0.83] }

test("[V22] agreement is said with its interval, its grades and what is good", () => {
  expect(agreementWords(trust)).toBe("0.71 of 1 (0.58 to 0.83), by 64 grades, the same level in 88 %; above 0.6 is good.")
  expect(agreementWords({ ...trust, interval: null, agreement: null, pairs: 1 })).toBe("0.71 of 1, by 1 grade; above 0.6 is good.")
  expect(agreementWords({ ...trust, kappa: null, pairs: 3 })).toBe(
    "3 grades, the same level in 88 %. Beyond chance nothing can be said yet.",
  )
  expect(agreementWords({ ...trust, pairs: 0 })).toBe("Nobody has graded a run that it scored.")
  expect(flagWords("swayed")).toMatch(/raises its scores/)
})

test("[V10] a probe says what an empty run gets, and what asking adds", () => {
  const probe = { status: "done", runs: 20, plain: 0.84, empty: 0.12, urged: 0.13 } as const
  expect(probeWords(probe)).toBe("Over 20 runs: with answers taken out it gives 0.12, and asking for the best level adds 0.01.")
  expect(probeWords({ ...probe, empty: 0.8, urged: 0.7, runs: 1 })).toBe(
    "Over 1 run: with answers taken out it gives almost as much, and asking for the best level adds 0.00.",
  )
  expect(probeWords({ ...probe, status: "running" })).toBe("A probe is under way.")
  expect(probeWords({ ...probe, plain: null })).toMatch(/found no run/)
})
