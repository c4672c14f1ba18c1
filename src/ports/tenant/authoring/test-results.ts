// Stores the last result of each case of a flow's tests [K21], by the revision of the catalog.

import type { CaseResult } from "../../../core/case/test-report.ts"

export interface KeptResult extends CaseResult {
  readonly revision: number
  /** Milliseconds. */
  readonly at: number
}

export interface TestResultsPort {
  /** Replaces what the same cases gave on the same revision. */
  keep(flow: string, revision: number, cases: readonly CaseResult[]): Promise<void>
  /** The newest of each case, or the newest that is not of a later revision. */
  newest(flow: string, revision?: number): Promise<readonly KeptResult[]>
}
