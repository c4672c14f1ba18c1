// Defines repairs [13.7]: an architect's session about a run that failed or scored low, and the evidence for its proposal. The evidence is collected after the
// session's run has ended and before a person accepts; the catalog does not change.

import type { CaseResult } from "../../../core/case/test-report.ts"
import type { Amount } from "../../../core/money/amount.ts"

/** [V18] The score that a repair is about. */
export interface RepairedScore {
  readonly scorer: string
  readonly version: string
  readonly score: number
  readonly level?: string
  readonly reason?: string
  /** The rule's threshold: a score below it is low. */
  readonly below: number
}

export interface Repair {
  /** The run that failed or scored low. */
  readonly run: string
  /** Its flow. */
  readonly flow: string
  /** Where it failed; absent: before any step opened. */
  readonly step?: string
  /** The most that the proof's fork may spend; absent: what the failed run had left. */
  readonly budget?: Amount
  readonly rehearsed: boolean
  /** [V18] The run succeeded, and this score is low. */
  readonly low?: RepairedScore
  /** What the architect is shown of the run, between delimiters [G11]. */
  readonly story: string
  readonly proof?: RepairEvidence
}

/** The evidence for a repair. Members are added in this order; each is absent until it is known. */
export interface RepairEvidence {
  /** The session's run whose files it proves. */
  readonly run: string
  /** Milliseconds. `at`: of the last news. */
  readonly begun: number
  readonly at: number
  /** A staged fork of the failed run, from the step that failed, or from the start if the change does not fit what had run before. */
  readonly fork?: { readonly run: string; readonly from: "step" | "start" } | { readonly error: string }
  /** null: the flow has no tests. */
  readonly tests?: ProvenTests | { readonly error: string } | null
  /** null: the flow has no recorded runs, or cannot have any. */
  readonly backtest?: { readonly id: string } | { readonly error: string } | null
  /** [V18] Of a low score: when its scorer was asked about the fork, in milliseconds. Absent while the fork has not ended. */
  readonly score?: { readonly asked: number } | { readonly error: string }
}

export interface ProvenTests {
  readonly passed: number
  readonly failed: number
  /** The first ones. */
  readonly failures: readonly Pick<CaseResult, "name" | "run" | "failures">[]
}

/** The request for a repair. */
export interface RepairWish extends Omit<Repair, "proof"> {
  /** Flows to show, the failed run's first; none if an agent ran on its own. */
  readonly flows: readonly string[]
  /** Agents to show besides those of the flows. */
  readonly agents: readonly string[]
}

export const isWhole = (proof: RepairEvidence | undefined): boolean =>
  proof?.fork !== undefined && proof.tests !== undefined && proof.backtest !== undefined

/** A judge has 2 minutes [V15]. One that has not answered by then was skipped or lost, and is asked again. */
const SCORE_MS = 150_000

/** [V18] The fork that a scorer is still to be asked about. */
export function unscored({ low, proof }: Pick<Repair, "low" | "proof">, now: number): { readonly run: string } | undefined {
  const { fork, score } = proof ?? {}
  if (!low || !fork || !("run" in fork)) return undefined
  return score === undefined || ("asked" in score && now > score.asked + SCORE_MS) ? fork : undefined
}
