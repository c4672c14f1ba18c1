// Draws the runs that are scored by sample [V13], in the commit that records the end of a run. What has no rule costs one look at a setting.

import { drawOf } from "../../../core/score/sample.ts"
import { ruleFor, type ScoringSetting } from "../../../core/score/scoring-setting.ts"
import { isObject } from "../../../core/json.ts"
import { defined } from "../../../core/defined.ts"
import type { ListedRun } from "../../../ports/tenant/run-list.ts"
import { sha256 } from "../../platform/sha256.ts"
import type { ScoringStore } from "./scoring-store.ts"

export interface SamplingDeps {
  readonly setting: ScoringSetting
  readonly store: ScoringStore
  readonly want: (at: number) => void
  readonly now: number
}

/** The run has ended, and is told the first time. */
export function sampled({ setting, store, want, now }: SamplingDeps, { id, flow, status, view }: ListedRun): void {
  if (setting.flows === undefined || (status !== "succeeded" && status !== "failed") || !isLive(view)) return
  const rule = ruleFor(setting, flow)
  if (!rule || drawOf(sha256(id)) >= rule.sample) return
  const isGraded = status === "succeeded" && drawOf(sha256(`grade/${id}`)) < (rule.grade ?? 0)
  const order = { by: "sample", ask: "sample", ...defined({ low: rule.low }), ...(isGraded ? { grade: true as const } : {}) }
  for (const scorer of new Set(rule.scorers)) if (!store.add({ run: id, scorer, flow, order }, now)) store.skip("queue", now)
  want(now)
}

/** Live, started by no run, neither rehearsed nor of a test, a trial or a judge. */
function isLive({ parent, rehearsed, effects, trigger }: ListedRun["view"]): boolean {
  const isApart =
    isObject(trigger) && (trigger["test"] === true || ["test", "score", "experiment"].some((kind) => kind === trigger["kind"]))
  return parent === undefined && rehearsed !== true && (effects === undefined || effects === "live") && !isApart
}
