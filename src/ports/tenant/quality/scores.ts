// A tenant's scorers and scores [V1–V22].

import type { ProbeShown, ScorerRow, ScoresAsked, ScoringToday } from "../../../api/doc/quality.doc.ts"
import type { Amount } from "../../../core/money/amount.ts"
import type { TrustFlag, VersionTrust } from "../../../core/score/trust.ts"
import type { Level } from "../../../core/flow/scorer.ts"
import type { FeedbackKept } from "./scoring.ts"

export interface ScoresWanted {
  readonly run: string
  readonly flow: string
  readonly scorers: readonly string[]
  readonly again?: boolean
  readonly by: string
  /** Names the request. */
  readonly ask: string
  /** By scorer: the versions that have scored the run. */
  readonly versions: Readonly<Record<string, readonly string[]>>
}

export type ScoresTaken =
  | { readonly ok: true; readonly data: ScoresAsked["data"] }
  /** `at`: of the scorers. `no_budget`: it asks a judge with a price, and no budget is set. `quota`: the day no longer covers it. */
  | { readonly ok: false; readonly code: "unknown" | "no_budget" | "quota"; readonly at: number }

/** A run that waits for a grade. `since`: ms. */
export interface WaitingGrade {
  readonly run: string
  readonly flow: string
  readonly scorer: string
  readonly rubric?: string
  readonly levels?: readonly Level[]
  /** The files that its scorer gets to see. */
  readonly files: readonly string[]
  readonly since: number
}

export interface GradingFilter {
  readonly scorer?: string
  readonly flow?: string
  readonly after?: Pick<WaitingGrade, "since" | "run" | "scorer">
  readonly limit?: number
}

/** [V22] */
export interface JudgeTrust {
  /** That of now first. */
  readonly versions: readonly VersionTrust[]
  readonly probe?: ProbeShown
  readonly flags: readonly TrustFlag[]
}

export interface ScoreSum {
  /** Since 1970, where days are told apart. */
  readonly day?: number
  readonly flow: string
  readonly scorer: string
  readonly scored: number
  readonly mean: number | null
  readonly low: number
  /** What its judges have used. */
  readonly input: number
  readonly output: number
  readonly usd: number | null
}

export interface ProbeWish {
  readonly id: string
  readonly scorer: string
  /** Of these, the first `most` that succeeded; with the row of a dataset that a run is of. */
  readonly of: readonly { readonly run: string; readonly dataset?: string; readonly row?: string }[]
  readonly most: number
  readonly budget?: Pick<Amount, "usd" | "tokens">
  readonly by: string
}

export type ProbeTaken =
  | { readonly ok: true; readonly probe: ProbeShown }
  /** `no_budget`: its judge has a price. `quota`: too many scorings wait. */
  | { readonly ok: false; readonly code: "not_found" | "no_judge" | "no_budget" | "no_runs" | "quota" }

export interface ScoresPort {
  /** [V1] All scorers that load, by name. */
  scorers(): Promise<readonly ScorerRow[]>
  /** [V12] */
  ask(wanted: ScoresWanted): Promise<ScoresTaken>
  /** [V19] A run has taken feedback: what follows for lists, sums and the grading queue. */
  heard(run: string, flow: string, taken: FeedbackKept): Promise<void>
  /** [V21] A judge's levels; undefined: there is no such scorer. */
  levels(scorer: string): Promise<readonly Level[] | null | undefined>
  /** [V14] */
  today(): Promise<ScoringToday>
  /** [V21] Oldest first, those after `after`. */
  grading(filter: GradingFilter): Promise<readonly WaitingGrade[]>
  addGrading(scorer: string, runs: readonly string[], by: string): Promise<{ readonly added: number } | undefined>
  /** [V17] By flow and scorer. Days are since 1970, both included. `daily`: and by day. */
  sums(from: number, to: number, daily?: boolean): Promise<readonly ScoreSum[]>
  skipGrading(run: string, scorer: string): Promise<boolean>
  /** [V10] */
  probe(wish: ProbeWish): Promise<ProbeTaken>
  /** [V22] undefined: there is no such scorer. */
  trust(scorer: string): Promise<JudgeTrust | undefined>
}
