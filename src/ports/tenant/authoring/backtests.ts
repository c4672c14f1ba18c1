// Defines backtests [K23]: a change tried on recorded runs. The tenant's object stores their rows; the Worker that got the request does the
// work, run by run.

import type { BacktestRun } from "../../../api/doc/tests.doc.ts"
import type { Row } from "../../../api/rows.ts"
import type { Diagnostic } from "../../../core/diagnostic.ts"
import type { Amount } from "../../../core/money/amount.ts"
import type { HeldModels } from "./held-models.ts"
import type { CatalogChange, PinResult } from "../catalog.ts"

export type BacktestWhy = NonNullable<BacktestRow["why"]>

export interface BacktestChange {
  readonly definitions?: Readonly<Record<string, string | null>>
  readonly revision?: number
  /** [V32] The catalog with this draft over it. */
  readonly draft?: string
  /** The files of an architect's session. */
  readonly session?: string
  /** Agent → model. */
  readonly models?: Readonly<Record<string, string>>
  /** [K24] A write of the catalog that the gate holds. */
  readonly write?: readonly CatalogChange[]
  /** [V42] Models in place of the tenant's. */
  readonly settings?: HeldModels
}

export interface BacktestWish {
  readonly flow: string
  /** Ids of ended runs, in the order of the report. */
  readonly runs: readonly string[]
  readonly change: BacktestChange
  readonly match: "exact" | "position"
  readonly beyond: "stop" | "live"
  readonly budget?: Amount
}

export type BacktestRow = Row<typeof BacktestRun>

export interface Backtest {
  readonly id: string
  readonly wish: BacktestWish
  readonly status: "running" | "done"
  readonly usage: { readonly tokens: number; readonly usd: number | null }
  readonly runs: readonly BacktestRow[]
  /** Milliseconds. */
  readonly created: number
  readonly at: number
}

export interface BacktestsRoom {
  /** false: too many are kept. */
  keep(backtest: Backtest): Promise<void>
  find(id: string): Promise<Backtest | undefined>
}

export type Proposal =
  | { readonly ok: true; readonly pinned: Extract<PinResult, { ok: true }> }
  | { readonly ok: false; readonly code: "faults"; readonly diagnostics: Readonly<Record<string, readonly Diagnostic[]>> }
  | { readonly ok: false; readonly code: "no_session" }
  | { readonly ok: false; readonly code: "no_agent"; readonly agent: string }
  | { readonly ok: false; readonly code: "not_pinned"; readonly why: Extract<PinResult, { ok: false }> }

export interface ProposalWish {
  readonly flow: string
  readonly change: BacktestChange
  readonly rehearse: boolean
  readonly autonomous: boolean
}

/** Backtests for HTTP routes. */
export interface BacktestsPort {
  /** Whether the flow can be pinned with the change. */
  propose(wish: ProposalWish): Promise<Proposal>
  /** Starts it and returns its id. */
  begin(wish: BacktestWish): Promise<string>
  find(id: string): Promise<Backtest | undefined>
}
