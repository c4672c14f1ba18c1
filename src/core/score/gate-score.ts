// Reads what the gate says of scores [V40]: which dataset and scorers each rule rests on.

import type { GateScore, GateSetting } from "../tool/policy/gate-setting.ts"
import { matchesGlob } from "../tool/policy/tool-names.ts"

export interface ScoredRule extends GateScore {
  readonly match: string
}

export const scoredRules = ({ flows = [] }: GateSetting): readonly ScoredRule[] =>
  flows.flatMap(({ match, score }) => (score ? [{ ...score, match }] : []))

/** Those that hold for the flow. A dataset has rows of one flow, so its rule holds for that one. */
export const scoredRulesFor = (gate: GateSetting, flow: string, flowOf: (dataset: string) => string | undefined): readonly ScoredRule[] =>
  scoredRules(gate).filter(({ match, dataset }) => matchesGlob(match, flow) && (flowOf(dataset) ?? flow) === flow)

export const gateNamesScorer = (gate: GateSetting, scorer: string): boolean =>
  scoredRules(gate).some(({ scorers }) => Object.hasOwn(scorers, scorer))

export const gateNamesDataset = (gate: GateSetting, name: string): boolean => scoredRules(gate).some(({ dataset }) => dataset === name)
