// Declares scores of runs [V11–V14, V17], feedback and grades [V19, V21], and what a judge can be trusted with [V22].

import { z } from "zod"
import { later } from "../../core/schema/later.ts"
import { name, within } from "../../core/schema/bounded.ts"
import { MAX_SCORERS_NAMED } from "../../core/score/scoring-setting.ts"
import { CURSOR, flag, limitTo, words, type Routes } from "../route/route.ts"

const MAX_COMMENT = 16_000 // limit: characters of a comment on a run → 422 at `/comment`
const MAX_CORRECTION = 65_536 // limit: characters of a correction, as JSON → 422 at `/correction`
export const MAX_PAGE_COMMENT = 4_000 // limit: characters of a page's comment on a run → 422 at `/comment`
export const MAX_PAGE_CORRECTION = 16_000 // limit: characters of a page's correction → 422 at `/correction`
const MAX_USER = 128 // limit: characters of a customer's id → 422 at `/user`
/** Limit: entries of a page of the grading queue, each with its account → 422 at `?limit` */
export const MAX_GRADING_PAGE = 100 // limit: entries of a page of the grading queue → 422 at `?limit`
export const MAX_ADDED = 100 // limit: runs that are added for grading at once → 422 at `/runs`

export const ScoresBody = later(() =>
  z.strictObject({
    scorers: z.array(name).min(1, "must name a scorer").max(MAX_SCORERS_NAMED),
    again: z.boolean().exactOptional(),
  }),
)

export const FeedbackBody = later(() =>
  z.strictObject({
    thumb: z.enum(["up", "down", "none"]).exactOptional(),
    score: z.number().min(0).max(1).exactOptional(),
    comment: z.string().max(MAX_COMMENT).exactOptional(),
    correction: within(z.json(), MAX_CORRECTION).exactOptional(),
    scorer: name.exactOptional(),
    user: z.string().min(1).max(MAX_USER).exactOptional(),
  }),
)

export const GradingBody = later(() =>
  z
    .strictObject({
      scorer: name,
      runs: z.array(name).min(1, "must name a run").max(MAX_ADDED).exactOptional(),
      experiment: name.exactOptional(),
      most: z.int().min(1).max(MAX_ADDED).exactOptional(),
    })
    .refine(({ runs, experiment }) => (runs === undefined) !== (experiment === undefined), {
      error: "must have either `runs` or `experiment`",
    }),
)
/** The type of the request body for clients. */
export type GradingWish = z.input<typeof GradingBody>

export const scores = {
  scoreRun: {
    method: "POST",
    path: "/v1/runs/:run/scores",
    scope: "runs:write",
    tag: "Quality",
    summary: "Ask for scores of an ended run",
    description:
      "A version of a scorer scores a run once, unless it is asked `again`. Judges use the budget of the setting `scoring`; without one, no judge with a price is asked.",
    body: ScoresBody,
    answers: { 202: { description: "What becomes of each scorer.", body: "ScoresAsked" } },
    problems: ["run_not_over", "quota"],
  },
  getScores: {
    method: "GET",
    path: "/v1/runs/:run/scores",
    scope: "runs:read",
    tag: "Quality",
    summary: "Read a run's scores and feedback, newest first",
    answers: { 200: { description: "All that was said of the run.", body: "RunScores" } },
  },
  giveFeedback: {
    method: "POST",
    path: "/v1/runs/:run/feedback",
    scope: "runs:write",
    tag: "Quality",
    summary: "Say how good a run is",
    description:
      "One of `thumb`, `score`, `comment` and `correction` is needed. Of one giver, which is the key and `user`, the newest counts; `thumb: none` takes it back. With `scorer` it is a grade, which needs `score` and the scope interactions:answer besides. A public token and a chat token made with `feedback` say `thumb`, `comment` and a text as `correction`.",
    token: true,
    body: FeedbackBody,
    answers: { 201: { description: "It is in the run's journal.", body: "FeedbackGiven" } },
    problems: ["not_running", "quota"],
  },
  getScoringToday: {
    method: "GET",
    path: "/v1/settings/scoring/today",
    scope: "admin",
    tag: "Settings",
    summary: "Read what was scored today, what was skipped, and what judges have used",
    answers: { 200: { description: "The current UTC day.", body: "ScoringToday" } },
  },
  listGrading: {
    method: "GET",
    path: "/v1/grading",
    scope: "runs:read",
    tag: "Quality",
    summary: "List runs that wait for a person's grade, oldest first",
    description: "Each with the account that a scorer sees, and without the judge's score and other grades, so that nobody grades by them.",
    query: {
      limit: limitTo(MAX_GRADING_PAGE, 20),
      cursor: CURSOR,
      scorer: words("Only for this scorer.", 100),
      flow: words("Only runs of this flow.", 300),
      brief: flag("1 leaves the accounts out."),
    },
    answers: { 200: { description: "A page of those that wait.", body: "GradingEntry[]" } },
  },
  addGrading: {
    method: "POST",
    path: "/v1/grading",
    scope: "interactions:answer",
    tag: "Quality",
    summary: "Ask people for grades of runs",
    body: GradingBody,
    answers: { 200: { description: "How many were added.", body: "GradingAdded" } },
  },
  skipGrading: {
    method: "DELETE",
    path: "/v1/grading/:run/:scorer",
    scope: "interactions:answer",
    tag: "Quality",
    summary: "Skip a run that waits for a grade",
    answers: { 204: { description: "Removed." } },
  },
} as const satisfies Routes
