// Judges what the gate says of scores [V40]: its datasets and scorers are there, large enough, and probed.

import { leastRows } from "../statistics/least-rows.ts"
import { asksModel, type Scorer } from "../flow/scorer.ts"
import { pointerStep, short } from "../text/pointer.ts"
import type { GateScore, GateSetting } from "../tool/policy/gate-setting.ts"
import { matchesGlob } from "../tool/policy/tool-names.ts"

export interface GateScoreFault {
  readonly code: "PV-VALUE" | "PV-ROWS" | "PV-PROBE"
  readonly pointer: string
  readonly message: string
  readonly suggestion?: string
  readonly isWarning?: true
}

export interface GateScoreWorld {
  readonly scorer: (name: string) => Scorer | undefined
  /** Absent: unknown, as for a folder that is judged offline. */
  readonly dataset?: (name: string) => { readonly flow: string; readonly rows: number } | undefined
  /** Whether the judge was probed as it is now; absent: unknown. */
  readonly isProbed?: (scorer: string) => Promise<boolean>
}

export async function gateScoreFaults({ flows = [] }: GateSetting, world: GateScoreWorld): Promise<readonly GateScoreFault[]> {
  const faults: GateScoreFault[] = []
  for (const [i, { match, score }] of flows.entries()) {
    if (!score) continue
    const at = `/flows/${i}/score`
    faults.push(...datasetFaults(match, score, at, world))
    for (const name of Object.keys(score.scorers)) faults.push(...(await scorerFaults(name, `${at}/scorers${pointerStep(name)}`, world)))
  }
  return faults
}

function datasetFaults(
  match: string,
  { dataset: name, scorers }: GateScore,
  at: string,
  { dataset }: GateScoreWorld,
): readonly GateScoreFault[] {
  if (!dataset) return []
  const pointer = `${at}/dataset`
  const found = dataset(name)
  if (!found) {
    const suggestion = `make it: PUT /v1/datasets/${name}, and POST /v1/datasets/${name}/rows`
    const message = `there is no dataset ${short(name)} yet: only writes that change nothing of a run pass`
    return [{ code: "PV-ROWS", isWarning: true, pointer, message, suggestion }]
  }
  if (!matchesGlob(match, found.flow))
    return [{ code: "PV-VALUE", pointer, message: `is a dataset of the flow ${short(found.flow)}, which the rule does not match` }]
  return Object.entries(scorers).flatMap(([scorer, margin]): GateScoreFault[] => {
    const least = Math.ceil(leastRows(margin))
    if (found.rows >= least) return []
    const message = `has ${found.rows} rows, and a margin of ${margin} needs ${least} at least: only writes that change nothing of a run pass`
    const suggestion = "more rows, or a larger margin"
    return [
      { code: "PV-ROWS", isWarning: true, pointer: `${at}/scorers${pointerStep(scorer)}`, message: `its dataset ${message}`, suggestion },
    ]
  })
}

async function scorerFaults(name: string, pointer: string, { scorer, isProbed }: GateScoreWorld): Promise<readonly GateScoreFault[]> {
  const found = scorer(name)
  if (!found) {
    const message = `there is no scorer ${short(name)}, or it does not load`
    return [{ code: "PV-VALUE", pointer, message, suggestion: "one of `GET /v1/scorers`" }]
  }
  if (!asksModel(found) || !isProbed || (await isProbed(name))) return []
  const message = `${short(name)} asks a judge that was never probed in this version: nobody knows whether it reads what it judges`
  return [{ code: "PV-PROBE", isWarning: true, pointer, message, suggestion: `\`sluice probe ${name}\`` }]
}
