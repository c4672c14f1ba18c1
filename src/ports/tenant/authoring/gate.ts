// Defines the gate on writes of the catalog [K24]. The tenant's object finds the gated flows that a write affects, and refuses the write;
// the writer runs their tests, and writes again with the proof. A proof is valid for exactly this write on exactly this catalog.

import type { TestReport } from "../../../core/case/test-report.ts"
import type { BacktestRow, BacktestWhy } from "./backtests.ts"
import type { CatalogChange } from "../catalog.ts"
import type { TrialReady } from "./trials.ts"

export interface GateProof {
  /** The catalog's revision that the tests ran on. */
  readonly revision: number
  /** SHA-256 of the write's changes and of the gate. */
  readonly digest: string
}

/** The author and options of a write. */
export interface WriteAs {
  /** The caller's name, stored with the revision [F72]. */
  readonly by?: string
  /** An admin writes past the gate. */
  readonly forced?: true
  /** [F79] The writer may change what configures the tenant. */
  readonly configures?: true
  /** [W6] The address that links in messages begin with, if the request says it. */
  readonly address?: string
  readonly proof?: GateProof
}
export type Writer = string | WriteAs

export interface HeldFlow {
  readonly flow: string
  /** Its tests on the catalog as it would be; absent: the gate does not ask for them. */
  readonly tests?: TrialReady
  /** It had tests, and the write takes them away. */
  readonly lost?: true
  /** [K23] It is tried on so many of its newest ended runs. */
  readonly backtest?: { readonly last: number; readonly allow: readonly BacktestWhy[] }
}

/** A write that was not done, because it needs a proof. */
export interface Held {
  readonly proof: GateProof
  readonly flows: readonly HeldFlow[]
  /** What the write changes, for backtests: files, and packages as a whole. Their bodies are stored. */
  readonly changes?: readonly CatalogChange[]
}

export interface GateBacktest {
  readonly usage: { readonly tokens: 0 }
  /** Every run that was tried. */
  readonly runs: readonly BacktestRow[]
}

export interface GateReport {
  readonly flows: readonly { readonly flow: string; readonly tests?: TestReport; readonly backtest?: GateBacktest }[]
}

/** The error of a refused write. The message names the flows that break; `report` has the details. */
export class GateFailed extends Error {
  override readonly name = "GateFailed"
  readonly report: GateReport

  constructor(report: GateReport) {
    const told = report.flows.map((one) => `${one.flow}${whyBroken(one)}`)
    super(`Nothing was written: the change breaks ${told.slice(0, 5).join(", ")}${told.length > 5 ? " and more" : ""}.`)
    this.report = report
  }
}

function whyBroken({ tests, backtest }: GateReport["flows"][number]): string {
  const diverged = backtest?.runs.filter(({ why }) => why !== undefined).length ?? 0
  const why = [
    ...(tests !== undefined && tests.failed > 0 ? [`${tests.failed} of its tests fail`] : []),
    ...(diverged > 0 ? [`${diverged} recorded ${diverged === 1 ? "run diverges" : "runs diverge"}`] : []),
  ]
  return why.length === 0 ? "" : ` (${why.join(", ")})`
}

/** The error of a write whose tests never finished before the catalog changed again. */
export class CatalogMoved extends Error {
  override readonly name = "CatalogMoved"
}
