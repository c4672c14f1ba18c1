// Defines which runs are scored by sample, and what their judges may use in a day [V13, V14]: the body of `PUT /v1/settings/scoring`, and
// the file `scoring.yaml`.

import { z } from "zod"
import { Amount } from "../money/amount.ts"
import type { BodyFault } from "../schema/body-faults.ts"
import { later } from "../schema/later.ts"
import { matchesGlob } from "../tool/policy/tool-names.ts"
import { asksModel, type Scorer } from "../flow/scorer.ts"

export const MAX_RULES = 100 // limit: rules of the sample → 422 at `/flows`
export const MAX_SCORERS_NAMED = 10 // limit: scorers of a rule, of a request, of an experiment → 422 at the list

const share = z.number().min(0).max(1)

export const ScoringBudget = later(() => Amount.pick({ usd: true, tokens: true }))

export const ScoringBody = later(() =>
  z.strictObject({
    flows: z
      .array(
        z.strictObject({
          match: z.string().min(1).max(300).describe("Ids of flows; `*` stands for any characters. The first rule that matches counts."),
          scorers: z.array(z.string().min(1).max(100)).min(1).max(MAX_SCORERS_NAMED).describe("The scorers of the runs in the sample."),
          sample: share.describe("The share of the runs that is scored, such as 0.05 for one in twenty."),
          grade: share
            .exactOptional()
            .describe("The share of the runs that waits for a person's grade by the rule's judges; 0 by default."),
          low: share.exactOptional().describe("A succeeded run with a score below it is among the low scores."),
        }),
      )
      .max(MAX_RULES, `must have at most ${MAX_RULES} rules`)
      .exactOptional()
      .describe("Rules; the first that matches a run's flow counts."),
    budget: ScoringBudget.exactOptional().describe("What the judges of scorings may use in a UTC day. A rule with a judge needs one."),
  }),
)
export type ScoringSetting = z.output<typeof ScoringBody>
export type ScoringRule = NonNullable<ScoringSetting["flows"]>[number]

export const ruleFor = ({ flows = [] }: ScoringSetting, flow: string): ScoringRule | undefined =>
  flows.find(({ match }) => matchesGlob(match, flow))

export const ruleNames = ({ flows = [] }: ScoringSetting, scorer: string): boolean => flows.some(({ scorers }) => scorers.includes(scorer))

/** What no schema can say: the scorers exist, and what costs money is bounded. `scorer`: as it is now. */
export function scoringFaults({ flows = [], budget }: ScoringSetting, scorer: (name: string) => Scorer | undefined): readonly BodyFault[] {
  return flows.flatMap(({ scorers }, i) =>
    scorers.flatMap((name, j): BodyFault[] => {
      const pointer = `/flows/${i}/scorers/${j}`
      const found = scorer(name)
      if (!found) return [{ pointer, message: `there is no scorer "${name}", or it does not load`, suggestion: "one of `GET /v1/scorers`" }]
      if (asksModel(found) && budget === undefined)
        return [{ pointer, message: `"${name}" asks a judge, and no budget bounds what judges use`, suggestion: "budget: { usd: 5 }" }]
      return []
    }),
  )
}
