// Defines the usage of a tenant's runs by day.

import type { UsageBy } from "../../core/run/usage/run-usage.ts"
import type { Usage } from "../../core/money/usage.ts"
import type { AskCounts } from "../../core/run/usage/asked.ts"
import type { Figures, Lost } from "../../core/run/usage/figures.ts"

/** A sum of usage. `failed`: how many of the runs failed. */
export interface UsageSum extends Readonly<Omit<Figures, "lost">>, Readonly<AskCounts> {
  readonly lost: Lost
  /** Runs that no other run started; by model, agent and tool, all runs that used it. */
  readonly runs: number
  readonly failed: number
  readonly children: number
}

export interface UsageRow extends UsageSum {
  /** Of sums for each day, or each hour: when it begins. */
  readonly day?: string
  readonly hour?: string
  /** A day such as 2026-11-23, or a name. */
  readonly key: string
}

/** A range of days, both included, counted since 1970 in UTC. */
export interface UsageQuery {
  readonly by: UsageBy
  readonly from: number
  readonly to: number
  /** Rehearsed runs, and only these. */
  readonly rehearsed: boolean
  /** Sums by name, for each day. */
  readonly daily?: true
  /** Sums in all or by flow, for each hour. */
  readonly hourly?: true
}

/** The usage of a tried turn, on the day of `at`. */
export interface TriedTurn {
  readonly at: number
  readonly flow: string
  readonly agent: string
  readonly model: string
  readonly usage: Usage
  /** US dollars; null: the model has no price. */
  readonly cost: number | null
}

export interface UsagePort {
  /** [K19] A turn that was tried belongs to no run. Call this once for each. */
  tried(turn: TriedTurn): Promise<void>
  sums(query: UsageQuery): Promise<{ readonly data: readonly UsageRow[]; readonly total: UsageSum; readonly complete: boolean }>
}
