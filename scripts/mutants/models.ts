// Faults in calls of models and in their tries [F33, F35, M1, M5, M6], each with the test that must find it.

import type { Mutant } from "./mutant.ts"

const FAILURES = "core/run/failures.test.ts"

export const MODELS: readonly Mutant[] = [
  {
    name: "F33 spend the tries of an outage in seven seconds",
    file: "core/run/session/retry.ts",
    find: `export const MODEL_TRIES = 8`,
    put: `export const MODEL_TRIES = 4`,
    test: [FAILURES, "[F33] an outage of a minute is survived"],
  },
  {
    name: "F33 wait not at all with unlucky dice",
    file: "core/run/session/retry.ts",
    find: `(backoff(BASE_MS, made - 1) * (1 + dice)) / 2`,
    put: `backoff(BASE_MS, made - 1) * dice`,
    test: [FAILURES, "[F33] the waits double from one second"],
  },
  {
    name: "F35 end a run after a provider's outage despite its step's retry",
    file: "core/run/session/admit-session.ts",
    find: `f.message, !isTakenUp(run, id, s, f))`,
    put: `f.message, true)`,
    test: [FAILURES, "[F35] a provider that stayed down"],
  },
]
