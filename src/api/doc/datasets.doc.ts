// Describes the API's answers about datasets.

import { z } from "zod"
import { DatasetFile } from "../../core/dataset/dataset-file.ts"
import { RowBody } from "../../core/dataset/row-body.ts"
import { DatasetBody, FromBody, RowsBody } from "../quality/datasets.ts"
import { GIVEN_FILE_FIELDS } from "./run/run-pieces.doc.ts"
import { documented, Hash, JsonObject, Time, type FieldTexts } from "./shape.doc.ts"

export const Dataset = z.object({
  name: z.string().describe("Its name."),
  flow: z.string().describe("The flow that its rows are for."),
  description: z.string().exactOptional().describe("What it is for."),
  rows: z.number().describe("How many rows it has."),
  hash: Hash.describe("SHA-256 over its rows, in hexadecimal: the same rows have the same hash."),
  file: z.string().exactOptional().describe("The file of the catalog that owns it: it changes through the file alone."),
})

const ROW = {
  name: z.string().exactOptional().describe("A name for people."),
  task: z.string().exactOptional().describe("The run's task."),
  inputs: JsonObject.exactOptional().describe("The run's inputs."),
  trigger: JsonObject.exactOptional().describe("The trigger's data, for `${{trigger.…}}`."),
  files: JsonObject.exactOptional().describe("Files that the run gets at its start, by path."),
  conversation: z.array(JsonObject).exactOptional().describe("What was said before the task."),
  autonomous: z.boolean().exactOptional().describe("Whether agents decide instead of people."),
  answers: z.array(JsonObject).exactOptional().describe("People's answers, in the order of the questions."),
  expect: JsonObject.exactOptional().describe("What the scorer `expected` compares the run with, as in a test."),
  criteria: z.string().exactOptional().describe("What the answer must meet, for the judge `criteria`."),
  tags: z.array(z.string()).exactOptional().describe("Tags of the row."),
}

export const DatasetRow = z.object({
  id: z.string().describe("`row_` and the beginning of the row's SHA-256: equal rows are one."),
  ...ROW,
  runs: z.array(z.string()).describe("The runs it was made from, the newest first; 20 at most."),
  untrusted: z.boolean().exactOptional().describe("True if text from outside made it: its trials are tainted."),
  created: Time.describe("When it was added."),
})

export type DatasetShown = z.output<typeof Dataset>
export type DatasetRowShown = z.output<typeof DatasetRow>

export const RowsAdded = z.object({
  added: z.number().describe("Rows that are new."),
  known: z.number().describe("Rows that were there already."),
  left_out: z
    .array(z.object({ run: z.string().describe("The run."), why: z.string().describe("Why no row was made of it.") }))
    .describe("Runs that no row was made of."),
})
export type RowsAddedShown = z.output<typeof RowsAdded>

const RUN = "run_0n3v5k8q2m7x1c9z4b6p0d2f8h"
const HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
const ROW_ID = "row_9f86d081884c7d659a2feaa0"
const ROW_TEXTS: FieldTexts = {
  ...Object.fromEntries(Object.entries(ROW).map(([field, { description = "" }]) => [field, description])),
  files: ["Files that the run gets at its start, by path.", GIVEN_FILE_FIELDS],
  conversation: ["What was said before the task.", { role: "Who said it.", text: "What was said." }],
}

const FROM_TEXTS = {
  runs: "These runs.",
  last: "The newest so many that match: 1 to 1,000.",
  status: "Only runs that ended so.",
  tag: "Only runs with this tag.",
  since: "Only runs created since this time.",
  scorer: "Only runs that this scorer gave a score.",
  at_most: "The largest score that matches.",
  at_least: "The smallest score that matches.",
  feedback: "Only runs that people found good or bad, or that they corrected.",
  expect: "`output`: a row expects the run's output; `course`: what a test made of the run would; by default nothing.",
} as const

export const datasetsDoc = documented({
  parameters: {
    dataset: { description: "The dataset's name.", example: "regression" },
    row: { description: "The row's id.", example: ROW_ID },
  },
  shapes: { Dataset, DatasetBody, DatasetRow, RowsAdded, RowsBody },
  examples: {
    Dataset: { name: "regression", flow: "support", description: "What went wrong once.", rows: 212, hash: HASH },
    DatasetBody: { flow: "support", description: "What went wrong once." },
    DatasetRow: { id: ROW_ID, task: "Where is my order?", criteria: "Names the day.", runs: [RUN], created: "2026-11-22T14:21:00.000Z" },
    RowsAdded: { added: 97, known: 2, left_out: [{ run: RUN, why: "it has not ended" }] },
    RowsBody: { from: { last: 100, feedback: "down" } },
  },
  fields: [
    [DatasetBody, { flow: "The flow that its rows are for.", description: "What it is for." }],
    [RowBody, ROW_TEXTS],
    [
      DatasetFile,
      {
        flow: "The flow that the rows are for.",
        description: "What the dataset is for.",
        rows: ["The rows; 100 at most.", ROW_TEXTS],
      },
    ],
    [FromBody, FROM_TEXTS],
    [RowsBody, { rows: ["Rows, written by hand.", ROW_TEXTS], from: ["Which runs rows are made of.", FROM_TEXTS] }],
  ],
})
