// Serves probes of judges and what they can be trusted with [V10, V22].

import { judges } from "../../api/quality/judges.ts"
import { lazy } from "../../core/lazy.ts"
import { routes, type Handler } from "../middleware/call.ts"

const answers = lazy(() => import("./answers.ts"))

const answer =
  (name: keyof typeof judges): Handler =>
  async (c) =>
    (await answers()).judgeAnswers[name](c)

export const JUDGE_ROUTES = routes(judges, { probeScorer: answer("probeScorer"), getTrust: answer("getTrust") })
