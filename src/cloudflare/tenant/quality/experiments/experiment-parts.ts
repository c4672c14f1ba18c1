// Makes what drives a tenant's experiments, once there is one.

import { changesOutside } from "../../../../core/tool/outside.ts"
import { goingOut } from "../../../../core/tool/reach.ts"
import type { ToolSpec } from "../../../../core/tool/tool-spec.ts"
import { bareModel } from "../../../../core/money/prices.ts"
import type { RunView } from "../../../../core/run/views/view.ts"
import { ExperimentDrive, type DriveDeps } from "./experiment-drive.ts"
import { ExperimentRoom, type ExperimentRoomDeps } from "./experiment-room.ts"
import { GateEvidence, type GateEvidenceDeps } from "./gate-evidence.ts"
import { distrustOf, trustNow, type TrustStores } from "../trust-now.ts"
import { ExperimentStore } from "./experiment-store.ts"
import { TrialQuestions } from "./trial-questions.ts"
import { TrialStarts, type TrialStartDeps } from "./trial-starts.ts"
import { TrialStore } from "./trial-store.ts"
import { Trials, type TrialsDeps } from "./trials.ts"
import type { TenantSql } from "../../tenant-sql.ts"
import type { TenantStores } from "../../tenant-stores.ts"

export interface ExperimentParts {
  readonly drive: ExperimentDrive
  readonly room: ExperimentRoom
}

export interface PartsDeps
  extends
    Omit<DriveDeps, "experiments" | "store" | "trials" | "forget" | "isFlagged">,
    Pick<TrialsDeps, "prices">,
    Omit<TrialStartDeps, "run" | "rules">,
    Pick<ExperimentRoomDeps, "known" | "judges" | "id">,
    Pick<GateEvidenceDeps, "gate">,
    TrustStores {
  readonly sql: TenantSql
  readonly datasets: TenantStores["datasets"]
  readonly runs: Pick<TenantStores["runs"], "source">
  readonly rules: TrialStartDeps["rules"]
  readonly spec: (tool: string) => ToolSpec | undefined
  readonly usage: Pick<TenantStores["usage"], "tried">
  readonly sums: Pick<TenantStores["sums"], "tried">
}

export function experimentParts(deps: PartsDeps): ExperimentParts {
  const { sql, scorings, want, now, usage, sums } = deps
  const experiments = new ExperimentStore(sql)
  const store = new TrialStore(sql)
  const questions: TrialQuestions = new TrialQuestions({
    store,
    experiments,
    run: deps.run,
    now,
    isKept: (tool, args) => changesOutside(tool, deps.spec(tool), args),
    left: (experiment) => trials.left(experiment),
    othersHold: (experiment, trial) => trials.othersHold(experiment, trial),
  })
  const trials = new Trials({
    ...deps,
    store,
    experiments,
    starts: new TrialStarts(deps),
    questions,
    isRead(name, args) {
      const tool = deps.spec(name)
      return tool !== undefined && goingOut(tool, args) !== undefined && !changesOutside(name, tool, args)
    },
    tried(view) {
      for (const turn of triedIn(view, now())) {
        usage.tried(turn)
        sums.tried(turn)
      }
    },
  })
  const drive = new ExperimentDrive({
    ...deps,
    experiments,
    store,
    trials,
    isFlagged: async (known) => known.scorer.judge !== undefined && (await trustNow(deps, known)).flags.length > 0,
    forget(own) {
      const at = now()
      for (const { run } of own) if (scorings.add({ run, scorer: "", flow: "", order: { by: "" } }, at)) want(at)
    },
  })
  const evidence = new GateEvidence({
    ...deps,
    experiments,
    store,
    isThere: (run) => deps.runs.source(run) !== undefined,
    distrust: (known) => distrustOf(deps, known),
  })
  return { drive, room: new ExperimentRoom({ ...deps, experiments, store, drive, evidence }) }
}

/** By step: who was asked, and what it used. The run's dollars are shared out by tokens. */
function triedIn({ flow, steps, usage, pinned }: RunView, at: number) {
  const { models } = pinned as { readonly models?: Readonly<Record<string, string>> }
  const asked = Object.entries(steps).filter(([, one]) => one.agent !== undefined && one.usage.input + one.usage.output > 0)
  const all = asked.reduce((sum, [, one]) => sum + one.usage.input + one.usage.output, 0)
  return asked.map(([id, one]) => {
    const agent = one.agent ?? ""
    const model = models?.[`${agent}@${id}`] ?? models?.[agent] ?? ""
    const part = all === 0 ? 0 : (one.usage.input + one.usage.output) / all
    return { at, flow, agent, model: bareModel(model), usage: one.usage, cost: usage.usd === null ? null : usage.usd * part }
  })
}
