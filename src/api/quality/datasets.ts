// Declares datasets [V28–V31]: named sets of rows for one flow, written by hand or made of runs.

import { z } from "zod"
import { MAX_ABOUT } from "../../core/dataset/dataset-file.ts"
import { RowBody, tag } from "../../core/dataset/row-body.ts"
import { name } from "../../core/schema/bounded.ts"
import { later } from "../../core/schema/later.ts"
import { LARGE_BODY, PAGE, PAGES, type Routes } from "../route/route.ts"

const MAX_ROWS_GIVEN = 10_000 // limit: rows of a request → 422 at `/rows`
/** Limit: runs that a dataset or an experiment takes at once → 422 at the member. */
export const MAX_LAST = 1_000 // limit: runs that are taken at once for a dataset or an experiment → 422 at the member

const EndStatus = z.enum(["succeeded", "failed"])
const share = z.number().min(0).max(1)

/** Which runs. */
export const FromBody = later(() =>
  z
    .strictObject({
      runs: z.array(name).min(1, "must name a run").max(MAX_LAST).exactOptional(),
      last: z.int().min(1).max(MAX_LAST).exactOptional(),
      status: EndStatus.exactOptional(),
      tag: tag.exactOptional(),
      since: z.string().max(40).exactOptional(),
      scorer: name.exactOptional(),
      at_most: share.exactOptional(),
      at_least: share.exactOptional(),
      feedback: z.enum(["up", "down", "corrected"]).exactOptional(),
      expect: z.enum(["output", "course"]).exactOptional(),
    })
    .refine(
      ({ runs, last, expect: _expect, ...filter }) =>
        (runs === undefined) !== (last === undefined) && (runs === undefined || Object.keys(filter).length === 0),
      {
        error: "must have either `runs`, or `last` with status, tag, since, scorer, at_most, at_least, feedback",
      },
    )
    .refine(({ scorer, at_most, at_least }) => scorer !== undefined || (at_most === undefined && at_least === undefined), {
      error: "`at_most` and `at_least` need a `scorer`",
    }),
)
export type RunsFrom = z.input<typeof FromBody>

export const RowsBody = later(() =>
  z
    .strictObject({ rows: z.array(RowBody).min(1, "must have a row").max(MAX_ROWS_GIVEN).exactOptional(), from: FromBody.exactOptional() })
    .refine(({ rows, from }) => (rows === undefined) !== (from === undefined), { error: "must have either `rows` or `from`" }),
)
/** The type of the request body for clients. */
export type RowsWish = z.input<typeof RowsBody>

export const DatasetBody = later(() =>
  z.strictObject({ flow: z.string().min(1).max(300), description: z.string().max(MAX_ABOUT).exactOptional() }),
)
/** The type of the request body for clients. */
export type DatasetWish = z.input<typeof DatasetBody>

const DATASET = { description: "The dataset.", body: "Dataset" } as const
const JSONL = "application/jsonl"

export const datasets = {
  listDatasets: {
    method: "GET",
    path: "/v1/datasets",
    scope: "runs:read",
    tag: "Quality",
    summary: "List datasets",
    query: PAGE,
    answers: { 200: { description: "All of them, by name.", body: "Dataset[]" } },
  },
  getDataset: {
    method: "GET",
    path: "/v1/datasets/:dataset",
    scope: "runs:read",
    tag: "Quality",
    summary: "Read a dataset, without its rows",
    answers: { 200: DATASET },
  },
  putDataset: {
    method: "PUT",
    path: "/v1/datasets/:dataset",
    scope: "catalog:write",
    tag: "Quality",
    summary: "Make a dataset, or describe it anew",
    description: "Its flow stays what it was at first.",
    body: DatasetBody,
    answers: { 200: DATASET },
    problems: ["owned_by_file"],
  },
  deleteDataset: {
    method: "DELETE",
    path: "/v1/datasets/:dataset",
    scope: "catalog:write",
    tag: "Quality",
    summary: "Delete a dataset and its rows",
    description: "A dataset that a rule of the gate names stays.",
    problems: ["in_use", "owned_by_file"],
    answers: { 204: { description: "Deleted." } },
  },
  addRows: {
    method: "POST",
    path: "/v1/datasets/:dataset/rows",
    scope: "catalog:write",
    tag: "Quality",
    summary: "Add rows, written by hand or made of runs",
    description:
      "Equal rows are one. If the flow's inputs refuse one, none is added. `from` also needs the scope runs:read: its runs have ended, have no parent, and are neither tests nor trials.",
    body: RowsBody,
    media: { [JSONL]: "text" },
    bodyLimit: LARGE_BODY,
    answers: { 200: { description: "What became of them.", body: "RowsAdded" } },
    problems: ["storage_full", "owned_by_file"],
  },
  listRows: {
    method: "GET",
    path: "/v1/datasets/:dataset/rows",
    scope: "runs:read",
    tag: "Quality",
    summary: "Read the rows of a dataset",
    description: "In the order of their ids; with `Accept: application/jsonl` all of them, as they were added.",
    query: PAGES,
    answers: { 200: { description: "A page of rows.", body: { "application/json": "DatasetRow[]", [JSONL]: "text" } } },
  },
  deleteRow: {
    method: "DELETE",
    path: "/v1/datasets/:dataset/rows/:row",
    scope: "catalog:write",
    tag: "Quality",
    summary: "Delete a row",
    answers: { 204: { description: "Deleted." } },
    problems: ["owned_by_file"],
  },
} as const satisfies Routes
