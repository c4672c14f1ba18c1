// Declares what is done with many runs at once [R42]: canceling them, running them again, forking them, deleting them.

import { z } from "zod"
import { BULK_ACTIONS } from "../../core/run/bulk-act.ts"
import { name } from "../../core/schema/bounded.ts"
import { later } from "../../core/schema/later.ts"
import { AgainBody, ForkBody } from "./forks.ts"
import { flag, NoBody, PAGES, words, type Parameter, type Routes } from "../route/route.ts"
import { FILTER } from "./runs.ts"

/** If its request does not say. */
export const MOST_BY_DEFAULT = 1_000 // limit: runs of a bulk without `most` → 422 at `/most`
const MOST_RUNS = 10_000 // limit: runs of a bulk → 422 at `/most`
const MOST_NAMED = 1_000 // limit: runs that a bulk's request names → 422 at `/runs`

export const BULK_STATUSES = ["running", "done", "stopped"] as const
export const BULK_OUTCOMES = ["waiting", "done", "skipped", "failed"] as const

/** A bulk is without children [R42]. */
const { children: _children, parent: _parent, ...FINDERS } = FILTER
export const BULK_FINDERS: Readonly<Record<string, Parameter>> = FINDERS

type Finder = keyof typeof FINDERS
const TIME_CHARS = 40 // limit: characters of a time in a bulk's filter → 422 at the member
const textOf = ({ schema }: Parameter) =>
  z
    .string()
    .max(typeof schema["maxLength"] === "number" ? schema["maxLength"] : TIME_CHARS)
    .exactOptional()

/** The filters of the list of runs, written as in its query. */
export const BulkFilter = later(() =>
  z.strictObject(
    Object.fromEntries(Object.entries(FINDERS).map(([of, parameter]) => [of, textOf(parameter)])) as Record<
      Finder,
      ReturnType<typeof textOf>
    >,
  ),
)

const BulkFrom = later(() => z.union([z.literal("failed"), z.strictObject({ step: name })]))

const BulkForkBody = later(() => ForkBody.extend({ from: BulkFrom.exactOptional() }))
/** How a bulk forks each of its runs. */
export type BulkFork = z.output<typeof BulkForkBody>

export const BulkBody = later(() =>
  z.strictObject({
    action: z.enum(BULK_ACTIONS),
    filter: BulkFilter.exactOptional(),
    runs: z.array(name).min(1, "must name a run").max(MOST_NAMED).exactOptional(),
    most: z.number().int().min(1, `must be from 1 to ${MOST_RUNS}`).max(MOST_RUNS, `must be from 1 to ${MOST_RUNS}`).exactOptional(),
    again: AgainBody.exactOptional(),
    fork: BulkForkBody.exactOptional(),
  }),
)
/** The type of the request body for clients. */
export type BulkWish = z.input<typeof BulkBody>

const BULK = { description: "The bulk.", body: "Bulk" } as const

export const bulk = {
  startBulk: {
    method: "POST",
    path: "/v1/bulk",
    scope: "runs:write",
    tag: "Runs",
    summary: "Cancel, run again, fork or delete many runs",
    description:
      "The runs are those that match `filter` now, or those of `runs`; child runs and runs of tests are left out. They are worked off ten at a time, and runs are started only while a tenth of the tenant's places and of its starts of the minute is free. Each fork or repetition has the bulk's id as a tag. What is not for a run is skipped: canceling what has ended, running again or deleting what goes on. Members of `fork` need the scopes that they need there, and `filter.q` needs `runs:read`.",
    query: { check: flag("1 starts nothing, and counts the runs.") },
    body: BulkBody,
    answers: {
      200: { description: "With `check`, which runs it would have.", body: "BulkCheck" },
      202: { description: "The bulk is stored and is carried out.", body: "BulkBegun", headers: ["location"] },
    },
    problems: ["quota"],
  },
  listBulks: {
    method: "GET",
    path: "/v1/bulk",
    scope: "runs:read",
    tag: "Runs",
    summary: "List bulks, newest first",
    description: "The newest 100 are kept for a week.",
    query: PAGES,
    answers: { 200: { description: "A page of bulks.", body: "Bulk[]" } },
  },
  getBulk: {
    method: "GET",
    path: "/v1/bulk/:bulk",
    scope: "runs:read",
    tag: "Runs",
    summary: "Read how far a bulk is",
    answers: { 200: BULK },
  },
  listBulkItems: {
    method: "GET",
    path: "/v1/bulk/:bulk/items",
    scope: "runs:read",
    tag: "Runs",
    summary: "List the runs of a bulk, and what became of each",
    query: { ...PAGES, outcome: words(`Only runs with one of these outcomes: ${BULK_OUTCOMES.join(", ")}, joined by commas.`) },
    answers: { 200: { description: "A page of runs, in the order in which they are worked off.", body: "BulkItem[]" } },
  },
  stopBulk: {
    method: "POST",
    path: "/v1/bulk/:bulk/stop",
    scope: "runs:write",
    also: ["runs:read"],
    tag: "Runs",
    summary: "Stop a bulk: no further run is begun",
    description: "What is under way is finished. A bulk that is over is returned unchanged.",
    body: NoBody,
    optional: true,
    answers: { 200: BULK },
  },
} as const satisfies Routes
