// Carries a probe of a judge [V10] through the scorings of its runs: each run is judged in three ways, and no run gets these scores.

import { defined } from "../../../core/defined.ts"
import type { TenantStores } from "../tenant-stores.ts"
import { judgeTried } from "./scored.ts"
import type { ProbedScorings } from "./scorings.ts"

type Stores = Pick<TenantStores, "sql" | "scorings" | "probes" | "datasets" | "usage" | "sums">

export const probedScorings = (stores: Stores, now: () => number): ProbedScorings => ({
  isOf: (id, { version }) => stores.probes.find({ id })?.version === version,
  rowOf({ dataset, row }) {
    const found = dataset !== undefined && row !== undefined ? stores.datasets.row(dataset, row) : undefined
    return defined({ expected: found?.row.expect, criteria: found?.row.criteria })
  },
  judged(scoring, { id, scorer, way }, { score }, by) {
    const { sql, scorings, probes } = stores
    const isNew = sql.write(() => {
      if (!scorings.end(scoring)) return false
      probes.judged(id, { run: scoring.run, way, judge: by.judge }, score, by.use)
      return true
    })
    if (isNew) judgeTried(stores, scorer, by, now())
  },
})
