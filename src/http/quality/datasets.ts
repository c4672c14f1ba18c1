// Serves datasets [V28–V31].

import { datasets } from "../../api/quality/datasets.ts"
import { lazy } from "../../core/lazy.ts"
import { routes, type Handler } from "../middleware/call.ts"

const answers = lazy(() => import("./answers.ts"))

const answer =
  (name: keyof typeof datasets): Handler =>
  async (c) =>
    (await answers()).datasetAnswers[name](c)

export const DATASET_ROUTES = routes(datasets, {
  listDatasets: answer("listDatasets"),
  getDataset: answer("getDataset"),
  putDataset: answer("putDataset"),
  deleteDataset: answer("deleteDataset"),
  addRows: answer("addRows"),
  listRows: answer("listRows"),
  deleteRow: answer("deleteRow"),
})
