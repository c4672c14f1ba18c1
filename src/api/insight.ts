// Declares the routes for the usage of runs, by day and name, and for groups of their failures.

import { z } from "zod"
import { GROUP_STATUSES } from "../core/run/failure/group.ts"
import { USAGE_BY } from "../core/run/usage/run-usage.ts"
import { PAGE, flag, words, type Routes } from "./route.ts"

/** Limit: days of one answer about usage → 422 at `?from`. */
export const MAX_USAGE_DAYS = 400
/** Days of an answer whose range is left out. */
export const DEFAULT_DAYS = 30

export const USAGE_FORMATS = ["json", "csv"] as const
export const USAGE_EACH = ["day"] as const

export const GroupStatusBody = z.strictObject({ status: z.enum(GROUP_STATUSES) })

const REHEARSED = flag("1 shows rehearsed runs, and only these; they are never among the others.")

export const insight = {
  readUsage: {
    method: "GET",
    path: "/v1/usage",
    scope: "runs:read",
    tag: "Insight",
    summary: "Read what runs have used, summed by day, flow, model, agent or tool",
    description:
      "A run counts once, on the day in UTC on which it ended, also when it is deleted afterwards; runs that go on and runs of tests do not count. Tokens and dollars are each run's own: those of a child count for the child, and those of a fork from the fork on. A turn that was tried [K19] belongs to no run: its tokens and dollars are in the sums of its day, flow, model and agent, and it counts as no run. Days are kept for 400 days. With `Accept: text/csv` or `format=csv`, a table for spreadsheets.",
    query: {
      by: { description: "What to sum by; `day` if left out.", schema: { type: "string", enum: USAGE_BY } },
      each: {
        description:
          "`day`: a row for each day and name. The 20 names that used most of these days are each by themselves; the others are `(other)`.",
        schema: { type: "string", enum: USAGE_EACH },
      },
      from: words("The first day, such as 2026-11-01; 30 days until `to` if left out.", 40),
      to: words("The last day; today if left out.", 40),
      rehearsed: REHEARSED,
      format: { description: "The format, whatever `Accept` says.", schema: { type: "string", enum: USAGE_FORMATS } },
    },
    answers: {
      200: {
        description: "The sums; days in their order, names by dollars, then by tokens, the largest first.",
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
      "Failures of one flow, step and source whose messages have the same shape are one group. A tenant has at most 500 groups; the one that was seen longest ago leaves. Child runs count in the groups of their own flows; runs of tests are left out.",
    query: {
      ...PAGE,
      status: words(`Only groups with one of these statuses: ${GROUP_STATUSES.join(", ")}, joined by commas.`),
      flow: words("Only groups of this flow, or of several flows joined by commas.", 4_096),
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
    summary: "Say that a group of failures is resolved, muted or open",
    description:
      "A resolved group opens again when a run fails that way which began after that, or which has a later revision than those that had failed. A muted one stays muted. The same status again changes nothing.",
    body: GroupStatusBody,
    answers: { 200: { description: "The group.", body: "FailureGroup" } },
  },
} as const satisfies Routes
