// Serves scores of runs [V12], feedback [V19] and what waits for grades [V21].

import { scores } from "../../api/quality/scores.ts"
import { lazy } from "../../core/lazy.ts"
import { routes, type Handler } from "../middleware/call.ts"

const answers = lazy(() => import("./answers.ts"))

export const SCORE_ROUTES = routes(scores, {
  scoreRun: async (c) => (await answers()).scoreAnswers.scoreRun(c),
  getScores: async (c) => (await answers()).scoreAnswers.getScores(c),
  giveFeedback: async (c) => (await answers()).scoreAnswers.giveFeedback(c),
  getScoringToday: async (c) => (await answers()).scoreAnswers.getScoringToday(c),
  listGrading: async (c) => (await answers()).gradingAnswers.listGrading(c),
  addGrading: async (c) => (await answers()).gradingAnswers.addGrading(c),
  skipGrading: async (c) => (await answers()).gradingAnswers.skipGrading(c),
} satisfies Record<keyof typeof scores, Handler>)
