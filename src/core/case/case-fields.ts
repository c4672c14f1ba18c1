// Lists the keys of rehearsals and tests, with the form of their values as JSON Schema. The readers take their keys from here, and editors
// get schemas generated from it. The readers have the final say.

import type { JsonObject } from "../json.ts"
import { StepStatus } from "../run/event-parts.ts"

type Fields = Readonly<Record<string, JsonObject>>

const TEXT: JsonObject = { type: "string" }
const MAP: JsonObject = { type: "object" }
const said = (description: string, form: JsonObject): JsonObject => ({ description, ...form })
const about = (texts: Readonly<Record<string, string>>, forms: Readonly<Record<string, JsonObject>> = {}): Fields =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, said(text, forms[name] ?? {})]))
const ref = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` })
const closed = (fields: Fields, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { ...fields },
  additionalProperties: false,
  ...more,
})
/** At least one of these keys; `oneOf` of the same is exactly one. */
const needs = (keys: readonly string[]): JsonObject[] => keys.map((key) => ({ required: [key] }))

export const TURN_FIELDS: Fields = {
  text: said("The model's text, alone or with calls or a finish.", TEXT),
  calls: said("Tools that the model calls.", { type: "array", minItems: 1, items: ref("call") }),
  finish: said("The arguments of the finish tool; ends the pass.", MAP),
  error: said("The model call fails once. Without a status the connection is lost.", ref("error")),
  delay: said("The delay of the answer, such as 300ms; at most 10m.", {
    anyOf: [
      { type: "integer", minimum: 0, maximum: 600_000 },
      { type: "string", pattern: "^\\s*\\d{1,15}(ms|s|m|h|d)?\\s*$" },
    ],
  }),
  last: said("Ends the pass without a finish.", { const: true }),
}
/** `error` replaces an answer. */
const ANSWERS = ["text", "calls", "finish"]
const TURN: JsonObject = {
  ...closed(TURN_FIELDS),
  anyOf: needs([...ANSWERS, "error"]),
  not: { required: ["error"], anyOf: needs(ANSWERS) },
}

export const CALL_FIELDS: Fields = {
  tool: said("The tool's name.", { ...TEXT, minLength: 1 }),
  args: said("The tool's arguments.", MAP),
  raw: said("A text sent instead of `args`: arguments that cannot be parsed.", TEXT),
  result: said("The result that is used instead of running the tool: text, or a map with `error`.", {}),
  untrusted: said("The result counts as text from outside.", { const: true }),
  private: said("The result counts as private.", { const: true }),
}
const CALL = closed(CALL_FIELDS, {
  required: ["tool"],
  dependencies: { untrusted: ["result"], private: ["result"] },
  not: { required: ["args", "raw"] },
})

export const ERROR_FIELDS: Fields = {
  status: said("The HTTP status.", { type: "integer", minimum: 400, maximum: 599 }),
  message: said("The provider's error message.", TEXT),
  retry_after: said("Seconds.", { type: "number", minimum: 0 }),
}

const TURNS: JsonObject = { type: "array", items: ref("turn") }
const STEPS: JsonObject = { type: "object", additionalProperties: TURNS }
const TURN_PARTS: JsonObject = { turn: TURN, call: CALL, error: closed(ERROR_FIELDS) }

const REHEARSAL_FIELDS: Fields = { steps: said("The model's turns for each step, by step id.", STEPS) }
export const REHEARSAL_KEYS: readonly string[] = Object.keys(REHEARSAL_FIELDS)

/** Limit: characters of a case's name → `TV-NAME`. */
export const MAX_CASE_NAME = 200

/** What the members of a file say that a run gets at its start. */
export const GIVEN_FILE_TEXTS = {
  text: "The file's text.",
  base64: "The file's bytes.",
  object: "The key of a shared file.",
  type: "Its media type.",
  untrusted: "Whether its text comes from outside.",
}
const GIVEN_FILE: JsonObject = {
  anyOf: [
    TEXT,
    closed(about(GIVEN_FILE_TEXTS, { text: TEXT, base64: TEXT, object: TEXT, type: TEXT, untrusted: { type: "boolean" } }), {
      oneOf: needs(["text", "base64", "object"]),
    }),
  ],
}
export const CASE_FIELDS: Fields = {
  name: said("The case's name, unique in the file.", { ...TEXT, maxLength: MAX_CASE_NAME, pattern: "\\S" }),
  task: said("The run's task.", TEXT),
  inputs: said("The run's inputs.", MAP),
  trigger: said("The trigger's data, for ${{trigger.…}}.", MAP),
  autonomous: said("Whether agents decide instead of people.", { type: "boolean" }),
  files: said("Files that the run gets at its start, by path.", { type: "object", additionalProperties: GIVEN_FILE }),
  rehearsal: said("The model's turns for each step, by step id, or FLOW/STEP for a step of a child.", STEPS),
  answers: said("People's answers, in the order of the questions.", { type: "array", items: ref("answer") }),
  expect: said("The expected result of the run.", ref("expect")),
}

/** The forms of an answer; it has exactly one of them. */
export const ALTERNATIVES: readonly string[] = ["answer", "custom", "auto", "cancelled", "decision"]
/** What the members of a person's answer say. */
export const ANSWER_TEXTS = {
  answer: "The answer to a question, in the form that `schema` describes.",
  custom: "A free text in place of one of the options.",
  auto: "Let the agent decide.",
  cancelled: "Decline to answer.",
  decision: "For an approval: run the call, refuse it, or run it with `args`.",
  notes: "With `answer`: a remark for the agent.",
  args: "With `decision: edit`: the arguments to run instead.",
  feedback: "With `decision`: a remark for the agent.",
}
const ANSWER_FIELDS: Fields = {
  ...about(ANSWER_TEXTS),
  step: said("Only for a question of this step.", TEXT),
}
export const ANSWER_KEYS: readonly string[] = Object.keys(ANSWER_FIELDS)

const orMatcher = (form: JsonObject): JsonObject => ({ anyOf: [form, ref("matcher")] })
const COUNT = orMatcher({ type: "integer", minimum: 0 })
const CALLED: JsonObject = {
  anyOf: [
    { type: "array", items: orMatcher(TEXT) },
    closed({ schema: said("A JSON Schema of the list of names.", {}) }, { required: ["schema"] }),
  ],
}
/** How a run ends. */
export const ENDS: readonly string[] = ["succeeded", "failed", "canceled"]
const OF_STEP: JsonObject = closed({
  status: said("How the step ends.", orMatcher({ enum: [...StepStatus.options] })),
  passes: said("How often the step runs: loops repeat it.", COUNT),
  outputs: said("The step's outputs, by name.", MAP),
  called: said("The tools that the run calls, in this order.", CALLED),
  refused: said("The tools whose calls were refused.", CALLED),
})
const OF_FILE: JsonObject = closed(
  { contains: said("A part of the file's text.", TEXT), equals: said("The file's whole text.", TEXT) },
  { oneOf: needs(["contains", "equals"]) },
)
const EXPECT_FIELDS: Fields = {
  status: said("How the run ends.", orMatcher({ enum: [...ENDS] })),
  output: said("The run's output.", {}),
  answer: said("The run's answer as text: its output's, or the last summary.", orMatcher(TEXT)),
  error: said("The failure: its message, or a map of step, source and message.", { type: ["string", "null", "object"] }),
  branches: said("The branch that each step takes.", { type: "object", additionalProperties: orMatcher(TEXT) }),
  steps: said("The expected result of each step.", { type: "object", additionalProperties: ref("step") }),
  files: said("Files in the workspace at the end.", { type: "object", additionalProperties: OF_FILE }),
  turns: said("The number of model turns.", COUNT),
  tool_calls: said("The number of tool calls.", COUNT),
}
/** What a scorer [V1] and a row [V29] expect of a run. */
export const EXPECT_SCHEMA: JsonObject = closed(EXPECT_FIELDS)
const SCORES = said("What scorers that ask no model say of the run, by name: from 0 to 1, or null where one does not apply.", {
  type: "object",
  additionalProperties: orMatcher({ type: ["number", "null"], minimum: 0, maximum: 1 }),
})
const MATCHER: JsonObject = {
  anyOf: [
    closed({ matches: said("A regular expression.", TEXT) }, { required: ["matches"] }),
    closed({ schema: said("A JSON Schema.", {}) }, { required: ["schema"] }),
    closed(
      {
        at_most: said("The largest number that passes.", { type: "number" }),
        at_least: said("The smallest number that passes.", { type: "number" }),
      },
      { minProperties: 1 },
    ),
  ],
}

/** The definitions that the form of an expectation refers to. */
export const EXPECT_PARTS: JsonObject = { step: OF_STEP, matcher: MATCHER }

export const rehearsalSchema: JsonObject = {
  title: "Sluice rehearsal",
  description: "flows/NAME.rehearsal.yaml",
  ...closed(REHEARSAL_FIELDS, { required: ["steps"] }),
  definitions: TURN_PARTS,
}

/** `cases`: the maximum number of cases. */
export const testSchema = (cases: number): JsonObject => ({
  title: "Sluice tests",
  description: "tests/NAME.test.yaml, or flows/NAME.test.yaml",
  ...closed(
    { cases: said("The cases, each of them a run of the flow.", { type: "array", maxItems: cases, items: ref("case") }) },
    { required: ["cases"] },
  ),
  definitions: {
    ...TURN_PARTS,
    case: closed(CASE_FIELDS, { required: ["name", "expect"] }),
    answer: closed(ANSWER_FIELDS, { oneOf: needs(ALTERNATIVES) }),
    expect: closed({ ...EXPECT_FIELDS, scores: SCORES }),
    ...EXPECT_PARTS,
  },
})
