// Records what follows from a score [V16–V18], in one commit: the list's row, the sums, the judge's usage. A repeat changes nothing.

import { bareModel } from "../../../core/money/prices.ts"
import { JUDGE_PREFIX } from "../../../core/flow/judge-flow.ts"
import { isCounted } from "../../../core/run/said/score.ts"
import type { ScoreAnswer } from "../../../ports/tenant/quality/scoring.ts"
import type { TenantStores } from "../tenant-stores.ts"
import type { Scoring } from "./scoring-store.ts"
import { isLow, type JudgedBy } from "./scorings.ts"

interface Deps {
  readonly stores: Pick<TenantStores, "sql" | "scorings" | "gradings" | "failures" | "trust" | "usage" | "sums" | "feed">
  readonly now: () => number
  /** [V34] The score of a trial is its experiment's, and in no sum. */
  readonly trial: (scoring: Scoring, score: number | null | undefined, use: JudgedBy["use"] | undefined) => void
}

export function scoredIn(
  { stores, now, trial }: Deps,
  scoring: Scoring,
  { score, flow, status }: Extract<ScoreAnswer, { state: "scored" }>,
  by?: JudgedBy,
): void {
  const { sql, scorings, failures, trust, feed } = stores
  const { run, scorer, order } = scoring
  const at = now()
  const low = isLow(score, order.low, status)
  const isNew = sql.write(() => {
    if (!scorings.end(scoring)) return false
    if (score.error === undefined)
      scorings.keep(run, scorer, { score: score.score, version: score.version, ...(by ? { judge: by.judge } : {}) })
    else if (by) scorings.keep(run, scorer, { score: null, version: score.version, judge: by.judge })
    if (by) graded(stores, scoring, at)
    // [V22] A failed run's 0 is nothing that the judge said.
    if (by && isCounted(score)) trust.judged({ run, scorer, version: score.version, score: score.score, levels: by.levels })
    if (order.experiment !== undefined) trial(scoring, score.error === undefined ? score.score : undefined, by?.use)
    else
      scorings.count(
        { flow, scorer, now: at },
        { score: score.error === undefined ? score.score : null, low, ...(by ? { use: by.use } : {}) },
      )
    if (low) failures.addLow({ ...score, run, flow, at })
    return true
  })
  if (!isNew) return
  if (by) judgeTried(stores, scorer, by, at)
  feed.tell("run.scored", { run, flow, scorer, score: score.score })
}

/** [V13] */
export function graded({ gradings }: Pick<TenantStores, "gradings">, { run, flow, scorer, order }: Scoring, since: number): void {
  if (order.grade) gradings.add({ run, flow, scorer, since })
}

/** [V15] Like a tried turn: its tokens count, and it counts as no run. */
export function judgeTried(
  { usage, sums }: Pick<TenantStores, "usage" | "sums">,
  scorer: string,
  { use, agent, model }: JudgedBy,
  at: number,
): void {
  const tried = {
    at,
    flow: `${JUDGE_PREFIX}${scorer}`,
    agent,
    model: bareModel(model.split(",")[0] ?? ""),
    usage: { input: use.input, output: use.output },
    cost: use.usd,
  }
  usage.tried(tried)
  sums.tried(tried)
}
