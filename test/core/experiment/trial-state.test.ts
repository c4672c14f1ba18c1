// [V36] What stops a trial, and what is its variant's failure: every source of a failure, and every cause of a cancel.

import { expect, test } from "vitest"
import { trialState } from "../../../src/core/experiment/trial-state.ts"
import { FailureSource } from "../../../src/core/run/event-parts.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"

const failed = (source: FailureSource): Pick<RunView, "status" | "error"> => ({ status: "failed", error: { source, message: "m" } })

test("[V36] only the provider's failure and this build's stop a trial; a budget, a timeout and a bad definition are the variant's", () => {
  const stopped = FailureSource.options.filter((source) => trialState(failed(source)) === "stopped")
  expect(stopped.toSorted()).toEqual(["api_error", "engine"])
  expect(["budget", "run_timeout", "step_timeout", "config"].map((source) => trialState(failed(source as FailureSource)))).toEqual(
    Array.from({ length: 4 }, () => "failed"),
  )
})

test("[V36] a failure below counts by its own cause", () => {
  expect(trialState(failed("child_failed"), { below: "api_error" })).toBe("stopped")
  expect(trialState(failed("child_failed"), { below: "budget" })).toBe("failed")
  expect(trialState(failed("child_failed"))).toBe("failed")
  expect(trialState(failed("budget"), { below: "api_error" })).toBe("failed")
})

test("[V36] a canceled trial is stopped, but one that took 30 minutes has failed", () => {
  const canceled = { status: "canceled" } as const
  for (const why of ["budget", "room", "person", undefined] as const) expect(trialState(canceled, { canceled: why })).toBe("stopped")
  expect(trialState(canceled, { canceled: "time" })).toBe("failed")
  expect(trialState({ status: "succeeded" }, { canceled: "time" })).toBe("succeeded")
})
