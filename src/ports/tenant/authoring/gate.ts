// Defines the gate on writes of the catalog [K24]. The tenant's object finds the gated flows that a write affects, and refuses the write;
// the writer runs their tests, and writes again with the proof. A proof is valid for exactly this write on exactly this catalog.

import type { TestReport } from "../../../core/case/test-report.ts"
import type { ScoreVerdict } from "../../../core/experiment/verdict.ts"
import type { ScoredRule } from "../../../core/score/gate-score.ts"
import type { BacktestRow, BacktestWhy } from "./backtests.ts"
import type { CatalogChange } from "../catalog.ts"
import type { HeldModels } from "./held-models.ts"
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
  /** [V40] Experiments compare it as it is with how it would be. */
  readonly scores?: readonly ScoredRule[]
  /** [V41] No revision ever had it. */
  readonly isNew?: true
}

/** A write that was not done, because it needs a proof. */
export interface Held {
  readonly proof: GateProof
  readonly flows: readonly HeldFlow[]
  /** What the write changes, for backtests: files, and packages as a whole. Their bodies are stored. */
  readonly changes?: readonly CatalogChange[]
  /** [V40] The tenant's models as they would be, for experiments. */
  readonly models?: HeldModels
}

export interface GateBacktest {
  readonly usage: { readonly tokens: 0 }
  /** Every run that was tried. */
  readonly runs: readonly BacktestRow[]
}

export interface GateReport {
  readonly flows: readonly {
    readonly flow: string
    readonly tests?: TestReport
    readonly backtest?: GateBacktest
    readonly score?: ScoreVerdict
  }[]
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

/** [V42] The error of a write whose experiment is under way. The same write later finds what it has shown. */
export class GatePending extends Error {
  override readonly name = "GatePending"
  readonly flows: readonly string[]
  /** Absent: too many wait already. */
  readonly experiment: string | undefined

  constructor(flows: readonly string[], experiment: string | undefined) {
    const what = experiment === undefined ? "a free place for an experiment" : `the experiment ${experiment}`
    super(`Nothing was written yet: the gate waits for ${what} on ${flows.slice(0, 5).join(", ")}${flows.length > 5 ? " and more" : ""}.`)
    this.flows = flows
    this.experiment = experiment
  }
}

function whyBroken({ tests, backtest, score }: GateReport["flows"][number]): string {
  const diverged = backtest?.runs.filter(({ why }) => why !== undefined).length ?? 0
  const why = [
    ...(tests !== undefined && tests.failed > 0 ? [`${tests.failed} of its tests fail`] : []),
    ...(score === undefined ? [] : [whyScored(score)]),
    ...(diverged > 0 ? [`${diverged} recorded ${diverged === 1 ? "run diverges" : "runs diverge"}`] : []),
  ]
  return why.length === 0 ? "" : ` (${why.join(", ")})`
}

function whyScored({ decision, why, scorers = {}, needs }: ScoreVerdict): string {
  if (why !== undefined) return `undecided: ${why}`
  const points = (value: number): string => `${value < 0 ? "" : "+"}${Math.round(value * 1000) / 10}`
  const figures = Object.entries(scorers).flatMap(([name, { decision: own, difference, lower, margin }]) =>
    own === "passed" ? [] : [`${name} ${points(difference)} points, at worst ${points(lower)}, where ${points(-margin)} is allowed`],
  )
  return `${decision}: ${figures.join("; ")}${decision === "undecided" && needs !== undefined ? `; ${needs} rows would decide` : ""}`
}

/** The error of a write whose tests never finished before the catalog changed again. */
export class CatalogMoved extends Error {
  override readonly name = "CatalogMoved"
}
