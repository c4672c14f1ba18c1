// Declares the routes for the usage of runs, by day and name, and for groups of their failures.

import { z } from "zod"
import { GROUP_STATUSES } from "../core/run/failure/group.ts"
import { USAGE_BY } from "../core/run/usage/run-usage.ts"
import { MAX_SOUGHT, PAGE, flag, words, type Routes } from "./route.ts"

/** Limit: days of a response about usage → 422 at `?from`. */
export const MAX_USAGE_DAYS = 400
/** The default range in days. */
export const DEFAULT_DAYS = 30

export const USAGE_FORMATS = ["json", "csv"] as const
export const USAGE_EACH = ["day"] as const

/** The order of the groups of failures. */
export const GROUP_SORTS = ["newest", "oldest", "count"] as const
export type GroupSort = (typeof GROUP_SORTS)[number]

export const GroupStatusBody = z.strictObject({ status: z.enum(GROUP_STATUSES) })

const REHEARSED = flag("1 shows only rehearsed runs; they are otherwise left out.")

export const insight = {
  readUsage: {
    method: "GET",
    path: "/v1/usage",
    scope: "runs:read",
    tag: "Insight",
    summary: "Read what runs have used, summed by day, flow, model, agent or tool",
    description:
      "A run counts once, on the day in UTC on which it ended, even if it is deleted later; active runs and runs of tests do not count. Tokens and dollars are each run's own: those of a child count for the child, and those of a fork from the fork on. A tried turn [K19] belongs to no run: its tokens and dollars are in the sums of its day, flow, model and agent. Days are kept for 400 days. With `Accept: text/csv` or `format=csv`, a table for spreadsheets.",
    query: {
      by: { description: "The grouping; by default `day`.", schema: { type: "string", enum: USAGE_BY } },
      each: {
        description:
          "`day`: a row for each day and name. The 20 names with the highest usage are listed; the others are summed as `(other)`.",
        schema: { type: "string", enum: USAGE_EACH },
      },
      from: words("The first day, such as 2026-11-01; by default 30 days until `to`.", 40),
      to: words("The last day; by default today.", 40),
      rehearsed: REHEARSED,
      format: { description: "The format, whatever `Accept` says.", schema: { type: "string", enum: USAGE_FORMATS } },
    },
    answers: {
      200: {
        description: "The sums; days in order, names by dollars, then by tokens, largest first.",
        body: { "application/json": "Usage", "text/csv": "text" },
        headers: ["content-disposition"],
      },
    },
  },
  listFailures: {
    method: "GET",
    path: "/v1/failures",
    scope: "runs:read",
    tag: "Insight",
    summary: "List groups of failed runs, last seen first",
    description:
      "Failures of one flow, step and source whose messages have the same shape form a group. A tenant has at most 500 groups; the one last seen longest ago is dropped. Child runs count in the groups of their own flows; runs of tests are left out.",
    query: {
      ...PAGE,
      status: words(`Only groups with one of these statuses: ${GROUP_STATUSES.join(", ")}, joined by commas.`),
      flow: words("Only groups of this flow, or of several joined by commas. `*` in a name stands for any characters.", 4_096),
      q: words("Only groups with all of these words in the key, the flow, the step, the source or the message.", MAX_SOUGHT),
      since: words("Only groups seen at this time or later: a time, a day in UTC, or a span back from now, such as `7d`.", 40),
      until: words("Only groups seen before this time, which is written like `since`.", 40),
      sort: {
        description: "The order: last seen `newest` (by default) or `oldest` first, or by `count`, the largest first.",
        schema: { type: "string", enum: GROUP_SORTS },
      },
      rehearsed: REHEARSED,
    },
    answers: { 200: { description: "The groups.", body: "FailureGroup[]" } },
  },
  markFailure: {
    method: "POST",
    path: "/v1/failures/:failure",
    scope: "runs:write",
    also: ["runs:read"],
    tag: "Insight",
    summary: "Mark a group of failures as resolved, muted or open",
    description:
      "A resolved group reopens when a run fails in the same way that began later, or has a later revision than the failed ones. A muted group stays muted. Setting the same status again changes nothing.",
    body: GroupStatusBody,
    answers: { 200: { description: "The group.", body: "FailureGroup" } },
  },
} as const satisfies Routes
