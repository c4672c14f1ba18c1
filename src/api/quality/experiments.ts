// Declares experiments [V32–V38]: variants of a flow on the same rows, scored and compared.

import { z } from "zod"
import { MAX_TEXT, name, recordOf } from "../../core/schema/bounded.ts"
import { later } from "../../core/schema/later.ts"
import { Amount } from "../../core/money/amount.ts"
import { flag, LARGE_BODY, PAGE, PAGES, type Routes } from "../route/route.ts"
import { FromBody } from "./datasets.ts"

const MAX_REPEATS = 10 // limit: repeats of an experiment → 422 at `/repeats`
const MAX_VARIANTS = 5 // limit: variants of an experiment → 422 at `/variants`
const MAX_SCORERS = 10 // limit: scorers of an experiment → 422 at `/scorers`
const MAX_CHANGED = 500 // limit: files that a variant changes → 422 at `/variants/N/definitions`
const MAX_NAME = 100 // limit: characters of the name of an experiment or variant → 422 at `/name`

const named = z.string().min(1).max(MAX_NAME)

export const VariantBody = later(() =>
  z
    .strictObject({
      name: named.exactOptional(),
      revision: z.int().min(1).exactOptional(),
      draft: name.exactOptional(),
      definitions: recordOf(z.string().max(MAX_TEXT).nullable(), MAX_CHANGED, z.string().min(1).max(300)).exactOptional(),
      recorded: z.literal(true).exactOptional(),
      models: recordOf(z.string().max(300), MAX_CHANGED).exactOptional(),
      agents: recordOf(z.string().max(300), MAX_CHANGED).exactOptional(),
    })
    .refine(
      ({ revision, draft, definitions, recorded }) =>
        [revision, draft, definitions, recorded].filter((one) => one !== undefined).length <= 1,
      { error: "must have at most one of `revision`, `draft`, `definitions`, `recorded`" },
    )
    .refine(({ recorded, models, agents }) => recorded === undefined || (models === undefined && agents === undefined), {
      error: "`recorded` runs are what they were: leave out `models` and `agents`",
    })
    .refine(({ revision, draft, agents }) => agents === undefined || (revision === undefined && draft === undefined), {
      error: "`agents` is for the catalog of now, or goes with `definitions`",
    }),
)

export const ExperimentBody = later(() =>
  z.strictObject({
    flow: z.string().min(1).max(300),
    dataset: z.union([z.string().min(1).max(MAX_NAME), FromBody]),
    variants: z.array(VariantBody).min(1, "must have a variant").max(MAX_VARIANTS),
    scorers: z.array(name).min(1, "must name a scorer").max(MAX_SCORERS),
    repeats: z.int().min(1).max(MAX_REPEATS).exactOptional(),
    budget: Amount.pick({ usd: true, tokens: true }).strict().exactOptional(),
    name: named.exactOptional(),
  }),
)
/** The type of the request body for clients. */
export type ExperimentAsk = z.input<typeof ExperimentBody>

const EXPERIMENT = { description: "The experiment.", body: "Experiment" } as const

export const experiments = {
  startExperiment: {
    method: "POST",
    path: "/v1/experiments",
    scope: "runs:write",
    tag: "Quality",
    summary: "Compare variants of a flow on the same rows",
    description:
      "Also needs runs:read, and catalog:write for `definitions`. Rows, definitions and scorers are fixed now. What a recording shows to be the same costs nothing; the rest are dry runs, forked before the first step that differs.",
    also: ["runs:read"],
    query: { check: flag("1 begins nothing, and forecasts it from 50 rows.") },
    body: ExperimentBody,
    bodyLimit: LARGE_BODY,
    answers: {
      200: { description: "With `check=1`: what it would do.", body: "ExperimentForecast" },
      202: { description: "It has begun.", body: "ExperimentBegun" },
    },
    problems: ["quota"],
  },
  listExperiments: {
    method: "GET",
    path: "/v1/experiments",
    scope: "runs:read",
    tag: "Quality",
    summary: "List experiments",
    query: PAGE,
    answers: { 200: { description: "The newest first.", body: "Experiment[]" } },
  },
  getExperiment: {
    method: "GET",
    path: "/v1/experiments/:experiment",
    scope: "runs:read",
    tag: "Quality",
    summary: "Read an experiment, with its results once it has ended",
    answers: { 200: EXPERIMENT },
  },
  listExperimentRows: {
    method: "GET",
    path: "/v1/experiments/:experiment/rows",
    scope: "runs:read",
    tag: "Quality",
    summary: "Read the rows of an experiment, each with its trials",
    query: {
      ...PAGES,
      worse: {
        description: "Only rows where this variant, which is not the first, scores less than the first.",
        schema: { type: "string", maxLength: MAX_NAME },
      },
      scorer: { description: "With `worse`: by this scorer; without it by any.", schema: { type: "string", maxLength: MAX_NAME } },
    },
    answers: { 200: { description: "A page of rows, in the order of their ids.", body: "ExperimentRow[]" } },
  },
  stopExperiment: {
    method: "POST",
    path: "/v1/experiments/:experiment/stop",
    scope: "runs:write",
    tag: "Quality",
    summary: "Stop an experiment: what is under way is canceled",
    answers: { 200: EXPERIMENT },
  },
  deleteExperiment: {
    method: "DELETE",
    path: "/v1/experiments/:experiment",
    scope: "runs:write",
    tag: "Quality",
    summary: "Delete an experiment and its trials",
    answers: { 204: { description: "Deleted." } },
  },
} as const satisfies Routes
