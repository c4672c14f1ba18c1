// Describes the API's answers about scorers, scores, feedback and grades.

import { z } from "zod"
import { documented } from "./shape.doc.ts"

export const Scorer = z.object({
  name: z.string().describe("The scorer's name."),
  kind: z.enum(["expect", "code", "judge", "built-in"]).describe("What decides."),
  description: z.string().describe("What a high score means."),
  version: z.string().describe("What a score is made by: file, handler, the judge's agent and its model. Versions are never mixed."),
  levels: z
    .array(z.object({ score: z.number().describe("The score."), text: z.string().describe("What the judge chooses.") }))
    .exactOptional()
    .describe("A judge's levels, the worst first."),
  tier: z.enum(["local", "package", "built-in"]).describe("The tier of the catalog that has the scorer."),
})
export type ScorerRow = z.output<typeof Scorer>

export const qualityDoc = documented({
  parameters: { scorer: { description: "The scorer's name.", example: "helpful" } },
  shapes: { Scorer },
  examples: {
    Scorer: {
      name: "helpful",
      kind: "judge",
      description: "Does the reply solve the problem, with nothing made up?",
      version: "3f9a02c41b7d",
      levels: [
        { score: 0, text: "wrong or made up" },
        { score: 1, text: "right and complete" },
      ],
      tier: "local",
    },
  },
})
