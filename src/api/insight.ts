// Declares the routes for the usage of runs, by day and name, for their measures by hour and day, and for groups of their failures.

import { z } from "zod"
import { GROUP_STATUSES } from "../core/run/failure/group.ts"
import { USAGE_BY } from "../core/run/usage/run-usage.ts"
import { IF_NONE_MATCH, MAX_SOUGHT, NOT_MODIFIED, PAGE, flag, words, type Routes } from "./route/route.ts"

/** Limit: days of a response about usage → 422 at `?from`. */
export const MAX_USAGE_DAYS = 400
/** The default range in days. */
export const DEFAULT_DAYS = 30

export const USAGE_FORMATS = ["json", "csv"] as const
/** Limit: days of a response about usage by the hour → 422 at `?from`. */
export const MAX_HOURLY_USAGE_DAYS = 7
export const USAGE_EACH = ["day", "hour"] as const

/** The order of the groups of failures. */
export const GROUP_SORTS = ["newest", "oldest", "count"] as const
export type GroupSort = (typeof GROUP_SORTS)[number]
/** Limit: days of a response whose slices are hours, or days that begin at the hour of `since` → longer ones have days in UTC. */
export const MAX_HOURLY_DAYS = 14
/** Limit: days of a response about measures → 422 at `?since`. */
export const MAX_MEASURED_DAYS = 366
export const MEASURED_EACH = ["hour", "day"] as const

export const GroupStatusBody = z.strictObject({ status: z.enum(GROUP_STATUSES) })

const REHEARSED = flag("1 shows only rehearsed runs; they are otherwise left out.")

/** Of measures. Texts of the same parameters, and of what they answer. */
const NAMED = flag("1 adds models, tools, API keys and tags to each slice.")
const MEASURED = {
  since: words("The first hour, as ISO 8601 in UTC; by default 24 hours until `until`. It is rounded down to the hour.", 40),
  until: words("The end, rounded up to the hour; by default now.", 40),
  each: {
    description:
      "The length of a slice; by default `hour` for up to 2 days and otherwise `day`. In a range of up to 14 days, a day begins at the hour of `since`; in a longer one, days are in UTC.",
    schema: { type: "string", enum: MEASURED_EACH },
  },
  rehearsed: REHEARSED,
} as const
const COUNTED =
  "A run counts in the hour in UTC in which it began, and once more in the one in which it ended, also if it is deleted later; runs of tests are left out. Times exclude pauses and waits for people, and percentiles are within 5 %. Hours are kept for 60 days, days for a year."

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
      by: {
        description:
          "The grouping; by default `day`. `scorer` sums scores instead: rows FLOW/SCORER with how many, their mean, how many are low, and what judges used.",
        schema: { type: "string", enum: [...USAGE_BY, "scorer"] },
      },
      each: {
        description:
          "`day`: a row for each day and name; `hour`, in all (`by=day`) or by flow, for at most 7 days: one for each hour in UTC in which anything ended. The 20 names with the highest usage are listed; the others are summed as `(other)`.",
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
        body: { "application/json": "UsageAnswer", "text/csv": "text" },
        headers: ["content-disposition"],
      },
    },
  },
  readOverview: {
    method: "GET",
    path: "/v1/overview",
    scope: "runs:read",
    tag: "Insight",
    summary: "Read how many runs began and ended by hour or day, and what is usual",
    description: `${COUNTED} Child runs are counted apart; what they used is in the sums. In a range of up to 7 days, each number has its usual range: that of the same weekday and hours of the last eight weeks. With fewer than four such weeks there is none, and no verdict. Ranges longer than 14 days have no usual range and no open questions.`,
    query: { ...MEASURED, names: NAMED },
    headers: { "if-none-match": IF_NONE_MATCH },
    answers: { 200: { description: "The overview.", body: "Overview", headers: ["etag"] }, 304: NOT_MODIFIED },
  },
  readFlowMeasures: {
    method: "GET",
    path: "/v1/flows/:flow/measures",
    scope: "runs:read",
    tag: "Insight",
    summary: "Read how long and how dear the runs of a flow are, by revision and step",
    description: `${COUNTED} Runs that other runs started count too: apart in \`children\`, together in times, revisions and steps. An hour or a day has at most 10 revisions, 100 steps, 20 models, 50 tools, 20 people, 20 API keys and 20 tags by name, and the others as \`(other)\`.`,
    query: { ...MEASURED, names: NAMED },
    headers: { "if-none-match": IF_NONE_MATCH },
    answers: { 200: { description: "The measures.", body: "FlowMeasures", headers: ["etag"] }, 304: NOT_MODIFIED },
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
      low: flag("1 shows low scores of succeeded runs alone."),
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
