// Serves scores of runs [V12], feedback [V19] and what waits for grades [V21].

import { scores } from "../../api/quality/scores.ts"
import { lazy } from "../../core/lazy.ts"
import { routes, type Handler } from "../middleware/call.ts"

const answers = lazy(() => import("./answers.ts").then((all) => all.scoreAnswers))

export const SCORE_ROUTES = routes(scores, {
  scoreRun: async (c) => (await answers()).scoreRun(c),
  getScores: async (c) => (await answers()).getScores(c),
  giveFeedback: async (c) => (await answers()).giveFeedback(c),
  getScoringToday: async (c) => (await answers()).getScoringToday(c),
  listGrading: async (c) => (await answers()).listGrading(c),
  addGrading: async (c) => (await answers()).addGrading(c),
  skipGrading: async (c) => (await answers()).skipGrading(c),
} satisfies Record<keyof typeof scores, Handler>)
