// When a run must be checked again [J12].

import { describe, expect, test } from "vitest"
import { nextAlarm, WATCHDOG_MS } from "../../../../src/engine/run/conduct/next-alarm.ts"
import type { Action } from "../../../../src/core/run/action.ts"
import { newRun } from "../../../../src/core/run/state.ts"
import { agent, flowOf, planOf } from "../../../support/kernel/builders.ts"

const run = () => ({ ...newRun(planOf(flowOf([agent("a")]))), status: "waiting" as const })
const retry = (notBefore: number): Action => ({ do: "call-model", step: "a", key: "a/1/m1", notBefore }) as unknown as Action

describe("the next alarm", () => {
  test("[J12] [F33] a retry that became due after the decision is still waited for, and one that was due at it is not", () => {
    expect(nextAlarm(run(), [retry(1_500)], 1_000, 1_000)).toBe(1_500)
    // Its time has come, and nobody has begun it.
    expect(nextAlarm(run(), [retry(1_500)], 1_600, 1_000)).toBe(1_500)
    // It waits for a place.
    expect(nextAlarm(run(), [retry(1_500)], 1_600, 1_500)).toBe(undefined)
  })

  test("[J12] effects under way have the watchdog, and an earlier time comes first", () => {
    const busy = { ...run(), underway: { "a/1/m1": { kind: "model" as const, step: "a", attempt: 1, since: 0 } } }
    expect(nextAlarm(busy, [], 1_000, 1_000)).toBe(1_000 + WATCHDOG_MS)
    expect(nextAlarm(busy, [{ do: "wake", key: "w", at: 1_200 }], 1_000, 1_000)).toBe(1_200)
  })
})
