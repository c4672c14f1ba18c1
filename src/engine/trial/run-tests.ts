// Runs the cases of a flow's tests side by side [K21], and reports them in their order.

import type { TestReport } from "../../core/case/test-report.ts"
import type { TrialReady } from "../../ports/tenant/authoring/trials.ts"
import { atOnce } from "../at-once.ts"
import { runCase, type TrialDeps } from "./run-case.ts"

/** Limit: milliseconds for the cases of a flow's tests → the case fails. */
export const TESTS_MS = 60_000

/** `first`: the id of the first case's run, which has a place already [H6]. */
export async function runTests(
  deps: TrialDeps,
  { flow, cases }: Extract<TrialReady, { ok: true }>,
  first?: string,
  until: number = deps.now() + TESTS_MS,
): Promise<TestReport> {
  const indexed = cases.map((one, i) => ({ one, i }))
  const results = await atOnce(indexed, ({ one, i }) => runCase(deps, one, until, i === 0 ? first : undefined))
  const passed = results.filter((result) => result.passed).length
  return { flow, passed, failed: results.length - passed, cases: results }
}
