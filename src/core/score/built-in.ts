// Lists the scorers that are built in [V8]. A file of the same name hides one [F70].

import type { Scorer } from "../flow/scorer.ts"

const builtIn = (name: string, description: string, more: Partial<Scorer> = {}): Scorer => ({
  name,
  description,
  kind: "built-in",
  files: [],
  ...more,
})

export const BUILT_IN_SCORERS: readonly Scorer[] = [
  builtIn("succeeded", "1 if the run succeeded, 0 if it failed."),
  builtIn("tools-worked", "1 if the tools that agents called did their work, 0 if one was refused for good."),
  builtIn("expected", "1 if the run fits what its row of a dataset expects, else 0."),
  builtIn("criteria", "1 if a judge finds that the answer meets the criteria of its row of a dataset, else 0.", {
    judge: {
      rubric: "Does the answer meet the criteria?",
      levels: [
        { score: 0, text: "does not meet the criteria" },
        { score: 1, text: "meets the criteria" },
      ],
      agent: "score-judge",
      calls: false,
    },
  }),
]

export const builtInScorer = (name: string): Scorer | undefined => BUILT_IN_SCORERS.find((one) => one.name === name)
