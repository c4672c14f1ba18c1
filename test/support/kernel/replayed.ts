// Every journal that a test's runs leave behind replays through the kernel to the same journal [K18]. A stand of runs calls `replays` when
// it is made; the check comes when the test has ended.

import { expect, onTestFinished } from "vitest"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { Plan } from "../../../src/core/run/plan.ts"
import { amount } from "../amount.ts"
import { replay } from "./replay.ts"

/** A journal longer than this is checked by tests of its own: a check that costs more than its test helps no one. */
const MAX_EVENTS = 5_000
/** Of one test all of so many journals are checked, and one of so many that come after them: a property makes thousands, all of one kind. */
const EACH = 20
const THEN_ONE_OF = amount(1, 8)

let test: string | undefined
let made = 0

export function replays(plan: Plan, journal: () => readonly RunEvent[], hash: (text: string) => string): void {
  const { currentTestName } = expect.getState()
  if (currentTestName !== test) [test, made] = [currentTestName, 0]
  if (++made > EACH && made % THEN_ONE_OF !== 0) return
  const check = (): void => {
    const events = journal()
    if (events.length <= MAX_EVENTS) expect(replay(plan, events, hash).fault, "the journal replays to itself [K18]").toBeUndefined()
  }
  try {
    onTestFinished(check)
  } catch {
    // A journal that a file makes before its tests belongs to no test: vitest refuses the hook, for its state still names the last test.
  }
}
