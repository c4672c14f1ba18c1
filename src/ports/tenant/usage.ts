// What a tenant's runs have used, by day.

import type { UsageBy } from "../../core/run/usage/run-usage.ts"
import type { Figures } from "../../core/run/usage/figures.ts"

/** `failed`: of these runs. */
export interface UsageSum extends Readonly<Figures> {
  /** Runs that no other run started; by model, agent and tool, all runs that used it. */
  readonly runs: number
  readonly failed: number
  readonly children: number
}

export interface UsageRow extends UsageSum {
  /** A day such as 2026-11-23, or a name. */
  readonly key: string
}

/** Days since 1970 in UTC, both included. */
export interface UsageQuery {
  readonly by: UsageBy
  readonly from: number
  readonly to: number
  /** Rehearsed runs, and only these. */
  readonly rehearsed: boolean
}

export interface UsagePort {
  sums(query: UsageQuery): Promise<{ readonly data: readonly UsageRow[]; readonly total: UsageSum; readonly complete: boolean }>
}
