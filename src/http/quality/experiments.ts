// Serves experiments [V32–V38].

import { experiments } from "../../api/quality/experiments.ts"
import { lazy } from "../../core/lazy.ts"
import { routes, type Handler } from "../middleware/call.ts"

const answers = lazy(() => import("./answers.ts"))

const answer =
  (name: keyof typeof experiments): Handler =>
  async (c) =>
    (await answers()).experimentAnswers[name](c)

export const EXPERIMENT_ROUTES = routes(experiments, {
  startExperiment: answer("startExperiment"),
  listExperiments: answer("listExperiments"),
  getExperiment: answer("getExperiment"),
  listExperimentRows: answer("listExperimentRows"),
  stopExperiment: answer("stopExperiment"),
  deleteExperiment: answer("deleteExperiment"),
})
