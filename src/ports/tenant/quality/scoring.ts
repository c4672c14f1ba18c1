// Asks about scores [V11, V16]: what a tenant's object wants of a run's object, and what it answers.

import type { Usage } from "../../../core/money/usage.ts"
import type { ShownFeedback } from "../../../core/run/said/said.ts"
import type { RunEvent } from "../../../core/run/event.ts"
import type { Json } from "../../../core/json.ts"
import type { RowAnswer, RowAsk } from "./experiments.ts"
import type { ProbeWay } from "../../../core/score/probe-way.ts"
import type { Account } from "../../../core/score/account.ts"
import type { Score, Verdict } from "../../../core/run/said/score.ts"
import type { Scorer } from "../../../core/flow/scorer.ts"

export interface ScoreAsk {
  readonly scorer: Scorer
  readonly version: string
  /** The handler, types stripped. */
  readonly code?: string
  /** `sample`, `experiment`, or who asked. */
  readonly by: string
  /** Although this version has scored the run. */
  readonly again?: boolean
  /** The request: it is answered once. */
  readonly ask?: string
  readonly experiment?: string
  /** [V10] What the judge would be asked in this way; nothing is kept. */
  readonly probe?: ProbeWay
  /** Of a row of a dataset. */
  readonly expected?: { readonly [name: string]: Json }
  readonly criteria?: string
  /** What the judge said, who it was, and what it used. */
  readonly judged?: { readonly verdict: Verdict; readonly run: string; readonly usage?: Usage; readonly cost?: number | null }
}

/** What is said of a run, as its row in the list shows it. */
export interface SaidOfRun {
  readonly scores?: Readonly<Record<string, number | null>>
  readonly feedback?: ShownFeedback
}

export type ScoreAnswer =
  | { readonly state: "scored"; readonly score: Score; readonly said: SaidOfRun; readonly flow: string; readonly status: string }
  /** This version has scored the run before. */
  | { readonly state: "known" }
  /** A judge has to be asked this. */
  | { readonly state: "judge"; readonly task: string; readonly tainted: boolean }
  | { readonly state: "gone" | "not_over" | "canceled" }

export interface FeedbackWish {
  readonly id: string
  readonly by: string
  readonly page?: true
  readonly user?: string
  readonly thumb?: "up" | "down" | "none"
  readonly score?: number
  readonly comment?: string
  readonly correction?: Json
  readonly scorer?: string
}

/** The run's journal has it. `said`: what is said of the run from now on. */
export interface FeedbackKept {
  readonly at: number
  readonly said: SaidOfRun
  readonly given: Omit<FeedbackWish, "page">
}

export type FeedbackTaken =
  | ({ readonly ok: true } & FeedbackKept)
  | { readonly ok: false; readonly code: "not_found" | "not_running" | "too_many" }

/** The events of the run's postscript that say something of it, newest first. */
export type SaidEvents = readonly Extract<RunEvent, { type: "run.scored" | "feedback.given" }>[]

export interface RunQuality {
  /** [V21] What a scorer, or a person who grades, gets to see of it now. undefined: there is no such run. */
  account(files: readonly string[]): Promise<Account | undefined>
  /** [V33] How variants go on the run's recording, and where their trials begin. undefined: there is no such run, or it has not ended. */
  planRow(asked: RowAsk): Promise<RowAnswer | undefined>
  score(asked: ScoreAsk): Promise<ScoreAnswer>
  feedback(wish: FeedbackWish): Promise<FeedbackTaken>
  /** undefined: there is no such run. `isOver`: it has ended. */
  said(): Promise<{ readonly status: string; readonly isOver: boolean; readonly events: SaidEvents } | undefined>
}
