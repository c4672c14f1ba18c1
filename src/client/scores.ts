// Asks for scores of runs and reads them [V12], and takes what people say of runs: feedback [V19] and grades [V21].

import type * as shapes from "../api/doc/quality.doc.ts"
import type { FeedbackGiven, GradingEntry, RunScores, ScoresAsked, ScoringToday } from "../api/doc/quality.doc.ts"
import type { GradingWish, scores } from "../api/quality/scores.ts"
import { Paged } from "./transport/paged.ts"
import { Part } from "./transport/part.ts"
import { part } from "./transport/transport.ts"

interface FeedbackWish {
  readonly thumb?: "up" | "down" | "none"
  readonly score?: number
  readonly comment?: string
  /** What the answer should have been. */
  readonly correction?: unknown
  /** It is then a grade. */
  readonly scorer?: string
  readonly user?: string
}

interface GradingFilter {
  readonly scorer?: string
  readonly flow?: string
  readonly limit?: number
  readonly brief?: boolean
}

export class ScoresClient extends Part<typeof scores, typeof shapes> {
  readonly of: (run: string) => Promise<RunScores> = this.route("GET /v1/runs/*/scores")
  ask(run: string, scorers: readonly string[], again = false): Promise<ScoresAsked> {
    return this.json("POST", `/v1/runs/${part(run)}/scores`, { body: { scorers, ...(again ? { again } : {}) } })
  }
  feedback(run: string, wish: FeedbackWish): Promise<FeedbackGiven> {
    return this.json("POST", `/v1/runs/${part(run)}/feedback`, { body: wish })
  }
  readonly today: () => Promise<ScoringToday> = this.route("GET /v1/settings/scoring/today")
  /** Runs that wait for a grade, oldest first, each with its account unless it is `brief`. */
  grading(of: GradingFilter = {}): Paged<GradingEntry> {
    const { brief, ...rest } = of
    return new Paged(this.transport, "/v1/grading", { ...rest, ...(brief ? { brief: 1 } : {}) })
  }
  addForGrading(wish: GradingWish): Promise<{ readonly added: number }> {
    return this.json("POST", "/v1/grading", { body: wish })
  }
  readonly skipGrade: (run: string, scorer: string) => Promise<void> = this.route("DELETE /v1/grading/*/*")
}
