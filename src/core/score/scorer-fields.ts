// Lists the keys of `scorers/NAME.yaml` [V1], with the form of their values as JSON Schema. The reader takes its keys from here, and editors
// get a schema generated from it. The reader has the final say.

import { EXPECT_SCHEMA, EXPECT_PARTS } from "../case/case-fields.ts"
import type { JsonObject } from "../json.ts"

type Fields = Readonly<Record<string, JsonObject>>

export const MAX_RUBRIC = 8_000 // limit: characters of a judge's rubric → `EV-VALUE`
export const MAX_LEVEL_TEXT = 500 // limit: characters of a level's text → `EV-VALUE`
export const MAX_LEVELS = 10 // limit: levels of a judge → `EV-LEVELS`
export const MAX_SCORER_FILES = 20 // limit: files that a scorer sees → `EV-VALUE`
export const MAX_JUDGED_STEPS = 20 // limit: steps whose results a judge reads → `EV-VALUE`
export const MAX_SCORERS = 500 // limit: scorers of a tenant → `EV-LIMIT`

const TEXT: JsonObject = { type: "string" }
const said = (description: string, form: JsonObject): JsonObject => ({ description, ...form })
const names = (most: number): JsonObject => ({ type: "array", maxItems: most, items: TEXT })

export const JUDGE_FIELDS: Fields = {
  rubric: said("What the judge is to judge, and by what.", { ...TEXT, minLength: 1, maxLength: MAX_RUBRIC }),
  levels: said("Score → the text of the level that the judge chooses; by default `{ 0: no, 1: yes }`.", {
    type: "object",
    minProperties: 2,
    maxProperties: MAX_LEVELS,
    propertyNames: { pattern: "^(?:0|1|0?\\.\\d+|0\\.0+|1\\.0+)$" },
    additionalProperties: { ...TEXT, minLength: 1, maxLength: MAX_LEVEL_TEXT },
  }),
  agent: said("The agent that judges, without tools and skills; by default `score-judge`.", TEXT),
  model: said("The model, in place of the agent's own.", TEXT),
  steps: said("Steps whose results the judge reads.", names(MAX_JUDGED_STEPS)),
  calls: said("Whether the judge reads the calls, with arguments and beginnings of results.", { type: "boolean" }),
}

/** Exactly one of these. */
export const KIND_KEYS = ["expect", "code", "judge"] as const

export const SCORER_FIELDS: Fields = {
  name: said("The scorer's name, which is the file's.", TEXT),
  description: said("What a high score means, in a sentence.", { ...TEXT, minLength: 1 }),
  expect: said("The expected result of the run, as in a test: 1 if the run fits, else 0.", EXPECT_SCHEMA),
  code: said("The handler beside the file, scorers/NAME.ts or .js, decides.", { const: true }),
  judge: said("An agent decides.", {
    type: "object",
    properties: { ...JUDGE_FIELDS },
    required: ["rubric"],
    additionalProperties: false,
  }),
  files: said("Files of the run's workspace that the scorer gets to see.", names(MAX_SCORER_FILES)),
}

export const scorerSchema: JsonObject = {
  title: "Sluice scorer",
  description: "scorers/NAME.yaml",
  type: "object",
  properties: { ...SCORER_FIELDS },
  required: ["name", "description"],
  oneOf: KIND_KEYS.map((key) => ({ required: [key] })),
  additionalProperties: false,
  definitions: EXPECT_PARTS,
}
